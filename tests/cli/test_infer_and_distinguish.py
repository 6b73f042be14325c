"""`muntin infer` and `muntin distinguish`: their output and their exit status."""

import json
import sys
from pathlib import Path

import pytest

from muntin.cli.main import main

ADAPTERS = Path(__file__).parents[1] / "engines" / "adapters"
TOY = "engines.toy_engine:ToyEngine"
TUMBLING = f"{sys.executable} {ADAPTERS / 'tumbling.py'}"


def test_a_dialect_is_inferred_with_the_decisions_that_stay_open(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["infer", "--seed", "1", "--traces", "40", "--", *TUMBLING.split()]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "tumbling 1, seed 1",
        "  tumbling     40 of 40 explained, by 3 dialects",
        "dialect {}",
        "  open: first_window, all or floor_first or offset_first: no trace distinguishes them",
    ]


def test_an_inference_is_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["infer", TOY, "--windows", "session", "--seed", "1", "--traces", "60", "--json"]
    assert main(words) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["engine"], document["seed"]) == ("toy 1", 1)
    assert document["decisions"]["lateness"] == ["window"]
    assert document["windows"]["session"]["explained"] == 60


def test_what_no_dialect_explains_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    words = [sys.executable, str(ADAPTERS / "faulty.py"), "none"]
    assert main(["infer", "--seed", "1", "--traces", "8", "--", *words]) == 1
    assert " of 8 explained, by " in capsys.readouterr().out


def test_an_engine_without_support_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["infer", "cutty-eager", "--windows", "count", "--traces", "4"]) == 3
    assert "dialect {}" in capsys.readouterr().out


def test_the_trace_that_distinguishes_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["dialect:", "dialect:session_merge=le", "--windows", "session"]
    assert main(["distinguish", *words]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith(" smaller traces are answered alike; this one is not")
    assert lines[3:] == [
        "  step                 dialect:    dialect:session_merge=le",
        "  0     t=0 #0         -           -",
        "  1     t=2 #1         -           -",
        "  2     watermark end  [0, 2) [0]  ! [0, 4) [0, 1]",
        "                       [2, 4) [1]  ! -",
    ]


def test_a_process_and_a_dialect_may_be_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["distinguish", TUMBLING, "dialect:", "--max-traces", "100"]) == 1
    assert capsys.readouterr().out.endswith(" and dialect: answer 100 traces alike\n")
    assert main(["distinguish", TUMBLING, "dialect:edges=right", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["agreements"] == 0
    assert document["trace"]["window"] == {"type": "tumbling", "size": 2, "offset": 0}
    assert [a["results"][0]["start"] for a in document["answers"].values()] == [0, -2]


WRONG = {
    "infer no-such-engine": "'no-such-engine' is no engine",
    f"infer {TOY} --windows count": "toy has no 'count' windows; it has tumbling",
    f"infer {TOY} --traces 0": "the number of traces must be greater than 0",
    f"distinguish {TOY} dialect:none=1": '--dialect: there is no field "none"',
    f"distinguish {TOY} dialect: --windows count": "have no window type in common",
    f"distinguish {TOY} dialect: --max-traces 0": "the number of traces must be greater",
}


@pytest.mark.parametrize("words", WRONG)
def test_a_command_line_that_is_wrong_is_refused(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words.split()) == 2
    assert WRONG[words] in capsys.readouterr().err
