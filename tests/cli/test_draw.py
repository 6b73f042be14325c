"""Pictures: they hold what the instance holds, nothing in them overlaps, and they are XML."""

import re
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.cli.commands import draw
from muntin.conformance.transcript.calls import Call
from muntin.conformance.transcript.model import StructureTranscript, parse
from muntin.drawing.film import Frame, film
from muntin.drawing.instances import DRAWABLE, TREES, Instance, instance
from muntin.drawing.page import page
from muntin.drawing.scene import Box, Scene, text_width
from muntin.drawing.svg import NAMESPACE, STYLE, svg
from muntin.drawing.value_text import IDENTITY
from muntin.optimized.introspection import (
    FatPicture,
    LevelsPicture,
    NodePicture,
    QueuePicture,
    TreePicture,
)
from muntin.spec.algebra.catalogue import named_keeping_nulls
from muntin.spec.errors import InvalidInputError, UnsupportedError

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
CONCAT = named_keeping_nulls("concat")

VALUES = st.text("abcxyz<&\"'表", min_size=1, max_size=4)
INSTANTS = st.integers(-9, 120)
INSERTS = st.builds(Call, st.just("insert"), pairs=st.tuples(st.tuples(INSTANTS, VALUES)))
EVICTS = st.builds(Call, st.just("evict"), st.tuples(INSTANTS))
OLDEST = st.sampled_from([Call("evict_oldest"), Call("query"), Call("size")])
ANY_ORDER = st.lists(st.one_of(INSERTS, INSERTS, INSERTS, EVICTS, OLDEST), max_size=40) | st.lists(
    INSERTS, min_size=20, max_size=40
)
KINDS = st.lists(st.one_of(VALUES, VALUES, VALUES, st.none()), max_size=40)


def in_order(values: list[str | None]) -> list[Call]:
    """Insert a value at the next time; where there is none, evict the oldest."""
    return [
        Call("evict_oldest") if value is None else Call("insert", pairs=((7 * nth - 9, value),))
        for nth, value in enumerate(values)
    ]


def frames(
    calls: list[Call], name: str, min_arity: int | None = None, *, coins: bool = False
) -> Iterator[tuple[Frame, Instance]]:
    """Yield each frame while the instance still is in the state that it shows."""
    drawn = instance(name, CONCAT.monoid, min_arity, coins=coins)
    for frame in film(StructureTranscript(CONCAT, tuple(calls)), drawn):
        yield frame, drawn


def shown(value: object) -> str:
    """The text of a value, whole."""
    return IDENTITY if value == () else str(CONCAT.lower(value))


def held(node: NodePicture[object]) -> list[str]:
    """What a node shows: its aggregate, then its values."""
    return [shown(node.aggregate), *(shown(value) for _, value in node.entries)]


def contents_of(drawn: Instance) -> Counter[str]:
    """What the instance holds, as text, each as often as it has to be seen."""
    picture = drawn.picture()
    times = [str(time) for time, _ in drawn.structure.items()]
    match picture:
        case TreePicture(root=root):
            return Counter(text for node in root.nodes() for text in held(node))
        case FatPicture(nodes=nodes, times=slots, holes=holes):
            texts = [*map(shown, nodes[1:])] * 2
            marks = ["hole"] * len(holes) + [""] * (len(slots) - len(holes) - len(times))
            return Counter(
                [*texts, *marks, *(f"t={time}" for time in times), "number 0 is no node"]
            )
        case LevelsPicture(levels=levels):
            return Counter(shown(value) for level in levels for _, value in level)
        case QueuePicture(lists=lists, totals=totals):
            cells = [
                cell for one in lists for slot in one.slots for cell in (slot.item, slot.partial)
            ]
            texts = [shown(cell[0]) if cell else "" for cell in cells]
            return Counter([*texts, *times, *(shown(value) for _, value in totals)])


def overlapping(scene: Scene) -> list[tuple[Box, Box]]:
    """The pairs of boxes that share more than an edge."""
    slack = 0.01
    return [
        (a, b)
        for a, b in combinations(scene.boxes, 2)
        if a.x + a.width > b.x + slack
        and b.x + b.width > a.x + slack
        and a.bottom > b.y + slack
        and b.bottom > a.y + slack
    ]


