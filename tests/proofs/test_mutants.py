"""Each mutant is noticed by what has to notice it, and soon, and the code as it is by nothing."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from subprocess import TimeoutExpired

import pytest

from evidence.checks import ROOT
from exhaustive.operators import SCOPES, SHORTER
from exhaustive.profile import PROFILE
from mutants.document import DOCUMENT, document
from mutants.killers import shortened
from mutants.mutant import Mutant, MutantError, copied, mutants, noticed

MUTANTS = mutants()
NAMES = [mutant.name for mutant in MUTANTS]


def due(mutant: Mutant) -> tuple[str, ...]:
    """Return the killers of this profile."""
    return mutant.killers + (mutant.nightly if PROFILE == "nightly" else ())


KILLERS = sorted({killer for mutant in MUTANTS for killer in due(mutant)})
WALKED = {killer.removeprefix("traces:") for killer in KILLERS if killer.startswith("traces:")}
ONE_WALK = "traces:panes"
TESTS = ("tests", "uncompiled")
OTHERS = [killer for killer in KILLERS if not killer.startswith(("traces", "lemmas", *TESTS))]


def every(kind: str) -> str:
    """Return one killer that runs the tests of all killers of this kind."""
    names = [killer.partition(":")[2] for killer in KILLERS if killer.startswith(f"{kind}:")]
    return f"{kind}:{','.join(names)}"


PASSING = {kind: every(kind) for kind in TESTS} | {"others": ";".join([*OTHERS, ONE_WALK])}
"""What is run on the code as it is. The traces of the others are walked by day anyway, as
beginnings of longer ones: one of them shows that they can be walked in a copy of the code. So it is
with lemmas, each of which is confirmed anyway."""
MINUTES = 3
"""What all that have to pass may take together."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the code, in which one mutant at a time lives."""
    return copied(tmp_path_factory.mktemp("mutants"))


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that are killers draw as few examples as while one works: it is enough."""
    monkeypatch.setenv("MUNTIN_PROFILE", "dev")


@pytest.mark.parametrize("killers", PASSING.values(), ids=[*PASSING])
def test_the_code_as_it_is_passes(folder: Path, killers: str) -> None:
    assert not noticed(folder, killers, seconds=60 * MINUTES)


def test_the_traces_of_killers_are_walked_on_the_code_as_it_is() -> None:
    """By `test_every_operator_answers_every_small_trace`, in scopes that are no smaller."""
    for one in SCOPES.values():
        killing = shortened(one.scope)
        assert replace(killing, times=one.scope.times, length=one.scope.length) == one.scope
        assert killing.times <= one.scope.times
        assert killing.length <= one.scope.length
    assert ONE_WALK.removeprefix("traces:") in WALKED
    places = {walked.partition(" in ")[2] for walked in WALKED}
    assert places - {""} <= {*SCOPES}
    walkers = {name for walked in WALKED for name in walked.partition(" in ")[0].split(",")}
    assert walkers & {*SHORTER} == set()


@pytest.mark.parametrize("mutant", MUTANTS, ids=NAMES)
def test_a_mutant_is_noticed_by_each_of_its_killers(folder: Path, mutant: Mutant) -> None:
    survived = [killer for killer in due(mutant) if not noticed(folder, killer, mutant)]
    assert survived == []


def test_there_are_enough_and_each_has_a_name_of_its_own() -> None:
    assert len(MUTANTS) >= 60
    assert {name: times for name, times in Counter(NAMES).items() if times > 1} == {}


@pytest.mark.parametrize("mutant", MUTANTS, ids=NAMES)
def test_each_patch_fits_once_and_changes_something(mutant: Mutant) -> None:
    source = (ROOT / mutant.file).read_text()
    assert mutant.patched(source) != source
    assert mutant.killers


def test_what_is_noticed_too_late_is_not_noticed(folder: Path) -> None:
    file = "optimized/muntin/optimized/fifo/two_stacks.py"
    source = (ROOT / file).read_text()
    endless = Mutant("endless", "", file, source, f"{source}\nwhile True:\n    pass\n", ("laws",))
    with pytest.raises(TimeoutExpired):
        noticed(folder, "states:two-stacks", endless, seconds=2)


def test_a_patch_that_is_stale_is_refused() -> None:
    mutant = Mutant("stale", "", "pyproject.toml", "no such line", "", ("laws",))
    with pytest.raises(MutantError, match="fits 0 times"):
        mutant.patched("some source")


def test_code_that_cannot_be_loaded_is_no_mutant(folder: Path) -> None:
    file = "spec/muntin/spec/algebra/catalogue.py"
    mutant = Mutant("broken", "", file, "class Extreme(", "class Extreme((", ("laws",))
    with pytest.raises(MutantError, match="SyntaxError"):
        noticed(folder, "laws", mutant)


def test_the_document_is_current() -> None:
    assert DOCUMENT.read_text() == document()


def test_each_failure_of_the_public_scotty_has_a_mutant() -> None:
    peers = {path.stem for path in (ROOT / "tests" / "vectors" / "peers").glob("*.json")}
    known = {name for one in MUTANTS for name in re.findall(r"public Scotty, (\w+)", one.fault)}
    other = ("fiba_", "geomean_", "session_left_extend_exact_gap_inclusive")
    assert known == {name for name in peers if not name.startswith(other)}
