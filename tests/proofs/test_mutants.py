"""Each mutant is noticed by what has to notice it, and soon, and the code as it is by nothing."""

from collections import Counter
from pathlib import Path
from subprocess import TimeoutExpired

import pytest

from evidence.checks import ROOT
from exhaustive.profile import PROFILE
from mutants.document import DOCUMENT, document
from mutants.mutant import Mutant, MutantError, copied, mutants, noticed

MUTANTS = mutants()
NAMES = [mutant.name for mutant in MUTANTS]


def due(mutant: Mutant) -> tuple[str, ...]:
    """Return the killers of this profile."""
    return mutant.killers + (mutant.nightly if PROFILE == "nightly" else ())


def all_at_once(killers: set[str]) -> list[str]:
    """Return the killers, with one that walks all operators at once for those that walk one each.

    They are compared with the denotation, each by itself, so who else takes part is no matter.
    """
    walked = {killer.removeprefix("traces:") for killer in killers if killer.startswith("traces:")}
    others = {killer for killer in killers if not killer.startswith("traces:")}
    return sorted({*others, f"traces:{','.join(sorted(walked))}"})


KILLERS = all_at_once({killer for mutant in MUTANTS for killer in due(mutant)})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the code, in which one mutant at a time lives."""
    return copied(tmp_path_factory.mktemp("mutants"))


@pytest.mark.parametrize("killer", KILLERS)
def test_the_code_as_it_is_passes(folder: Path, killer: str) -> None:
    assert not noticed(folder, killer)


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
    file = "optimized/muntin/optimized/two_stacks.py"
    source = (ROOT / file).read_text()
    endless = Mutant("endless", "", file, source, f"{source}\nwhile True:\n    pass\n", ("laws",))
    with pytest.raises(TimeoutExpired):
        noticed(folder, "states:two-stacks", endless, seconds=2)


def test_a_patch_that_is_stale_is_refused() -> None:
    mutant = Mutant("stale", "", "pyproject.toml", "no such line", "", ("laws",))
    with pytest.raises(MutantError, match="fits 0 times"):
        mutant.patched("some source")


def test_code_that_cannot_be_loaded_is_no_mutant(folder: Path) -> None:
    file = "spec/muntin/spec/catalogue.py"
    mutant = Mutant("broken", "", file, "class Chosen(", "class Chosen((", ("laws",))
    with pytest.raises(MutantError, match="SyntaxError"):
        noticed(folder, "laws", mutant)


def test_the_document_is_current() -> None:
    assert DOCUMENT.read_text() == document()
