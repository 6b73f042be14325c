"""Spark's own windows over streams: where they agree with the specification, and where not."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException

from muntin.cli.main import main
from muntin.differential import shrinking
from muntin.differential import stream_expectations as streams
from muntin.differential.plan import DiffPlan, parse_query
from muntin.differential.shrinking import shrink_stream
from muntin.differential.spark.native_streams import NativeStream, StreamTrial
from muntin.differential.stream_expectations import (
    STREAM_DIALECT,
    Arrival,
    Batches,
    append_emissions,
    arrivals,
    differing_steps,
    steps,
    update_emissions,
    watermarks,
)
from muntin.registry.dataframes.native_windows import NativeQuery, native_query
from muntin.registry.dataframes.session import Session
from muntin.spec.denotation import denote
from muntin.spec.query import Settings
from muntin.spec.stream import Step

PLAN = DiffPlan(rows=240, keys=4, batch=40, delay=30)
WINDOWS = "sliding:120:60:max"


def native(text: str) -> NativeQuery:
    query = native_query(parse_query(text))
    assert isinstance(query, NativeQuery)
    return query


def test_append_mode_is_our_final(spark: Session) -> None:
    rows = arrivals(PLAN)
    expected = append_emissions(parse_query(WINDOWS), rows, PLAN.delay)
    got = NativeStream(native(WINDOWS), PLAN.delay, "append").run(spark, rows)
    assert differing_steps(expected, got) == []
    assert sum(map(len, got)) > 15
    late = denote([parse_query(WINDOWS)], steps(rows, PLAN.delay), Settings(dialect=STREAM_DIALECT))
    assert sum(len(output.late) for output in late) > 0


def test_update_mode_emits_windows_before_they_are_complete(spark: Session) -> None:
    rows = arrivals(PLAN)
    expected = update_emissions(parse_query(WINDOWS), rows, PLAN.delay)
    got = NativeStream(native(WINDOWS), PLAN.delay, "update").run(spark, rows)
    assert differing_steps(expected, got) == []
    marks = [0, 0, *watermarks(rows, PLAN.delay)]
    early = [
        one for batch, mark in zip(got, marks, strict=False) for one in batch if one.end > mark
    ]
    assert len(early) > 15


def test_the_last_update_of_a_window_is_what_append_mode_emits() -> None:
    rows, query = arrivals(PLAN), parse_query(WINDOWS)
    last = {(one.key, one.start): one for step in update_emissions(query, rows, 30) for one in step}
    final = [one for step in append_emissions(query, rows, 30) for one in step]
    assert len(final) > 15
    assert [last[one.key, one.start] for one in final] == final


GAP = "session:20:count"
TRACE = [[Arrival("k", t, 1)] for t in (100, 118, 124, 124, 104, 500, 500, 500)]


def test_spark_drops_late_rows_before_it_merges_sessions(spark: Session) -> None:
    """At watermark 124 the session [100, 144) is open; 104 belongs to it, and alone ends at 124."""
    query = parse_query(GAP)
    by_window = denote([query], steps(TRACE, 0), Settings(0, "final", dialect=STREAM_DIALECT))
    assert [(o.start, o.end, o.value) for out in by_window for o in out.results] == [(100, 144, 5)]
    got = NativeStream(native(GAP), 0, "append").run(spark, TRACE)
    assert [(one.start, one.end, one.value) for step in got for one in step] == [(100, 144, 4)]
    assert differing_steps(append_emissions(query, TRACE, 0), got) == []


def test_sessions_of_spark_are_otherwise_those_of_the_dialect(spark: Session) -> None:
    rows = arrivals(replace(PLAN, seed=3))
    got = NativeStream(native(GAP), PLAN.delay, "append").run(spark, rows)
    assert differing_steps(append_emissions(parse_query(GAP), rows, PLAN.delay), got) == []
    assert sum(map(len, got)) > 5


def test_sessions_in_update_mode_are_refused_by_spark(spark: Session) -> None:
    with pytest.raises(AnalysisException, match="update"):
        NativeStream(native(GAP), 0, "update").run(spark, TRACE)


def test_a_wrong_stream_is_shrunk(
    spark: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Late rows stay in the expectation here, so the run finds the difference of Spark again."""

    def with_late_rows(stream: Sequence[Step], _: int) -> Iterator[Step]:
        yield from stream

    monkeypatch.setattr(streams, "_without_late_rows", with_late_rows)
    monkeypatch.setattr(shrinking, "MAX_STREAMS", 3)
    outcome = StreamTrial(spark, parse_query(GAP), native(GAP), "append", 0).outcome(TRACE)
    assert "WRONG: step 6: missing" in str(outcome)
    assert outcome.mismatch
    assert outcome.mismatch.events < 8
    path = outcome.mismatch.save(tmp_path)
    assert outcome.mismatch.replay_command(path) == f"muntin replay {path} --check"
    assert main(["replay", str(path), "--check"]) == 0


def test_streams_shrink_within_the_limit_of_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, tried = [[Arrival("k", t, 1) for t in range(n, n + 10)] for n in range(0, 80, 10)], [0]

    def wrong(batches: Batches) -> list[str]:
        tried[0] += 1
        times = {row.t for batch in batches for row in batch}
        return [f"of {len(times)}"] if {13, 55} <= times else []

    small, what = shrink_stream(rows, wrong)
    assert [[row.t for row in batch] for batch in small] == [[13], [55]]
    assert (what, tried[0] <= shrinking.MAX_STREAMS) == ("of 2", True)
    monkeypatch.setattr(shrinking, "MAX_STREAMS", 5)
    tried[0] = 0
    small, what = shrink_stream(rows, wrong)
    assert 2 < sum(map(len, small)) < 80
    assert (what, tried[0]) == (f"of {sum(map(len, small))}", 5)


def test_differing_steps_are_reported() -> None:
    rows = arrivals(replace(PLAN, rows=80))
    expected = append_emissions(parse_query(GAP), rows, 30)
    assert differing_steps(expected, [[*step] for step in expected]) == []
    first = next(index for index, step in enumerate(expected) if step)
    fewer = [[*step][1:] if index == first else [*step] for index, step in enumerate(expected)]
    twice = [[*step, *step] for step in expected]
    assert differing_steps(expected, fewer)[0].startswith(f"step {first}: missing [NativeEmission(")
    assert differing_steps(expected, twice)
