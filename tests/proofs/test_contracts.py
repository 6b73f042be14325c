"""Every lemma in proofs/contracts is confirmed; what CrossHair cannot check is not."""

from pathlib import Path

import pytest

from confirm import (
    CONFIRMED,
    child_cpu_seconds,
    lemma_modules,
    main,
    marked_source,
    outcome,
    outcomes,
)
from evidence.checks import lemmas

CPU_SECONDS = 60
"""The limit for the lemmas of a module: most modules need five or less."""


@pytest.mark.parametrize("path", lemma_modules(), ids=lambda path: path.stem)
def test_each_lemma_of_a_module_is_confirmed_on_all_paths(path: Path) -> None:
    names, before = list(lemmas(path)), child_cpu_seconds()
    assert outcomes(path, names) == dict.fromkeys(names, CONFIRMED)
    assert child_cpu_seconds() - before < CPU_SECONDS


FAULTY = '''
def false(a: int) -> None:
    """Not true of 1000."""
    assert a > 0

    assert a * a < 1000000


def first_of_two_is_false(a: int) -> None:
    """CrossHair treats the first conclusion as a hypothesis."""
    assert a > 0

    assert a > 1
    assert a > 0


def unmeetable(a: int) -> None:
    """Nothing is above and below 0."""
    assert a > 0
    assert a < 0

    assert a > 9


def raises(a: int) -> None:
    """Does not hold where it raises."""
    assert a >= 0

    assert 5 // a < 9


def without_types(a) -> None:
    """CrossHair does not know which values to try."""
    assert a > 0

    assert a.b > 0
'''


SOUND = '''

def sound(a: int) -> None:
    """True of all."""
    assert a > 1

    assert a + a > 2


def as_sound(a: int) -> None:
    """True of all, too."""
    assert a < 1

    assert a + a < 2
'''


@pytest.mark.parametrize(
    ("lemma", "message"),
    [
        ("false", "error: AssertionError"),
        ("first_of_two_is_false", "error: AssertionError"),
        ("unmeetable", "no input meets the hypotheses: info: Confirmed over all paths."),
        ("raises", "error: ZeroDivisionError"),
        ("without_types", "error: "),
    ],
)
def test_a_faulty_lemma_is_not_confirmed(tmp_path: Path, lemma: str, message: str) -> None:
    path = tmp_path / "faulty.py"
    path.write_text(FAULTY)
    assert lemma in lemmas(path)
    assert message in outcome(path, lemma)


def test_lemmas_that_are_checked_together_have_separate_outcomes(tmp_path: Path) -> None:
    path = tmp_path / "mixed.py"
    path.write_text(FAULTY + SOUND)
    results = outcomes(path, ["sound", "false", "unmeetable", "as_sound"])
    confirmed = [name for name, result in results.items() if result == CONFIRMED]
    assert confirmed == ["sound", "as_sound"]


def test_paths_that_crosshair_cannot_exhaust_are_not_confirmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("confirm.SECONDS", 1)
    path = tmp_path / "long.py"
    path.write_text(
        "def long(a: int) -> None:\n    assert 0 < a < 10**6\n\n"
        "    assert sum(1 for i in range(a)) == a\n"
    )
    assert outcome(path, "long") == "Not confirmed."


def test_only_asserts_stand_among_the_hypotheses() -> None:
    with pytest.raises(ValueError, match="f has more than asserts"):
        marked_source(
            "def f(a: int) -> None:\n    b = a\n    assert b\n\n    assert a", "f", "pass"
        )


def test_a_lemma_needs_a_conclusion() -> None:
    with pytest.raises(ValueError, match="f has no blank line"):
        marked_source("def f(a: int) -> None:\n    assert a", "f", "pass")


def test_confirming_no_lemma_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no_such_module"]) == 1
    assert capsys.readouterr().out.endswith("0 of 0 lemmas confirmed\n")