def in_its_place(scene: Scene, drawn: Instance) -> bool:
    """Whether times rise from left to right, and what is at a time is below it."""
    picture, items = drawn.picture(), list(drawn.structure.items())
    boxes = sorted(scene.boxes, key=lambda box: box.x)
    if isinstance(picture, FatPicture):
        leaves = {
            time: picture.nodes[len(picture.times) + k] for k, time in enumerate(picture.times)
        }
        return {time: leaves[time] for time, _ in items} == dict(items)
    if isinstance(picture, QueuePicture):
        times = [int(box.full) for box in boxes if box.key.startswith("time")]
        return times == [time for time, _ in items] and folded(picture, items)
    rows = {box.y: [int(b.above) for b in boxes if b.above and b.y == box.y] for box in boxes}
    return all(times == sorted(times) for times in rows.values())


def folded(picture: QueuePicture[object], items: list[tuple[int, object]]) -> bool:
    """Whether each slot has its own item, and a partial that begins or ends with it."""
    slots = [(one.name, slot) for one in picture.lists for slot in one.slots]
    return all(
        all(kept == item for kept in slot.item)
        and all(
            shown(partial).endswith(shown(item))
            if name in {"right", "back"}
            else shown(partial).startswith(shown(item))
            for partial in slot.partial
        )
        for (name, slot), (_, item) in zip(slots, items, strict=True)
    )


def check(frame: Frame, drawn: Instance) -> None:
    """Hold a frame against an instance in the same state."""
    scene = frame.scene
    assert in_its_place(scene, drawn)
    assert Counter(box.full for box in scene.boxes) == contents_of(drawn)
    assert overlapping(scene) == []
    for box in scene.boxes:
        assert text_width(max(box.text, box.above, key=text_width)) < box.width, box
    for one, other in combinations(scene.labels, 2):
        disjoint = abs(one.y - other.y) >= 10 or one.right <= other.left or other.right <= one.left
        assert disjoint, (one, other)
    left, top, width, height = scene.frame()
    for box in scene.boxes:
        assert left <= box.x <= box.x + box.width <= left + width
        assert top <= box.y <= box.bottom <= top + height
    text = svg(scene, frame.title, caption=True)
    root = ET.fromstring(text)  # noqa: S314 - it is our own
    groups = root.findall(f"{{{NAMESPACE}}}g")
    titles = [group.findtext(f"{{{NAMESPACE}}}title") for group in groups]
    assert Counter(titles) == contents_of(drawn)


@given(calls=ANY_ORDER, min_arity=st.sampled_from([2, 3, None]))
@pytest.mark.parametrize("coins", [True, False])
@pytest.mark.parametrize("name", TREES)
def test_a_tree_is_drawn_as_it_is(
    name: str, *, coins: bool, calls: list[Call], min_arity: int | None
) -> None:
    for frame, drawn in frames(calls, name, min_arity, coins=coins):
        check(frame, drawn)


@given(ANY_ORDER)
def test_a_flatfat_is_drawn_as_it_is(calls: list[Call]) -> None:
    for frame, drawn in frames(calls, "flatfat"):
        check(frame, drawn)


@given(KINDS, st.sets(st.integers(0, 40)))
def test_a_ring_with_holes_is_drawn_as_it_is(values: list[str | None], gone: set[int]) -> None:
    evicts = [Call("evict", (7 * nth - 9,)) for nth in sorted(gone)]
    for frame, drawn in frames(in_order(values) + evicts, "reactive"):
        check(frame, drawn)


@given(KINDS)
@pytest.mark.parametrize("name", sorted({*DRAWABLE} - {*TREES, "flatfat"}))
def test_a_fifo_structure_is_drawn_as_it_is(name: str, values: list[str | None]) -> None:
    for frame, drawn in frames(in_order(values), name):
        check(frame, drawn)


