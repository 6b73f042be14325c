"""Differential runs on Spark, in one local session."""

import json
import math
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

from muntin.cli.main import main
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep, parse
from muntin.conformance.transcript.replay import write
from muntin.differential.inputs.sources import (
    ParquetInput,
    Source,
    generated_traces,
    parquet_traces,
    write_flights,
)
from muntin.differential.journal import Journal
from muntin.differential.plan import DIALECTS, NATIVE, DiffPlan, parse_implementations
from muntin.differential.run import DiffRun
from muntin.differential.shrinking import NativeShrinker
from muntin.differential.spark.driver import compare_frame, run_chunks
from muntin.differential.spark.parquet_footers import ColumnNames
from muntin.differential.tally import Tally
from muntin.registry.dataframes.session import JVM_LOST, Session, check_java, session
from muntin.registry.dataframes.traces import Frame
from muntin.spec.dialect import OURS
from muntin.spec.errors import InvalidInputError, MuntinError
from muntin.spec.stream import END, Event, Step

PLANTED = "differential.planted:TieFault"
PLAN = DiffPlan(
    "tumbling:60:sum,sliding:240:60:max,sliding:70:20:mean,session:20:count",
    parse_implementations(f"spec,scotty-lazy,{PLANTED},{NATIVE}"),
    rows=1000,
    keys=10,
)


def test_a_run_agrees_but_for_a_planted_fault(
    spark: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (outcome,) = DiffRun(PLAN, tmp_path, spark).run([generated_traces(spark, PLAN)])
    text = capsys.readouterr().out
    assert [mismatch.name for mismatch in outcome.mismatches] == [PLANTED]
    assert "1,000 rows of 10 traces" in text
    table = {line.split()[0]: line.split() for line in text.splitlines() if "100.0%" in line}
    assert [*table] == [entry.name for entry in PLAN.against]
    assert {name: int(row[3]) > 0 for name, row in table.items()} == {
        entry.name: entry.name == PLANTED for entry in PLAN.against
    }
    (file,) = tmp_path.glob("mismatch-*.json")
    assert main(["replay", str(file), "--check"]) == 0
    assert main(["replay", str(file), "--check", "--with", PLANTED]) == 1
    assert "MISMATCH" in capsys.readouterr().out


def test_spark_agrees_under_its_own_dialect_too(spark: Session) -> None:
    plan = replace(
        PLAN, dialect="spark", against=parse_implementations(f"spec,scotty-eager,{NATIVE}")
    )
    tally = run_chunks(generated_traces(spark, plan), plan, lambda _: None)
    assert tally.wrong == []
    assert tally.counter(NATIVE)["rows"] == 1000
    assert tally.counter(NATIVE)["windows"] == tally.counter()["windows"]


def wrong_trace(events: list[Event]) -> dict[str, str]:
    transcript = OperatorTranscript(
        PLAN.queries(), PLAN.settings(), (TranscriptStep(Step(tuple(events), END)),)
    )
    document = write(transcript.queries, transcript.turns, transcript.settings)
    return {"name": NATIVE, "key": "k", "what": "", "transcript": json.dumps(document)}


def test_a_trace_on_which_spark_differs_is_shrunk(spark: Session) -> None:
    """Its sessions merge at exactly the gap, and ours do not."""
    events = [Event(time, time) for time in (3, 50, 70, 77, 200, 500, 501, 0, 90)]
    merging = DIALECTS["spark"]
    mismatch = NativeShrinker(spark, PLAN, NATIVE, merging).mismatch(wrong_trace(events))
    assert mismatch.events == 2
    transcript = parse(json.dumps(mismatch.transcript))
    assert isinstance(transcript, OperatorTranscript)
    times = [event.time for turn in transcript.turns for event in turn.step.events]
    assert max(times) - min(times) == 20
    assert "no such window" in mismatch.what
    assert NativeShrinker(spark, PLAN, NATIVE, OURS).find_wrong([]) is None


def test_an_error_names_the_missing_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MuntinError, match="needs Java 17 or 21: none is on the path"):
        check_java()
    old = tmp_path / "java"
    old.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019' >&2\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(MuntinError, match="has 11"):
        check_java()


def test_an_error_says_that_java_has_ended_during_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    class LostSession:
        sparkContext = SimpleNamespace(environment=dict[str, str]())  # noqa: N815 - Spark's name

        def stop(self) -> None:
            raise ConnectionRefusedError

    def started(*_: object) -> LostSession:
        return LostSession()

    monkeypatch.setattr("muntin.registry.dataframes.session.local_session", started)
    for error in JVM_LOST:
        with pytest.raises(MuntinError, match=r"Java, in which Spark runs, has ended"), session():
            raise error
    with pytest.raises(BrokenPipeError), session():
        raise BrokenPipeError


def test_an_error_names_the_extra_of_pyspark(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "muntin.registry.dataframes.session", None)
    assert main(["diff"]) == 1
    assert "pip install 'muntin[spark,kernels,cli]'" in capsys.readouterr().err


