"""Streaming without a cluster: the stateful processor, held to the denotation at each micro-batch.

Spark's own tester keeps state and timers in memory. One unit of time is a millisecond here.
"""

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.types import LongType

from muntin.snapshot import SnapshotError
from muntin.spark.call.aggregate_arguments import AggregateSpec
from muntin.spark.call.analysis import InputColumns
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.streaming import processor
from muntin.spark.streaming.bucket_ids import bucket_ids
from muntin.spark.streaming.shuffle_payload import CONTROL_BUCKET, HEAD, ShuffleEncoder
from muntin.spec.query import DEFAULTS, Settings
from muntin.spec.windows.data_driven import Punctuation, Rolling, Session
from muntin.spec.windows.periodic import Cumulate, Landmark, Sliding, count, tumbling
from muntin.spec.windows.window import WindowType
from spark_support.cluster import BUCKETS, Cluster, in_memory, sent, unpacked
from spark_support.micro_batches import (
    HOW,
    IN_DIALECTS,
    SETTINGS,
    TRACES,
    MicroBatch,
    held_to_the_denotation,
)
from spark_support.tables import (
    FRAMES,
    HOLISTIC,
    MERGED,
    OF_ONE,
    Row,
    bands,
    cumulates,
    kinds,
    plan_of,
    slidings,
)
from spark_support.user_aggregates import OWN

pandas = import_module("pandas")
pytestmark = pytest.mark.usefixtures("one_unit_is_a_millisecond")

OVER_COLUMNS: Mapping[str, AggregateSpec] = {**MERGED, "middle": ("median", "v")}
"""Aggregates that have a form over columns; the median needs single rows."""
OF_COLUMNS: Mapping[str, AggregateSpec] = {"rows": "count", "sum": ("sum", "v")}
WANTED = st.sampled_from([{**MERGED, **HOLISTIC}, OVER_COLUMNS, MERGED, OF_COLUMNS, OWN])


@given(st.lists(kinds(), min_size=1, max_size=3), WANTED, SETTINGS | IN_DIALECTS, TRACES, HOW)
def test_each_micro_batch_says_what_the_denotation_says(
    windows: list[WindowType],
    wanted: Mapping[str, AggregateSpec],
    settings: Settings,
    trace: list[MicroBatch],
    how: tuple[int, int, int],
) -> None:
    framed = any(isinstance(one, FRAMES) for one in windows)
    named = {f"w{nth}": one for nth, one in enumerate(windows)}
    plan = plan_of(named, OF_ONE if framed else wanted, settings)
    held_to_the_denotation(plan, trace, *how)


