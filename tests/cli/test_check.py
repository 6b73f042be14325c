"""`muntin replay --check` and `--with all`: who does what is expected, and who does not."""

from pathlib import Path

import pytest

from cli.replay_session import CALLS, EXPECTED, RESULT, TRACE, Session
from muntin.cli.commands import replay
from muntin.conformance.transcript.json_reader import Json
from muntin.reference.specification import SpecificationOperator
from muntin.registry import lookup
from muntin.registry.implementations import OPERATORS, OperatorEntry
from muntin.spec.query import Output
from muntin.spec.stream import Step


@pytest.fixture
def session(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Session:
    return Session(tmp_path, capsys)


class Crash(SpecificationOperator):
    def take(self, events: Step, /) -> Output:
        del events
        raise ZeroDivisionError("at the second moon")


class Forgetful(SpecificationOperator):
    def take(self, events: Step, /) -> Output:
        output = super().take(events)
        return output._replace(late=(), results=output.results[1:])


@pytest.fixture
def _two_bad_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = [OperatorEntry("crash", lambda _: Crash()), OperatorEntry("forgetful", Forgetful)]
    monkeypatch.setattr(lookup, "OPERATORS", [*OPERATORS[:1], *bad])


@pytest.mark.usefixtures("_two_bad_ones")
def test_a_crash_is_an_error_of_its_file(session: Session) -> None:
    one, two = session.file(TRACE), session.file(TRACE, "two.json")
    assert session.replay(one, two, "--with", "crash") == 1
    assert [line["file"] for line in session.lines()] == [one, two]
    assert all(
        "crash crashed: ZeroDivisionError('at the" in str(x["error"]) for x in session.lines()
    )
    assert all("test_check.py:" in str(line["error"]) for line in session.lines())


@pytest.mark.usefixtures("_two_bad_ones")
def test_all_are_replayed_and_named(session: Session) -> None:
    assert session.replay(session.file(TRACE), "--with", "all") == 1
    named = [line["with"] for line in session.lines()]
    assert named == ["spec", "spec", "spec", "crash", "forgetful"]
    assert next(iter(session.lines()[0])) == "with"


def test_with_all_one_implementation_that_supports_a_file_is_enough(session: Session) -> None:
    fifo = session.file(CALLS)
    assert session.replay(fifo, "--with", "all") == 0
    refusals = [line["with"] for line in session.lines() if "unsupported" in line]
    assert "subtract-on-evict" in refusals
    assert "spec" not in refusals
    assert session.replay(fifo, "--with", "all", "--check") == 0


def explanation_of(session: Session) -> str:
    """The line that explains a mismatch, which counts all dialects."""
    (line,) = [line for line in session.out.splitlines() if line.endswith("perhaps a fault")]
    return line


@pytest.mark.usefixtures("_two_bad_ones")
def test_check_shows_each_implementation_and_its_differences(session: Session) -> None:
    file = session.file({**TRACE, **EXPECTED})
    assert session.replay(file, "--with", "all", "--check") == 1
    assert (
        session.out
        == f"""\
ok: {file}: spec: 3 lines
error: {file}: crash: {session.out.split("crash: ")[1].splitlines()[0]}
MISMATCH: {file}: forgetful: 2 differences
    step 0:
      wanted value 1
      got    nothing
    late event:
      wanted t 5
      got    nothing
{explanation_of(session)}
1 ok, 1 error, 1 MISMATCH
"""
    )


@pytest.mark.parametrize(
    ("expectations", "status"),
    [
        (EXPECTED, 0),
        ({**EXPECTED, "late": []}, 1),
        ({"late": [{"step": 1, "late": [{"t": 5, "v": 9}]}]}, 0),
        ({"late": [{"step": 0, "late": [{"t": 5, "v": 9}]}]}, 1),
        ({"expect": []}, 1),
        ({"expect": [], "expect_mode": "subset"}, 0),
        ({"expect": [RESULT]}, 1),
        ({"expect": [RESULT], "expect_mode": "subset"}, 0),
        ({"expect": [{"step": 0, "value": 3}], "expect_mode": "subset"}, 1),
        ({}, 0),
    ],
)
def test_check_has_a_status(session: Session, expectations: dict[str, Json], status: int) -> None:
    assert session.replay(session.file({**TRACE, **expectations}), "--check") == status
    word = "MISMATCH: " if status else "ok: " if expectations else "unchecked: "
    assert session.out.startswith(word)


def test_check_prints_expected_and_actual_values(session: Session) -> None:
    wrong: Json = {**RESULT, "value": 3, "revision": 1} if isinstance(RESULT, dict) else None
    file = session.file({**TRACE, "expect": [wrong], "expect_mode": "subset"})
    assert session.replay(file, "--check") == 1
    assert (
        session.out
        == f"""\
MISMATCH: {file}: spec: 1 difference
    step 0, query "w0", window [20, 30):
      wanted value 3, revision 1
      got    value 1, revision 0
{explanation_of(session)}
"""
    )


def test_the_number_of_printed_differences_is_limited(session: Session) -> None:
    expect: Json = [{"step": 0, "value": value} for value in range(100, 130)]
    assert session.replay(session.file({**TRACE, "expect": expect}), "--check") == 1
    assert session.out.count("wanted") == replay.MAX_DIFFERENCES
    assert session.out.splitlines()[-2] == "    and 10 more"


def test_check_of_a_structure(session: Session) -> None:
    assert session.replay(session.file({**CALLS, "expect": [[2, 7], [3, 2]]}), "--check") == 0
    assert session.replay(session.file({**CALLS, "expect": [[2, 7]]}), "--check") == 0
    whole = session.file({**CALLS, "expect": [[2, 7]], "expect_mode": "all"})
    assert session.replay(whole, "--check") == 1
    assert session.replay(session.file({**CALLS, "expect": [[2, 8], [3, 2]]}), "--check") == 1
    assert "op 2:\n      wanted value 8\n      got    value 7\n" in session.out


def test_check_counts_over_several_files(session: Session) -> None:
    good = session.file({**TRACE, **EXPECTED})
    bad = session.file({**TRACE, "expect": []}, "bad.json")
    other = session.file(CALLS, "calls.json")
    assert session.replay(good, bad, other, session.file("", "empty"), "--check") == 1
    assert session.out.splitlines()[-1] == "1 ok, 1 unchecked, 1 error, 1 MISMATCH"
    assert session.replay(good, other, "--check", "--with", "tuple-buffer") == 3
    assert session.out.splitlines()[-1] == "1 ok, 1 unsupported"
