"""`muntin replay`: lines, statuses, and files that go wrong beside files that do not."""

import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.replay_session import CALLS, OUTPUT, TRACE, Session, with_steps
from muntin.cli.commands import replay
from muntin.cli.main import main
from muntin.console import progress
from muntin.registry import lookup


@pytest.fixture
def session(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Session:
    return Session(tmp_path, capsys)


def test_lines_are_printed_with_their_fields_in_order(session: Session) -> None:
    assert session.replay(session.file(TRACE)) == 0
    assert session.out == OUTPUT
    assert session.err == ""


def test_answers_of_a_structure_are_printed(session: Session) -> None:
    assert session.replay(session.file(CALLS), "--with", "recompute") == 0
    assert session.out == '{"op": 2, "value": 7}\n{"op": 3, "value": 2}\n'


def test_a_transcript_comes_from_stdin(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(TRACE).encode())))
    assert session.replay("-") == 0
    assert session.out == OUTPUT


def test_no_file_stops_the_others(session: Session) -> None:
    late, broken = session.file(TRACE), session.file("{", "broken.json")
    missing, fifo = str(session.folder / "none.json"), session.file(CALLS, "calls.json")
    assert session.replay(broken, missing, late, fifo) == 1
    lines = session.lines()
    assert [line["file"] for line in lines] == [broken, missing, *[late] * 3, *[fifo] * 2]
    assert all(next(iter(line)) == "file" for line in lines)
    assert str(lines[0]["error"]).startswith("this is not JSON")
    assert lines[1] == {"file": missing, "error": "No such file or directory"}
    assert session.err == ""


def test_an_unsupported_file_gives_its_reason_only(session: Session) -> None:
    fine, fifo = session.file(TRACE), session.file(CALLS, "calls.json")
    why = "ops[1]: a FIFO structure takes times in rising order: 1 comes after 2"
    assert session.replay(fifo, "--with", "subtract-on-evict") == 3
    assert session.lines() == [{"file": fifo, "unsupported": why}]
    assert session.err == f"muntin: {fifo}: unsupported: {why}\n"
    assert session.replay(fine, fifo, "--with", "subtract-on-evict") == 3
    assert session.lines()[0] == {
        "file": fine,
        "unsupported": "subtract-on-evict is a structure, and this transcript is for operators",
    }
    assert session.err == ""
    assert session.replay(fifo, session.file("{", "x"), "--with", "subtract-on-evict") == 1
    assert session.replay(fine, fifo, "--with", "tuple-buffer") == 3
    assert session.lines()[-1] == {
        "file": fifo,
        "unsupported": "tuple-buffer is an operator, and this transcript is for structures",
    }


def test_an_operator_that_refuses_a_later_query_gives_no_line_at_all(session: Session) -> None:
    document = with_steps(
        {"events": [{"t": 1, "v": 1}], "watermark": 10},
        {"add": {"id": "n", "window": {"type": "count", "size": 1}, "aggregate": "sum"}},
    )
    file = session.file(document)
    assert session.replay(file, "--with", "tuple-buckets") == 3
    (line,) = session.lines()
    assert str(line["unsupported"]).startswith("query 'n': ")


def test_a_structure_that_refuses_a_later_call_gives_no_line_at_all(session: Session) -> None:
    file = session.file({**CALLS, "ops": [["insert", 2, 4], ["query"], ["query_range", 1, 2]]})
    assert session.replay(file, "--with", "daba") == 3
    assert len(session.lines()) == 1


def test_a_failure_comes_after_the_lines_that_precede_it(session: Session) -> None:
    document = with_steps(
        {"events": [{"t": 1, "v": 1}], "watermark": 10},
        {"events": [{"t": 11, "v": "much"}], "watermark": 20},
    )
    file = session.file(document)
    assert session.replay(file) == 1
    result, error = session.lines()
    assert result["value"] == 1
    assert str(error["error"]).startswith("steps[1]: query 'w0', ")
    assert "much" in str(error["error"])
    assert session.err.startswith(f"muntin: {file}: error: steps[1]: query 'w0'")


def test_a_measure_that_falls_is_an_error(session: Session) -> None:
    document = with_steps(
        {"events": [{"t": 1, "v": 5}, {"t": 2, "v": 3}]},
        queries=[
            {
                "id": "km",
                "window": {"type": "session", "gap": 2, "measure": "value"},
                "aggregate": "sum",
            }
        ],
    )
    assert session.replay(session.file(document)) == 1
    assert "measure 'value' falls from 5 to 3" in session.err


def test_a_table_shows_the_same_results(session: Session) -> None:
    assert session.replay(session.file(TRACE), session.file(CALLS, "calls.json"), "--pretty") == 0
    assert all(word in session.out for word in ("revision", "w0", '{"t": 5, "v": 9', "late", "op"))
    assert not session.out.startswith("{")
    assert session.replay(session.file("{"), "--pretty") == 1
    assert session.out.startswith("error: ")


@pytest.mark.parametrize("arguments", [["x.json", "--with", "nope"], ["x.json", "--with", ""]])
def test_an_unknown_name_is_misuse_and_lists_the_known_ones(
    session: Session, arguments: list[str]
) -> None:
    assert session.replay(*arguments) == 2
    assert all(name in session.err for name in (*lookup.names(), "or all"))
    assert session.out == ""


@pytest.mark.parametrize("arguments", [["replay"], ["replay", "--nope", "x"], ["nope"]])
def test_a_wrong_command_line_is_misuse(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2


def test_no_command_is_misuse_and_shows_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "muntin replay" in capsys.readouterr().err


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--help"], ["replay", "--help"]):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 0
        text = capsys.readouterr().out
        assert "examples:" in text
        assert max(map(len, text.splitlines())) <= 100


def test_an_interruption_is_clean(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> Iterator[object]:
        raise KeyboardInterrupt

    monkeypatch.setattr(replay, "parse", interrupted)
    assert session.replay(session.file(TRACE)) == 130
    assert session.err == "muntin: interrupted\n"


def test_a_reader_that_goes_away_is_no_error(session: Session) -> None:
    file = session.file(TRACE)
    command = [sys.executable, "-m", "muntin.cli", "replay", *[file] * 200]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # noqa: S603 - it is ours
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_progress_is_shown_in_a_terminal_only(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SHOW_AFTER_SECONDS", -1.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    file = session.file(TRACE)
    assert session.replay(file) == 0
    assert session.out == OUTPUT
    assert "100%" in session.err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    assert session.replay(file) == 0
    assert session.err == ""