@given(ANY_ORDER)
def test_coins_and_kinds_are_those_of_the_tree(calls: list[Call]) -> None:
    for frame, drawn in frames(calls, "fiba", 2, coins=True):
        picture = drawn.picture()
        assert isinstance(picture, TreePicture)
        nodes = list(picture.root.nodes())
        assert len(frame.scene.coins) == sum(node.coins or 0 for node in nodes)
        looks = Counter(box.look.split("-")[0] for box in frame.scene.boxes if box.look != "item")
        assert looks == Counter(node.kind for node in nodes)


def parsed(*words: str) -> tuple[int, ArgumentParser]:
    parser = ArgumentParser()
    draw.add_arguments(parser)
    return draw.run(parser.parse_args(words)), parser


def test_the_command_writes_a_picture_a_step_and_a_page(tmp_path: Path) -> None:
    file = EXAMPLES / "002_figure_3.json"
    words = ["--with", "fiba", "--min-arity", "2", "--coins", "--out", str(tmp_path)]
    assert parsed(str(file), *words, "--step", "6-8")[0] == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "index.html",
        "op-6.svg",
        "op-7.svg",
        "op-8.svg",
    ]
    html = (tmp_path / "index.html").read_text()
    assert html.index("insert 22: v") < html.index("insert 18: r")
    assert "prefers-color-scheme: dark" in html
    assert "prefers-color-scheme: dark" in (tmp_path / "op-6.svg").read_text()
    assert "http" not in html.replace(NAMESPACE, "")


@pytest.mark.parametrize("name", ["spec", "recompute", "subtract-on-evict", "tuple-buffer"])
def test_structures_that_cannot_be_drawn_are_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = EXAMPLES / "fifo.json"
    assert parsed(str(file), "--with", name, "--out", str(tmp_path / "out"))[0] == 3
    assert f"{name} cannot be drawn" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_operations_that_a_structure_refuses_are_not_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = EXAMPLES / "002_figure_3.json"
    assert parsed(str(file), "--with", "daba", "--out", str(tmp_path / "out"))[0] == 3
    assert "ops[1]" in capsys.readouterr().err
    assert parsed(str(file), "--with", "daba", "--coins")[0] == 3


def test_other_files_than_transcripts_are_not_drawn(tmp_path: Path) -> None:
    file = tmp_path / "it.json"
    file.write_text('{"muntin": 1, "structure": {"aggregate": "sum"}, "ops": [["jump"]]}')
    assert parsed(str(file))[0] == 1
    assert parsed(str(tmp_path / "none.json"))[0] == 1


@pytest.mark.parametrize("steps", ["99", "3-", "-3", "5-3", "x"])
def test_step_numbers_out_of_range_are_refused(steps: str) -> None:
    with pytest.raises(InvalidInputError, match="--step"):
        draw.step_range(steps, 13)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="no structure"):
        parsed(str(EXAMPLES / "fifo.json"), "--with", "fibre")
    with pytest.raises(UnsupportedError, match="cannot be drawn"):
        instance("kernels", CONCAT.monoid)


def test_a_page_has_every_step() -> None:
    transcript = parse((EXAMPLES / "fifo.json").read_text())
    assert isinstance(transcript, StructureTranscript)
    frames_shown = list(film(transcript, instance("daba", transcript.aggregate.monoid)))
    html = page("daba", "daba", frames_shown)
    assert html.count("<section") == len(transcript.calls) == html.count("<svg")


def luminance(colour: str) -> float:
    """The relative luminance of a colour such as #1d4f91."""
    digits = colour.lstrip("#")
    digits = digits if len(digits) == 6 else "".join(digit * 2 for digit in digits)
    parts = [int(digits[n : n + 2], 16) / 255 for n in (0, 2, 4)]
    red, green, blue = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1])
def test_the_spines_differ_without_colour_and_can_be_read(theme: int) -> None:
    colours = {
        name: re.findall(rf"--{name}:(#[0-9a-f]+)", STYLE)[theme]
        for name in ("left", "right", "on-left", "on-right")
    }
    assert contrast(colours["left"], colours["right"]) > 3
    assert contrast(colours["left"], colours["on-left"]) > 4.5
    assert contrast(colours["right"], colours["on-right"]) > 4.5
