"""Cards: they say what the registry says, name what exists, and claim what is bounded."""

import re
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from math import inf, isfinite, log2
from pathlib import Path

import pytest

from muntin.cli.commands import cards
from muntin.cli.commands.card_data import CARDS, Times
from muntin.drawing.instances import DRAWABLE
from muntin.registry.implementations import STRUCTURES, StructureEntry
from muntin.spec.algebra.monoid import FREE
from muntin.spec.cost import Operation
from muntin.spec.errors import UnsupportedError

ROOT = Path(__file__).parents[2]
IDS = [entry.name for entry in STRUCTURES]

Growth = Callable[[int, int, int], float]

GROWTHS: dict[str, Growth] = {
    "O(1)": lambda _n, _m, _d: 1,
    "O(m)": lambda _n, m, _d: m,
    "O(n)": lambda n, _m, _d: n,
    "O(n + m)": lambda n, m, _d: n + m,
    "O(log n)": lambda n, _m, _d: log2(n),
    "O(log m)": lambda _n, m, _d: log2(m + 1),
    "O(log d)": lambda _n, _m, d: log2(d + 2),
    "O(log(d + m))": lambda _n, m, d: log2(d + m + 1),
    "O(m + log n)": lambda n, m, _d: m + log2(n),
    "O(m + log d)": lambda _n, m, d: m + log2(d + 2),
    "O(m + m log(n/m))": lambda n, m, _d: m + m * log2(n / m),
    "O(m + m log(1 + n/m) + log n)": lambda n, m, _d: m + m * log2(1 + n / m) + log2(n),
    "O(m + m log(1 + d/m) + log d)": lambda _n, m, d: m + m * log2(1 + d / m) + log2(d + 2),
}
FAR, NEAR, FLAT = 2**40, 2**10, 1.1
MANY, FEW = 2**20, 2**12
MAX_RATIO = 2.5
"""The greatest ratio of the growths of the bound and of the claim along an axis."""


def bounded(entry: StructureEntry, name: str, size: int, items: int, distance: int) -> float:
    """What the structure's bound says: the largest count, and each item is one at least."""
    operation = Operation(name, size, items, (distance,) * 2)
    cost = entry.build(FREE).bound(operation)
    counts = [count for count in cost if isfinite(count)]
    return max([items, *counts] if name.startswith("bulk") else [1, *counts]) if counts else inf


def axes(name: str) -> Iterator[tuple[tuple[int, int, int], tuple[int, int, int]]]:
    """Yield pairs of a size, a number of items and a distance, that differ in one of them."""
    all_of_it = name == "query"
    yield (NEAR, NEAR if all_of_it else 1, 0), (FAR, FAR if all_of_it else 1, 0)
    if not all_of_it:
        yield (4 * FAR, 1, NEAR), (4 * FAR, 1, FAR)
    if name in {"query_range", "bulk_insert", "bulk_evict"}:
        yield (4 * FAR, FEW, 0), (4 * FAR, MANY, 0)
    if name == "query_range":
        yield (4 * FAR, FEW, MANY), (4 * FAR, MANY, MANY)


@pytest.mark.parametrize("entry", STRUCTURES, ids=IDS)
@pytest.mark.parametrize("name", Times._fields)
def test_times_are_those_of_the_bound(entry: StructureEntry, name: str) -> None:
    claimed = CARDS[entry.name].times._asdict()[name]
    if claimed == "none":
        with pytest.raises(UnsupportedError):
            entry.build(FREE).query_range(1, 2)
        return
    if claimed == "not claimed":
        assert bounded(entry, name, NEAR, 1, 0) == inf
        return
    for near, far in axes(name):
        bound = bounded(entry, name, *far) / bounded(entry, name, *near)
        claim = GROWTHS[claimed](*far) / GROWTHS[claimed](*near)
        assert (bound < FLAT) == (claim < FLAT), (claimed, near, far, bound, claim)
        assert claim / MAX_RATIO <= bound <= claim * MAX_RATIO, (claimed, near, far, bound, claim)


def test_every_structure_has_a_card_and_every_card_a_structure() -> None:
    assert sorted(CARDS) == sorted(IDS)


@pytest.mark.parametrize("entry", STRUCTURES, ids=IDS)
def test_files_and_papers_of_a_card_exist(entry: StructureEntry) -> None:
    card = CARDS[entry.name]
    assert f"[{card.paper}" in (ROOT / card.file).read_text()
    assert f"**[{card.paper}]**" in (ROOT / "REFERENCES.md").read_text()
    assert not card.proof or (ROOT / card.proof).is_file()
    assert bool(card.proof) == card.file.startswith("optimized/")
    assert bool(card.shots) == (entry.name in DRAWABLE)


def test_the_document_and_its_pictures_are_up_to_date() -> None:
    assert list(cards.stale_files()) == []


def test_there_is_no_picture_that_no_card_shows() -> None:
    made = {Path(name).name for name, _ in cards.pictures()}
    assert {path.name for path in (ROOT / cards.PICTURES).iterdir()} == made


@pytest.mark.parametrize("entry", STRUCTURES, ids=IDS)
def test_a_card_agrees_with_the_registry(entry: StructureEntry) -> None:
    text = (ROOT / cards.DOCUMENT).read_text()
    section = text.split(f"\n## {entry.name}\n")[1].split("\n## ")[0]
    claimed = re.findall(r"time \(([a-z ]+)\)", section)
    assert claimed == [
        "no claim" if entry.name == "spec" else "worst case" if entry.worst_case else "amortised"
    ]
    assert ("inverses" in section) == (entry.needs == "group")
    assert cards.ARRIVAL[entry.arrival] in section


def test_links_in_the_document_lead_somewhere() -> None:
    text = (ROOT / cards.DOCUMENT).read_text()
    targets = set(re.findall(r"\]\(([^)#]+)\)", text))
    assert [target for target in targets if not (ROOT / "docs" / target).is_file()] == []


def run(*words: str) -> int:
    parser = ArgumentParser()
    cards.add_arguments(parser)
    return cards.run(parser.parse_args(words))


def test_the_command_finds_and_writes_stale_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / cards.EXAMPLES).symlink_to(ROOT / cards.EXAMPLES)
    monkeypatch.setattr(cards, "ROOT", tmp_path)
    assert run() == 1
    assert run("--write") == 0
    assert run() == 0
    (tmp_path / cards.DOCUMENT).write_text("O(1)")
    capsys.readouterr()
    assert run() == 1
    assert capsys.readouterr().out == f"stale: {cards.DOCUMENT}\n"
