"""`muntin verify`: its output, its exit status, and what it says of engines that fail."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from muntin.cli.main import main

ADAPTERS = Path(__file__).parents[1] / "engines" / "adapters"
TOY = "engines.toy_engine:ToyEngine"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command with seed 1; the result is the status, stdout and stderr."""

    def command(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        status = main(["verify", "--seed", "1", *words])
        messages = capsys.readouterr()
        return status, messages.out, messages.err

    return command


def adapter(script: str, *words: str) -> tuple[str, ...]:
    return "--", sys.executable, str(ADAPTERS / f"{script}.py"), *words


def test_an_engine_that_follows_its_dialect_is_explained(run: Run) -> None:
    status, out, _ = run(TOY, "--dialect", "lateness=window", "--traces", "30")
    assert status == 0
    assert out.splitlines() == [
        "toy 1, seed 1, compared by steps",
        'dialect {"lateness": "window"}',
        *(f"  {window:12} 10 of 10 explained" for window in ("tumbling", "sliding", "session")),
    ]


def test_a_failure_is_shrunk_shown_and_written_as_a_transcript(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "late.json"
    status, out, _ = run(TOY, "--windows", "session", "--out", str(path))
    assert status == 1
    assert "  session      121 of 200 explained" in out
    assert out.split("\n\n", 1)[1].splitlines() == [
        "MISMATCH: trace 0 of seed 1, shrunk",
        '  {"type": "session", "gap": 2}, lateness 8, accumulate, dialect {}',
        "",
        "  step               specified  the engine",
        "  0     watermark 9  -          -",
        "  1     t=0 #2       late #2    ! [0, 2) [2]",
        f"{path}: the trace, with what is specified (`muntin replay --check`)",
    ]
    assert main(["replay", str(path), "--check", "--with", "scotty-eager"]) == 0


def test_the_first_failure_may_stop_it(run: Run) -> None:
    _, out, _ = run(TOY, "--windows", "session", "--stop", "--json")
    document = json.loads(out)
    assert document["windows"]["session"]["traces"] == document["failure"]["number"] + 1 == 1
    assert document["failure"]["kind"] == "mismatch"
    assert document["failure"]["specified"]["late"] == [{"step": 1, "v": 2}]
    assert document["failure"]["actual"]["results"][0]["value"] == [2]


@pytest.mark.parametrize(
    "engine", ["scotty-eager", "muntin.reference.specification:SpecificationOperator"]
)
def test_an_operator_in_this_process_is_an_engine(run: Run, engine: str) -> None:
    status, out, _ = run(engine, "--traces", "12")
    assert (status, out.count("2 of 2 explained")) == (0, 6)


def test_a_folder_says_how_an_engine_is_started_and_its_dialect(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    words = json.dumps([sys.executable, str(ADAPTERS / "tumbling.py")])
    (folder / "engine.toml").write_text(
        f'name = "mine"\ncommand = {words}\n[dialect]\nsession_merge = "le"\n'
    )
    status, out, _ = run(str(folder), "--dialect", "alignment=floor")
    assert status == 0
    assert 'dialect {"session_merge": "le"}' in out
    status, out, _ = run(str(folder), "--dialect", "alignment=truncate,closing=1")
    assert status == 1
    assert 'dialect {"session_merge": "le", "closing": 1, "alignment": "truncate"}' in out


def test_what_an_engine_does_not_support_is_counted(run: Run) -> None:
    status, out, _ = run("cutty-eager", "--windows", "session", "--traces", "5")
    assert (status, "0 of 0 explained, 5 unsupported" in out) == (3, True), out


def test_an_engine_that_answers_by_chance_is_a_failure(run: Run) -> None:
    status, out, _ = run(*adapter("random_values"))
    assert status == 1
    assert "UNREPEATABLE: trace 0 of seed 1" in out
    assert re.search("once +and once", out)


def test_an_engine_that_fails_on_a_trace_is_a_failure_with_its_words(run: Run) -> None:
    status, out, _ = run("--traces", "9", *adapter("faulty", "crash"))
    assert status == 1
    assert "tumbling     0 of 3 explained" in out, "it is left alone after three crashes"
    assert "ERROR: trace 0 of seed 1" in out
    assert "  the engine failed: the adapter of " in out
    assert "the engine has no memory left" in out


def test_an_adapter_that_breaks_the_wire_is_no_failure_of_its_engine(run: Run) -> None:
    status, out, err = run(*adapter("faulty", "another id"))
    assert (status, out) == (1, "")
    assert "broke the form of replies: the reply.id: it is 11, but the request was 1" in err


WRONG = {
    "no-such-engine": "'no-such-engine' is no engine: neither a folder with engine.toml",
    "no_module:Mine": "'no_module:Mine' is no engine: No module named 'no_module'",
    f"{TOY} --windows hopping": "toy has no 'hopping' windows; it has tumbling, sliding, session",
    f"{TOY} --dialect session_merge=gt": "--dialect.session_merge must be one of lt, le, not",
    f"{TOY} --traces 0": "the number of traces must be greater than 0, not 0",
    f"{TOY} --timeout 0": "the time limit must be greater than 0, not 0.0",
}


@pytest.mark.parametrize("words", WRONG)
def test_a_command_line_that_is_wrong_is_refused(run: Run, words: str) -> None:
    status, out, err = run(*words.split())
    assert (status, out) == (2, "")
    assert err.startswith(f"muntin: {WRONG[words]}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = 1\ncommand = ['x']", "engine.toml.name must be a string, not 1"),
        ("name = 'x'\ncommand = []", "engine.toml.command must be a list of words, the program"),
        ("name = 'x'", 'engine.toml: the field "command" is missing'),
        ("name = ", "cannot be read: Invalid value"),
        ("name = 'x'\ncommand = ['x']\n[dialect]\nties = 'none'", "ties must be one of peers"),
    ],
)
def test_a_folder_that_is_wrong_is_refused(
    run: Run, tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "engine.toml").write_text(text)
    status, _, err = run(str(tmp_path))
    assert (status, message in err) == (2, True), err


def test_a_file_that_cannot_be_written_is_named(run: Run, tmp_path: Path) -> None:
    status, _, err = run(TOY, "--stop", "--out", str(tmp_path / "none" / "x.json"))
    assert (status, "x.json cannot be written: No such file" in err) == (1, True)
