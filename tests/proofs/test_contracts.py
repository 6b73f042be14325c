"""Every lemma in proofs/contracts is confirmed; and what CrossHair passes over is not."""

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
"""What the lemmas of a module may take together: most modules take five or less."""


@pytest.mark.parametrize("path", lemma_modules(), ids=lambda path: path.stem)
def test_each_lemma_of_a_module_is_confirmed_on_all_paths(path: Path) -> None:
    names, before = list(lemmas(path)), child_cpu_seconds()
    assert outcomes(path, names) == dict.fromkeys(names, CONFIRMED)
    assert child_cpu_seconds() - before < CPU_SECONDS


SICK = '''
def false(a: int) -> None:
    """Not true of 1000."""
    assert a > 0

    assert a * a < 1000000


def first_of_two_is_false(a: int) -> None:
    """The tool takes the first conclusion for a hypothesis."""
    assert a > 0

    assert a > 1
    assert a > 0


def unmeetable(a: int) -> None:
    """Nothing is above and below 0."""
    assert a > 0
    assert a < 0

    assert a > 9


def raises(a: int) -> None:
    """Does not hold where it has no value."""
    assert a >= 0

    assert 5 // a < 9


def without_types(a) -> None:
    """The tool cannot know what to try."""
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
    ("lemma", "found"),
    [
        ("false", "error: AssertionError"),
        ("first_of_two_is_false", "error: AssertionError"),
        ("unmeetable", "no input meets the hypotheses: info: Confirmed over all paths."),
        ("raises", "error: ZeroDivisionError"),
        ("without_types", "error: "),
    ],
)
def test_a_sick_lemma_is_not(tmp_path: Path, lemma: str, found: str) -> None:
    path = tmp_path / "sick.py"
    path.write_text(SICK)
    assert lemma in lemmas(path)
    assert found in outcome(path, lemma)


def test_lemmas_asked_for_together_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "mixed.py"
    path.write_text(SICK + SOUND)
    found = outcomes(path, ["sound", "false", "unmeetable", "as_sound"])
    assert [name for name, said in found.items() if said == CONFIRMED] == ["sound", "as_sound"]


def test_what_the_tool_cannot_exhaust_is_not_confirmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("confirm.SECONDS", 1)
    path = tmp_path / "long.py"
    path.write_text(
        "def long(a: int) -> None:\n    assert 0 < a < 10**6\n\n"
        "    assert sum(1 for i in range(a)) == a\n"
    )
    assert outcome(path, "long") == "Not confirmed."


def test_what_is_done_among_the_hypotheses_would_end_them() -> None:
    with pytest.raises(ValueError, match="f does more than to assert"):
        marked_source(
            "def f(a: int) -> None:\n    b = a\n    assert b\n\n    assert a", "f", "pass"
        )


def test_a_lemma_without_a_conclusion_is_no_lemma() -> None:
    with pytest.raises(ValueError, match="f has no blank line"):
        marked_source("def f(a: int) -> None:\n    assert a", "f", "pass")


def test_to_confirm_nothing_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no_such_module"]) == 1
    assert capsys.readouterr().out.endswith("0 of 0 lemmas confirmed\n")
