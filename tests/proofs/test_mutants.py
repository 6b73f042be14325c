"""Each killer notices its mutants in time, and passes on the code as it is."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from subprocess import TimeoutExpired

import pytest

from evidence.checks import ROOT
from exhaustive.profile import PROFILE
from exhaustive.traces.operators import SCOPES, SHORTER_BY_DAY
from mutants.document import DOCUMENT, document
from mutants.killers import short_scope
from mutants.mutant import Mutant, MutantError, copy_code, mutants, run_killer

MUTANTS = mutants()
NAMES = [mutant.name for mutant in MUTANTS]


def due_killers(mutant: Mutant) -> tuple[str, ...]:
    """The killers that run in this profile."""
    return mutant.killers + (mutant.nightly if PROFILE == "nightly" else ())


KILLERS = sorted({killer for mutant in MUTANTS for killer in due_killers(mutant)})
WALKED = {killer.removeprefix("traces:") for killer in KILLERS if killer.startswith("traces:")}
ONE_WALK = "traces:panes"
TESTS = ("tests", "uncompiled")
OTHERS = [killer for killer in KILLERS if not killer.startswith(("traces", "lemmas", *TESTS))]


def all_tests_killer(kind: str) -> str:
    """One killer that runs the tests of all killers of this kind."""
    names = [killer.partition(":")[2] for killer in KILLERS if killer.startswith(f"{kind}:")]
    return f"{kind}:{','.join(names)}"


PASSING = {kind: all_tests_killer(kind) for kind in TESTS} | {
    "others": ";".join([*OTHERS, ONE_WALK])
}
"""The killers that run on the code as it is. The traces of the others run by day anyway, as
beginnings of longer ones: one of them shows that they can run in a copy of the code. Lemmas are
all confirmed anyway."""
MINUTES = 3
"""The limit for each group of killers that must pass."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the code for one mutant at a time."""
    return copy_code(tmp_path_factory.mktemp("mutants"))


@pytest.fixture(autouse=True)
def _use_dev_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tests that are killers draw few examples: they are enough."""
    monkeypatch.setenv("MUNTIN_PROFILE", "dev")


@pytest.mark.parametrize("killers", PASSING.values(), ids=[*PASSING])
def test_the_code_as_it_is_passes(folder: Path, killers: str) -> None:
    assert not run_killer(folder, killers, seconds=60 * MINUTES)


def test_the_traces_of_killers_run_on_the_code_as_it_is() -> None:
    """By `test_every_operator_answers_every_small_trace`, in scopes that are no smaller."""
    for case in SCOPES.values():
        killing = short_scope(case.scope)
        assert replace(killing, times=case.scope.times, length=case.scope.length) == case.scope
        assert killing.times <= case.scope.times
        assert killing.length <= case.scope.length
    assert ONE_WALK.removeprefix("traces:") in WALKED
    places = {walked.partition(" in ")[2] for walked in WALKED}
    assert places - {""} <= {*SCOPES}
    walkers = {name for walked in WALKED for name in walked.partition(" in ")[0].split(",")}
    assert walkers & {*SHORTER_BY_DAY} == set()


@pytest.mark.parametrize("mutant", MUTANTS, ids=NAMES)
def test_a_mutant_is_noticed_by_each_of_its_killers(folder: Path, mutant: Mutant) -> None:
    survived = [killer for killer in due_killers(mutant) if not run_killer(folder, killer, mutant)]
    assert survived == []


def test_there_are_enough_mutants_with_distinct_names() -> None:
    assert len(MUTANTS) >= 60
    assert {name: times for name, times in Counter(NAMES).items() if times > 1} == {}


@pytest.mark.parametrize("mutant", MUTANTS, ids=NAMES)
def test_each_patch_fits_once_and_changes_something(mutant: Mutant) -> None:
    source = (ROOT / mutant.file).read_text()
    assert mutant.patch(source) != source
    assert mutant.killers


def test_a_killer_that_runs_too_long_notices_nothing(folder: Path) -> None:
    file = "optimized/muntin/optimized/fifo/two_stacks.py"
    source = (ROOT / file).read_text()
    endless = Mutant("endless", "", file, source, f"{source}\nwhile True:\n    pass\n", ("laws",))
    with pytest.raises(TimeoutExpired):
        run_killer(folder, "states:two-stacks", endless, seconds=2)


def test_a_stale_patch_is_refused() -> None:
    mutant = Mutant("stale", "", "pyproject.toml", "no such line", "", ("laws",))
    with pytest.raises(MutantError, match="fits 0 times"):
        mutant.patch("some source")


def test_code_that_cannot_be_loaded_is_no_mutant(folder: Path) -> None:
    file = "spec/muntin/spec/algebra/catalogue.py"
    mutant = Mutant("broken", "", file, "class Extreme(", "class Extreme((", ("laws",))
    with pytest.raises(MutantError, match="SyntaxError"):
        run_killer(folder, "laws", mutant)


def test_the_document_is_current() -> None:
    assert DOCUMENT.read_text() == document()


def test_each_failure_of_the_public_scotty_has_a_mutant() -> None:
    peers = {path.stem for path in (ROOT / "tests" / "vectors" / "peers").glob("*.json")}
    faults = [mutant.fault for mutant in MUTANTS]
    named = {name for fault in faults for name in re.findall(r"public Scotty, (\w+)", fault)}
    other = ("fiba_", "geomean_", "session_left_extend_exact_gap_inclusive")
    assert named == {name for name in peers if not name.startswith(other)}
