"""Spark's own windows over streams: where they are the specification's, and where they differ."""

from dataclasses import replace

import pytest
from pyspark.errors import AnalysisException

from muntin.cli.differential.plan import Plan, asked
from muntin.cli.differential.streams import (
    STREAM,
    appended,
    arrivals,
    parted,
    steps,
    updated,
    watermarks,
)
from muntin.spark.differential.arrivals import Arrival
from muntin.spark.differential.native_queries import NativeQuery, translated
from muntin.spark.differential.session import Session
from muntin.spark.differential.streaming import Streamed
from muntin.spec.denotation import denote
from muntin.spec.query import Settings

PLAN = Plan(rows=240, keys=4, batch=40, delay=30)
WINDOWS = "sliding:120:60:max"


def native(text: str) -> NativeQuery:
    found = translated(asked(text))
    assert isinstance(found, NativeQuery)
    return found


def test_append_mode_is_our_final(spark: Session) -> None:
    rows = arrivals(PLAN)
    wanted = appended(asked(WINDOWS), rows, PLAN.delay)
    got = Streamed(native(WINDOWS), PLAN.delay, "append").run(spark, rows)
    assert parted(wanted, got) == []
    assert sum(map(len, got)) > 15
    late = denote([asked(WINDOWS)], steps(rows, PLAN.delay), Settings(dialect=STREAM))
    assert sum(len(output.late) for output in late) > 0


def test_update_mode_tells_of_windows_before_they_are_complete(spark: Session) -> None:
    rows = arrivals(PLAN)
    wanted = updated(asked(WINDOWS), rows, PLAN.delay)
    got = Streamed(native(WINDOWS), PLAN.delay, "update").run(spark, rows)
    assert parted(wanted, got) == []
    marks = [0, 0, *watermarks(rows, PLAN.delay)]
    early = [
        one for batch, mark in zip(got, marks, strict=False) for one in batch if one.end > mark
    ]
    assert len(early) > 15


def test_what_update_mode_tells_last_is_what_append_mode_tells() -> None:
    rows, query = arrivals(PLAN), asked(WINDOWS)
    last = {(one.key, one.start): one for step in updated(query, rows, 30) for one in step}
    final = [one for step in appended(query, rows, 30) for one in step]
    assert len(final) > 15
    assert [last[one.key, one.start] for one in final] == final


GAP = "session:20:count"
TRACE = [[Arrival("k", t, 1)] for t in (100, 118, 124, 124, 104, 500, 500, 500)]


def test_spark_drops_what_is_late_before_it_merges_sessions(spark: Session) -> None:
    """At watermark 124 the session [100, 144) is open; 104 belongs to it, and alone ends at 124."""
    query = asked(GAP)
    by_window = denote([query], steps(TRACE, 0), Settings(0, "final", dialect=STREAM))
    assert [(o.start, o.end, o.value) for out in by_window for o in out.results] == [(100, 144, 5)]
    got = Streamed(native(GAP), 0, "append").run(spark, TRACE)
    assert [(one.start, one.end, one.value) for step in got for one in step] == [(100, 144, 4)]
    assert parted(appended(query, TRACE, 0), got) == []


def test_but_for_that_its_sessions_are_those_of_the_dialect(spark: Session) -> None:
    rows = arrivals(replace(PLAN, seed=3))
    got = Streamed(native(GAP), PLAN.delay, "append").run(spark, rows)
    assert parted(appended(asked(GAP), rows, PLAN.delay), got) == []
    assert sum(map(len, got)) > 5


def test_sessions_in_update_mode_are_refused_by_spark(spark: Session) -> None:
    with pytest.raises(AnalysisException, match="update"):
        Streamed(native(GAP), 0, "update").run(spark, TRACE)


def test_partings_are_told() -> None:
    rows = arrivals(replace(PLAN, rows=80))
    wanted = appended(asked(GAP), rows, 30)
    assert parted(wanted, [[*step] for step in wanted]) == []
    nth = next(nth for nth, step in enumerate(wanted) if step)
    less = [[*step][1:] if at == nth else [*step] for at, step in enumerate(wanted)]
    twice = [[*step, *step] for step in wanted]
    assert parted(wanted, less)[0].startswith(f"step {nth}: missing [Told(")
    assert parted(wanted, twice)
