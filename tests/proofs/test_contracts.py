"""Every lemma in proofs/contracts is confirmed; and what CrossHair passes over is not."""

from pathlib import Path

import pytest

from confirm import CONFIRMED, divided, main, modules, spent, verdict
from evidence.checks import lemmas

LEMMAS = [(path, lemma) for path in modules() for lemma in lemmas(path)]
CPU_SECONDS = 20
"""What a lemma may take: most take one or less, half of it for the tool to start twice."""


@pytest.mark.parametrize(("path", "lemma"), LEMMAS, ids=[lemma for _, lemma in LEMMAS])
def test_a_lemma_is_confirmed_on_all_paths(path: Path, lemma: str) -> None:
    before = spent()
    assert verdict(path, lemma) == CONFIRMED
    assert spent() - before < CPU_SECONDS


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
    assert found in verdict(path, lemma)


def test_what_the_tool_cannot_exhaust_is_not_confirmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("confirm.SECONDS", 1)
    path = tmp_path / "long.py"
    path.write_text(
        "def long(a: int) -> None:\n    assert 0 < a < 10**6\n\n"
        "    assert sum(1 for i in range(a)) == a\n"
    )
    assert verdict(path, "long") == "Not confirmed."


def test_what_is_done_among_the_hypotheses_would_end_them() -> None:
    with pytest.raises(ValueError, match="f does more than to assert"):
        divided("def f(a: int) -> None:\n    b = a\n    assert b\n\n    assert a", "f", "pass")


def test_a_lemma_without_a_conclusion_is_no_lemma() -> None:
    with pytest.raises(ValueError, match="f has no blank line"):
        divided("def f(a: int) -> None:\n    assert a", "f", "pass")


def test_to_confirm_nothing_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no_such_module"]) == 1
    assert capsys.readouterr().out.endswith("0 of 0 lemmas confirmed\n")