def test_chunks_add_up(spark: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muntin.differential.inputs.sources.CHUNK_ROWS", 200)
    plan, parts = (
        replace(PLAN, rows=500, keys=5, against=parse_implementations("spec,scotty-lazy")),
        [0],
    )
    total = run_chunks(
        generated_traces(spark, plan), plan, lambda part: parts.append(part.counter()["rows"])
    )
    assert (parts, total.counter()["rows"]) == ([0, 200, 200, 100], 500)


GOOD: dict[str, list[object]] = {"at": [5, 90, 3], "of": ["a", "b", "a"], "n": [1, 2, None]}
BAD: dict[str, list[object]] = {
    "at": [1.0, None, math.nan, 1e30, 2.5, 4.0, 5.0],
    "of": ["a", "a", "a", "a", "a", None, "b"],
    "n": ["7", "1", "1", "1", "1", "1", "seven"],
}


def written(folder: Path, **files: dict[str, list[object]]) -> Path:
    pa, pq = import_module("pyarrow"), import_module("pyarrow.parquet")
    for name, columns in files.items():
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")
    return folder


def rows_read(source: Source) -> list[tuple[object, ...]]:
    frames = list(source.chunks())
    return sorted((r["key"], r["t"], r["v"]) for frame in frames for r in frame.collect())


def test_bad_rows_are_counted_and_the_others_compared(spark: Session, tmp_path: Path) -> None:
    great: dict[str, list[object]] = {"at": [6, 2**62 + 1], "of": ["a", "a"], "n": [2**53 + 1, 1]}
    without: dict[str, list[object]] = {"when": [1], "of": ["a"], "n": [1]}
    folder = written(tmp_path, one=GOOD, two=BAD, three=great, x=without)
    plan = replace(
        PLAN, against=parse_implementations("spec,kernels"), batch=2, delay=0, lateness=0
    )
    source = parquet_traces(spark, plan, ParquetInput(folder, ColumnNames("at", "n", "of"), 2))
    assert source.bad == {
        "no column at": 1,
        "the key is null": 1,
        "the time is NaN": 1,
        "the time is beyond 62 bits": 2,
        "the time is no integer": 1,
        "the time is null": 1,
        "the value is beyond 53 bits": 1,
        "the value is no number": 1,
    }
    assert source.rows == 4
    assert rows_read(source) == [
        ("a piece 0", [5, 3], [1.0, None]),
        ("a piece 1", [1], [7.0]),
        ("b piece 0", [90], [2.0]),
    ]
    tally = run_chunks(source, plan, lambda _: None)
    assert (tally.counter()["rows"], tally.counter()["late"], tally.wrong) == (4, 0, [])


def test_timestamps_are_microseconds(spark: Session, tmp_path: Path) -> None:
    at = datetime(1969, 12, 31, 23, 59, 59, 999_990, tzinfo=UTC)
    folder = written(tmp_path, one={"at": [at], "n": [1]})
    source = parquet_traces(spark, PLAN, ParquetInput(folder, ColumnNames("at", "n"), 2))
    assert rows_read(source) == [("all piece 0", [-10], [1])]


def test_other_files_than_parquet_are_refused(spark: Session, tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_text("no")
    for path in (tmp_path, tmp_path / "none", tmp_path / "a.parquet"):
        with pytest.raises(InvalidInputError, match="Parquet file"):
            parquet_traces(spark, PLAN, ParquetInput(path, ColumnNames("at", "n"), 2))


def test_the_flights_are_compared(spark: Session, tmp_path: Path) -> None:
    plan = replace(PLAN, against=parse_implementations(f"scotty-lazy,{NATIVE}"))
    columns, file = ColumnNames("left", "delay", "origin"), write_flights(tmp_path, 1000)
    source = parquet_traces(spark, plan, ParquetInput(file, columns, 100))
    tally = run_chunks(source, plan, lambda _: None)
    assert (tally.counter(NATIVE)["rows"], tally.wrong) == (1000, [])
    assert tally.counter()["late"] > 30


def test_a_stopped_run_resumes_from_its_journal(
    spark: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("muntin.differential.inputs.sources.CHUNK_ROWS", 200)
    plan = replace(PLAN, rows=600, keys=6, against=parse_implementations("spec,scotty-lazy"))
    source, path = generated_traces(spark, plan), tmp_path / "runs" / "journal.jsonl"
    total = run_chunks(source, plan, lambda _: None, Journal(path, source.run))
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:2]) + "\n" + lines[2][:50])
    compared: list[object] = []
    monkeypatch.setattr("muntin.differential.spark.driver.compare_frame", recording(compared))
    again = run_chunks(source, plan, lambda _: None, Journal(path, source.run))
    assert (len(lines), len(compared)) == (3, 1)
    assert again.counts == total.counts
    assert len(path.read_text().splitlines()) == 3
    other = Journal(path, generated_traces(spark, replace(plan, seed=2)).run)
    assert other.tally_of(0) is None


def recording(compared: list[object]) -> Callable[[Frame, DiffPlan], Tally]:
    def compare(frame: Frame, plan: DiffPlan) -> Tally:
        compared.append(frame)
        return compare_frame(frame, plan)

    return compare


def test_the_command_runs_all_sources_and_streams(
    spark: Session,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    @contextmanager
    def shared(_: str) -> Generator[Session]:
        yield spark

    monkeypatch.setattr("muntin.registry.dataframes.session.session", shared)
    written(tmp_path, one=GOOD)
    queries = ["--windows", "tumbling:60:sum", "--against", f"spec,scotty-fiba,{NATIVE}"]
    source = ["--input", str(tmp_path / "one.parquet"), "--time", "at", "--value", "n"]
    output = ["--out", str(tmp_path / "out"), "--seed", "1", "--streaming"]
    assert main(["diff", "--rows", "200", *queries, *source, *output]) == 0
    text = capsys.readouterr().out
    assert "Rows made from seed 1: 200 rows of 2 traces" in text
    assert "one.parquet: 3 rows of 1 traces" in text
    assert "tumbling:60:sum in update mode: 10 micro-batches" in text
    assert "Everything agrees." in text
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.count("<section>") == 3
    assert "http" not in page
    (tmp_path / "file").write_text("")
    assert main(["diff", "--rows", "10", "--out", str(tmp_path / "file")]) == 2
    assert "file can't be written: File exists" in capsys.readouterr().err
    assert main(["diff", "--rows", "10", "--keys", "20"]) == 2
    assert "--keys must be at most --rows" in capsys.readouterr().err