def test_what_a_worker_has_imported_is_frozen_once(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen = list[None]()
    monkeypatch.setattr("gc.freeze", lambda: frozen.append(None))
    processor.freeze_once.cache_clear()
    for _ in range(3):
        Cluster(plan_of({"w": tumbling(2)}, OF_ONE))
    assert len(frozen) == 1


PASSING = st.one_of(
    slidings(),
    st.builds(Session, st.integers(1, 9)),
    st.builds(Rolling, st.integers(1, 9)),
    cumulates(),
    bands(),
)
"""Windows of which nothing remains when they are over."""


@given(
    st.lists(PASSING, min_size=1, max_size=3),
    st.sampled_from([OF_ONE, OVER_COLUMNS]),
    SETTINGS,
    TRACES,
    HOW,
)
def test_a_key_is_let_go_when_its_windows_are_over(
    windows: list[WindowType],
    wanted: Mapping[str, AggregateSpec],
    settings: Settings,
    trace: list[MicroBatch],
    how: tuple[int, int, int],
) -> None:
    named = {f"w{nth}": one for nth, one in enumerate(windows)}
    plan = plan_of(named, wanted, settings)
    quiet: list[MicroBatch] = [([], 30), ([], 30), ([], 30), ([], 1000)]
    cluster = held_to_the_denotation(plan, [*trace, *quiet], *how)
    assert [cluster.state(bucket) for bucket in bucket_ids(BUCKETS)] == [None] * BUCKETS
    assert [cluster.pieces(bucket) for bucket in bucket_ids(BUCKETS)] == [{}] * BUCKETS
    assert cluster.timers() == []
    held_to_the_denotation(plan, [*trace, ([], 1000), *trace])


@given(TRACES)
def test_gaps_and_marks_of_the_rows_themselves(trace: list[MicroBatch]) -> None:
    reads = InputColumns("t", ("k",), gap="g", mark="p")
    windows = {"s": Session(3), "p": Punctuation(), "n": count(3)}
    held_to_the_denotation(plan_of(windows, HOLISTIC, Settings(3), reads), trace)


def row(key: str, time: int, value: int) -> Row:
    return (key, 0, time, value, None, None, None, False)


def test_rows_of_one_time_stay_in_their_order_of_arrival() -> None:
    cluster = Cluster(plan_of({"w": tumbling(10)}, {"all": ("collect", "v")}))
    cluster.step([row("a", 5, value) for value in (3, 1, 4, 2)], 1)
    assert [line.values for line in cluster.step([], 10)] == [((3.0, 1.0, 4.0, 2.0),)]


def test_windows_are_told_of_as_soon_as_they_end() -> None:
    first = [row("a", 1, 1), row("a", 4, 2), row("b", 10, 3)]
    for windows in ({"w": tumbling(3)}, {"w": Cumulate(4, 2)}, {"w": Landmark(0, 3)}):
        plan = plan_of(windows, OF_ONE)
        trace: list[MicroBatch] = [(first, 1), *(([], 1) for _ in range(15))]
        held_to_the_denotation(plan, trace)


def test_what_is_not_due_is_not_written_anew() -> None:
    cluster = Cluster(plan_of({"w": tumbling(10)}, OF_ONE))
    cluster.step([row("a", 5, 1), row("b", 25, 1)], 0)
    before = cluster.kept()
    assert cluster.step([], 10)
    after = cluster.kept()
    assert after["b", 0] == before["b", 0]
    assert after["a", 0] != before["a", 0]
    assert min(cluster.timers()) > 10
    cluster.step([], 16)
    assert set(cluster.kept()) == {("b", 0)}
    assert cluster.timers() == [30]


def test_late_rows_are_told_with_what_they_hold() -> None:
    plan = plan_of({"w": tumbling(10)}, {"sum": ("sum", "v"), "real": ("sum", "w")})
    cluster = Cluster(plan)
    payload = sent(cluster.packing, [row("a", 7, 3)], 0)[-1]
    cluster.step([], 20)
    frame = pandas.DataFrame({"bucket": payload[0], "payload": [payload[1]]})
    batches = unpacked(cluster.tester.testInPandas(payload[0], frame))
    late = [r["late"] for one in batches for r in getattr(one, "to_pylist")()]  # noqa: B009 - Arrow
    assert late == [{"t": 7, "v": 3, "w": None}]


def drifted(plan: AggregationPlan) -> AggregationPlan:
    """Return a plan over a column that has changed its type."""
    return replace(plan, types={**plan.types, "v": LongType()})


@pytest.mark.parametrize(
    ("other", "names"),
    [
        (plan_of({"w": tumbling(20)}, OF_ONE), "size=10.*size=20"),
        (plan_of({"w": tumbling(10)}, {"rows": "count"}), "sum = sum"),
        (plan_of({"w": tumbling(10)}, OF_ONE, Settings(7)), "lateness 0.*lateness 7"),
        (
            plan_of({"w": tumbling(10)}, OF_ONE, DEFAULTS, InputColumns("t", ("k",))),
            "the keys k, j",
        ),
        (drifted(plan_of({"w": tumbling(10)}, OF_ONE)), "v: int;.*v: bigint"),
    ],
)
@pytest.mark.parametrize("bucket", [CONTROL_BUCKET, *bucket_ids(BUCKETS)])
def test_a_state_of_another_call_is_refused(
    other: AggregationPlan, names: str, bucket: int
) -> None:
    before, after = Cluster(plan_of({"w": tumbling(10)}, OF_ONE)), Cluster(other)
    before.step([row(key, 5, 1) for key in "abcdefgh"], 0)
    after.tester.updateValueState("state", bucket, (before.state(bucket),))
    payloads = dict(sent(after.packing, [row(key, 5, 1) for key in "abcdefgh"], 0))
    frame = pandas.DataFrame({"bucket": bucket, "payload": [payloads[bucket]]})
    with pytest.raises(SnapshotError, match=names):
        after.tester.testInPandas(bucket, frame)


def test_another_number_of_buckets_is_refused() -> None:
    plan = plan_of({"w": tumbling(10)}, OF_ONE)
    before, after = (
        Cluster(plan),
        in_memory(ShuffleEncoder(replace(plan, late="rows"), 2 * BUCKETS)),
    )
    before.step([row("a", 5, 1)], 0)
    after.updateValueState("state", CONTROL_BUCKET, (before.state(CONTROL_BUCKET),))
    with pytest.raises(SnapshotError, match=r"buckets 2; now .* buckets 4"):
        after.testInPandas(
            CONTROL_BUCKET, pandas.DataFrame({"bucket": [CONTROL_BUCKET], "payload": [b""]})
        )


@given(st.integers(0, 10**9), st.integers(1, 255))
def test_a_damaged_state_is_refused(place: int, change: int) -> None:
    plan = plan_of({"w": tumbling(10), "s": Session(4)}, OF_ONE)
    cluster = Cluster(plan)
    cluster.step([row("a", 5, 1), row("b", 25, 1)], 3)
    for bucket in (CONTROL_BUCKET, *bucket_ids(BUCKETS)):
        if (whole := cluster.state(bucket)) is None:
            continue
        data = bytearray(whole)
        data[place % len(data)] ^= change
        cluster.tester.updateValueState("state", bucket, (bytes(data),))
        frame = pandas.DataFrame({"bucket": [bucket], "payload": [HEAD.pack(0, 0, 0)]})
        with pytest.raises(SnapshotError):
            cluster.tester.testInPandas(bucket, frame)


@given(st.integers(0, 10**9), st.integers(1, 255), st.sampled_from([OF_ONE, OF_COLUMNS]))
def test_a_damaged_or_missing_piece_is_refused(
    place: int, change: int, wanted: Mapping[str, AggregateSpec]
) -> None:
    cluster = Cluster(plan_of({"w": tumbling(10)}, wanted))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("muntin.spark.streaming.bucket.INLINE_STATE_LIMIT", 0)
        cluster.step([row("a", 5, 1), row("b", 25, 1)], 3)
    bucket = next(one for one in bucket_ids(BUCKETS) if cluster.pieces(one))
    pieces = cluster.pieces(bucket)
    name = sorted(pieces)[place % len(pieces)]
    data = bytearray(pieces[name])
    data[place % len(data)] ^= change
    payloads = dict(sent(cluster.packing, [row(key, 25, 1) for key in "ab"], 0))
    frame = pandas.DataFrame({"bucket": [bucket], "payload": [payloads[bucket]]})
    for held in ({**pieces, name: bytes(data)}, {n: p for n, p in pieces.items() if n != name}):
        cluster.tester.updateMapState("pieces", bucket, {(n,): (p,) for n, p in held.items()})
        with pytest.raises(SnapshotError):
            cluster.tester.testInPandas(bucket, frame)


def test_a_stretch_of_time_that_is_not_touched_is_not_written_anew() -> None:
    plan = plan_of({"w": Sliding(10**6, 10)}, OF_COLUMNS, DEFAULTS, InputColumns("t"))
    cluster = Cluster(plan)
    # what follows a rule is packed into next to nothing
    values = Random(1)  # noqa: S311 - no secrets
    cluster.step([row("a", at, values.randrange(10**6)) for at in range(0, 80_000, 5)], 1)
    before = {n: p for one in bucket_ids(BUCKETS) for n, p in cluster.pieces(one).items()}
    cluster.step([row("a", 80_000, 1)], 2)
    after = {n: p for one in bucket_ids(BUCKETS) for n, p in cluster.pieces(one).items()}
    changed = {name for name, piece in after.items() if before.get(name) != piece}
    assert sum("cells" in name for name in before) > 3
    assert sum("cells" in name for name in changed) <= 2
    assert sum(len(after[name]) for name in changed) < sum(map(len, after.values())) / 4


def test_a_bucket_that_has_nothing_to_say_writes_nothing() -> None:
    cluster = Cluster(plan_of({"w": Session(100)}, OF_COLUMNS))
    cluster.step([row("a", 5, 1)], 1)
    before = [(cluster.state(one), cluster.pieces(one)) for one in bucket_ids(BUCKETS)]
    assert cluster.step([], 50) == []
    assert [(cluster.state(one), cluster.pieces(one)) for one in bucket_ids(BUCKETS)] == before
    assert [line.end for line in cluster.step([], 105)] == [105]
