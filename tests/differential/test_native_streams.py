"""Spark's own windows over streams: where they are the specification's, and where they differ."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException

from muntin.cli.main import main
from muntin.differential import stream_expectations as streams
from muntin.differential import streams_smaller
from muntin.differential.plan import DiffPlan, asked
from muntin.differential.spark.native_streams import Arrival
from muntin.differential.spark.streaming import NativeStream
from muntin.differential.stream_expectations import (
    STREAM,
    Batches,
    appended,
    arrivals,
    differing_batches,
    steps,
    updated,
    watermarks,
)
from muntin.differential.streaming import StreamTrial
from muntin.differential.streams_smaller import smallest
from muntin.registry.dataframes.native_queries import NativeQuery, translated
from muntin.registry.dataframes.session import Session
from muntin.spec.denotation import denote
from muntin.spec.query import Settings
from muntin.spec.stream import Step

PLAN = DiffPlan(rows=240, keys=4, batch=40, delay=30)
WINDOWS = "sliding:120:60:max"


def native(text: str) -> NativeQuery:
    found = translated(asked(text))
    assert isinstance(found, NativeQuery)
    return found


def test_append_mode_is_our_final(spark: Session) -> None:
    rows = arrivals(PLAN)
    wanted = appended(asked(WINDOWS), rows, PLAN.delay)
    got = NativeStream(native(WINDOWS), PLAN.delay, "append").run(spark, rows)
    assert differing_batches(wanted, got) == []
    assert sum(map(len, got)) > 15
    late = denote([asked(WINDOWS)], steps(rows, PLAN.delay), Settings(dialect=STREAM))
    assert sum(len(output.late) for output in late) > 0


def test_update_mode_tells_of_windows_before_they_are_complete(spark: Session) -> None:
    rows = arrivals(PLAN)
    wanted = updated(asked(WINDOWS), rows, PLAN.delay)
    got = NativeStream(native(WINDOWS), PLAN.delay, "update").run(spark, rows)
    assert differing_batches(wanted, got) == []
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
    got = NativeStream(native(GAP), 0, "append").run(spark, TRACE)
    assert [(one.start, one.end, one.value) for step in got for one in step] == [(100, 144, 4)]
    assert differing_batches(appended(query, TRACE, 0), got) == []


def test_but_for_that_its_sessions_are_those_of_the_dialect(spark: Session) -> None:
    rows = arrivals(replace(PLAN, seed=3))
    got = NativeStream(native(GAP), PLAN.delay, "append").run(spark, rows)
    assert differing_batches(appended(asked(GAP), rows, PLAN.delay), got) == []
    assert sum(map(len, got)) > 5


def test_sessions_in_update_mode_are_refused_by_spark(spark: Session) -> None:
    with pytest.raises(AnalysisException, match="update"):
        NativeStream(native(GAP), 0, "update").run(spark, TRACE)


def test_a_stream_that_is_wrong_is_made_small(
    spark: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Spark drops is not taken away here: so the finding is found again, by the run."""

    def nothing_is_dropped(given: Sequence[Step], _: int) -> Iterator[Step]:
        yield from given

    monkeypatch.setattr(streams, "_dropped_alone", nothing_is_dropped)
    monkeypatch.setattr(streams_smaller, "TRIES", 3)
    found = StreamTrial(spark, asked(GAP), native(GAP), "append", 0).found(TRACE)
    assert "WRONG: step 6: missing" in str(found)
    assert found.mismatch
    assert found.mismatch.events < 8
    path = found.mismatch.save(tmp_path)
    assert found.mismatch.again(path) == f"muntin replay {path} --check"
    assert main(["replay", str(path), "--check"]) == 0


def test_streams_are_made_small_in_so_many_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, tried = [[Arrival("k", t, 1) for t in range(n, n + 10)] for n in range(0, 80, 10)], [0]

    def wrong(batches: Batches) -> list[str]:
        tried[0] += 1
        times = {row.t for batch in batches for row in batch}
        return [f"of {len(times)}"] if {13, 55} <= times else []

    small, what = smallest(rows, wrong)
    assert [[row.t for row in batch] for batch in small] == [[13], [55]]
    assert (what, tried[0] <= streams_smaller.TRIES) == ("of 2", True)
    monkeypatch.setattr(streams_smaller, "TRIES", 5)
    tried[0] = 0
    small, what = smallest(rows, wrong)
    assert 2 < sum(map(len, small)) < 80
    assert (what, tried[0]) == (f"of {sum(map(len, small))}", 5)


def test_partings_are_told() -> None:
    rows = arrivals(replace(PLAN, rows=80))
    wanted = appended(asked(GAP), rows, 30)
    assert differing_batches(wanted, [[*step] for step in wanted]) == []
    nth = next(nth for nth, step in enumerate(wanted) if step)
    less = [[*step][1:] if at == nth else [*step] for at, step in enumerate(wanted)]
    twice = [[*step, *step] for step in wanted]
    assert differing_batches(wanted, less)[0].startswith(f"step {nth}: missing [NativeEmission(")
    assert differing_batches(wanted, twice)
