"""Differential runs on Spark: one local session for all that is asked of it."""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from muntin.cli.differential.driving import drive
from muntin.cli.differential.native_smaller import NativeBench
from muntin.cli.differential.plan import NATIVE, Plan, contenders
from muntin.cli.differential.running import Run
from muntin.cli.main import main
from muntin.conformance.transcript import OperatorTranscript, Turn, parse
from muntin.conformance.transcript_writing import write
from muntin.spark.differential.session import Session, check_java, session
from muntin.spec.errors import MuntinError
from muntin.spec.stream import END, Event, Step

PLANTED = "differential.planted:ForgetsTies"
PLAN = Plan(
    "tumbling:60:sum,sliding:240:60:max,sliding:70:20:mean,session:20:count",
    contenders(f"spec,scotty-lazy,{PLANTED},{NATIVE}"),
    rows=2000,
    keys=20,
)


@pytest.fixture(scope="module")
def spark() -> Iterator[Session]:
    with session("local[2]") as started:
        yield started


def test_a_run_agrees_but_for_a_planted_fault(
    spark: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = Run(PLAN, tmp_path, spark).run()
    said = capsys.readouterr().out
    assert [one.name for one in found] == [PLANTED]
    assert "2,000 rows of 20 traces" in said
    table = {line.split()[0]: line.split() for line in said.splitlines() if "100.0%" in line}
    assert [*table] == [one.name for one in PLAN.against]
    assert {name: int(row[3]) > 0 for name, row in table.items()} == {
        one.name: one.name == PLANTED for one in PLAN.against
    }
    (file,) = tmp_path.glob("mismatch-*.json")
    assert main(["replay", str(file), "--check"]) == 0
    assert main(["replay", str(file), "--check", "--with", PLANTED]) == 1
    assert "MISMATCH" in capsys.readouterr().out


def test_spark_agrees_under_its_own_dialect_too(spark: Session) -> None:
    plan = replace(PLAN, dialect="spark", against=contenders(f"spec,scotty-eager,{NATIVE}"))
    tally = drive(spark, plan, lambda _part, _rows: None)
    assert tally.wrong == []
    assert tally.of(NATIVE)["rows"] == 2000
    assert tally.of(NATIVE)["windows"] == tally.of()["windows"]


def charge(events: list[Event]) -> dict[str, str]:
    told = OperatorTranscript(PLAN.queries(), PLAN.settings(), (Turn(Step(tuple(events), END)),))
    document = write(told.queries, told.turns, told.settings)
    return {"name": NATIVE, "key": "k", "what": "", "transcript": json.dumps(document)}


def test_where_spark_differs_the_trace_is_made_small(spark: Session) -> None:
    """Its sessions merge at exactly the gap: asked for as they are, they are not ours."""
    events = [Event(time, time) for time in (3, 50, 70, 77, 200, 500, 501, 0, 90)]
    found = NativeBench(spark, PLAN, merge_at_gap=True).mismatch(charge(events))
    assert found.events == 2
    told = parse(json.dumps(found.transcript))
    assert isinstance(told, OperatorTranscript)
    times = [event.time for turn in told.turns for event in turn.step.events]
    assert max(times) - min(times) == 20
    assert "no such window" in found.what
    assert NativeBench(spark, PLAN, merge_at_gap=False).first_wrong([]) is None


def test_without_java_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MuntinError, match="needs Java 17 or later, and there is none"):
        check_java()
    old = tmp_path / "java"
    old.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019' >&2\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(MuntinError, match="has 11"):
        check_java()


def test_without_pyspark_it_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "muntin.spark.differential.session", None)
    assert main(["diff"]) == 1
    assert "pip install 'muntin[spark,kernels,cli]'" in capsys.readouterr().err


def test_tallies_of_parts_add_up(spark: Session) -> None:
    parts: list[int] = []
    plan = replace(PLAN, rows=500, keys=5, against=contenders("spec,scotty-lazy"))
    whole = drive(spark, plan, lambda part, rows: parts.append(part.of()["rows"] - rows))
    assert (parts, whole.of()["rows"]) == ([0], 500)
