"""Streaming without a cluster: the stateful processor against the denotation, by micro-batch.

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

from muntin.columnar.aggregate_requests import AggregateSpec
from muntin.columnar.arguments import InputColumns
from muntin.snapshot import SnapshotError
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.streaming import processor
from muntin.spark.streaming.processor import CHUNK_STATE, HEADER_STATE
from muntin.spark.streaming.shuffle_payload import (
    CONTROL_BUCKET,
    PAYLOAD_HEADER,
    ShuffleEncoder,
    bucket_ids,
)
from muntin.spec.query import DEFAULTS, Settings
from muntin.spec.windows.data_driven import Punctuation, Rolling, Session
from muntin.spec.windows.periodic import Cumulate, Landmark, Sliding, count, tumbling
from muntin.spec.windows.window import WindowType
from spark_support.cluster import (
    BUCKETS,
    Cluster,
    output_batches,
    payloads_of_task,
    processor_tester,
)
from spark_support.micro_batches import (
    IN_DIALECTS,
    SETTINGS,
    STORAGE,
    TRACES,
    MicroBatch,
    check_micro_batches,
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

WITH_MEDIAN: Mapping[str, AggregateSpec] = {**MERGED, "middle": ("median", "v")}
"""Aggregates that the columnar engine supports; the median needs single rows."""
COUNT_AND_SUM: Mapping[str, AggregateSpec] = {"rows": "count", "sum": ("sum", "v")}
AGGREGATES = st.sampled_from([{**MERGED, **HOLISTIC}, WITH_MEDIAN, MERGED, COUNT_AND_SUM, OWN])


@given(
    st.lists(kinds(), min_size=1, max_size=3), AGGREGATES, SETTINGS | IN_DIALECTS, TRACES, STORAGE
)
def test_each_micro_batch_emits_what_the_denotation_emits(
    windows: list[WindowType],
    aggregates: Mapping[str, AggregateSpec],
    settings: Settings,
    trace: list[MicroBatch],
    storage: tuple[int, int, int],
) -> None:
    has_frames = any(isinstance(kind, FRAMES) for kind in windows)
    by_id = {f"w{i}": kind for i, kind in enumerate(windows)}
    plan = plan_of(by_id, OF_ONE if has_frames else aggregates, settings)
    check_micro_batches(plan, trace, *storage)


def test_imports_of_a_worker_are_frozen_once(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen = list[None]()
    monkeypatch.setattr("gc.freeze", lambda: frozen.append(None))
    processor.freeze_imports_once.cache_clear()
    for _ in range(3):
        Cluster(plan_of({"w": tumbling(2)}, OF_ONE))
    assert len(frozen) == 1


EXPIRING = st.one_of(
    slidings(),
    st.builds(Session, st.integers(1, 9)),
    st.builds(Rolling, st.integers(1, 9)),
    cumulates(),
    bands(),
)
"""Windows that leave no state when they are final."""


@given(
    st.lists(EXPIRING, min_size=1, max_size=3),
    st.sampled_from([OF_ONE, WITH_MEDIAN]),
    SETTINGS,
    TRACES,
    STORAGE,
)
def test_a_key_expires_when_its_windows_are_final(
    windows: list[WindowType],
    aggregates: Mapping[str, AggregateSpec],
    settings: Settings,
    trace: list[MicroBatch],
    storage: tuple[int, int, int],
) -> None:
    by_id = {f"w{i}": kind for i, kind in enumerate(windows)}
    plan = plan_of(by_id, aggregates, settings)
    quiet: list[MicroBatch] = [([], 30), ([], 30), ([], 30), ([], 1000)]
    cluster = check_micro_batches(plan, [*trace, *quiet], *storage)
    assert [cluster.header(bucket) for bucket in bucket_ids(BUCKETS)] == [None] * BUCKETS
    assert [cluster.chunks(bucket) for bucket in bucket_ids(BUCKETS)] == [{}] * BUCKETS
    assert cluster.timers() == []
    check_micro_batches(plan, [*trace, ([], 1000), *trace])


@given(TRACES)
def test_gaps_and_marks_of_the_rows_themselves(trace: list[MicroBatch]) -> None:
    reads = InputColumns("t", ("k",), gap="g", mark="p")
    windows = {"s": Session(3), "p": Punctuation(), "n": count(3)}
    check_micro_batches(plan_of(windows, HOLISTIC, Settings(3), reads), trace)


def row(key: str, time: int, value: int) -> Row:
    return (key, 0, time, value, None, None, None, False)


def test_rows_of_one_time_stay_in_their_order_of_arrival() -> None:
    cluster = Cluster(plan_of({"w": tumbling(10)}, {"all": ("collect", "v")}))
    cluster.step([row("a", 5, value) for value in (3, 1, 4, 2)], 1)
    assert [line.values for line in cluster.step([], 10)] == [((3.0, 1.0, 4.0, 2.0),)]


def test_windows_are_emitted_as_soon_as_they_end() -> None:
    first = [row("a", 1, 1), row("a", 4, 2), row("b", 10, 3)]
    for windows in ({"w": tumbling(3)}, {"w": Cumulate(4, 2)}, {"w": Landmark(0, 3)}):
        plan = plan_of(windows, OF_ONE)
        trace: list[MicroBatch] = [(first, 1), *(([], 1) for _ in range(15))]
        check_micro_batches(plan, trace)


def test_keys_without_a_due_timer_are_not_written_again() -> None:
    cluster = Cluster(plan_of({"w": tumbling(10)}, OF_ONE))
    cluster.step([row("a", 5, 1), row("b", 25, 1)], 0)
    before = cluster.key_chunks()
    assert cluster.step([], 10)
    after = cluster.key_chunks()
    assert after["b", 0] == before["b", 0]
    assert after["a", 0] != before["a", 0]
    assert min(cluster.timers()) > 10
    cluster.step([], 16)
    assert set(cluster.key_chunks()) == {("b", 0)}
    assert cluster.timers() == [30]


def test_late_rows_are_emitted_with_their_columns() -> None:
    plan = plan_of({"w": tumbling(10)}, {"sum": ("sum", "v"), "real": ("sum", "w")})
    cluster = Cluster(plan)
    payload = payloads_of_task(cluster.encoder, [row("a", 7, 3)], 0)[-1]
    cluster.step([], 20)
    frame = pandas.DataFrame({"bucket": payload[0], "payload": [payload[1]]})
    batches = output_batches(cluster.tester.testInPandas(payload[0], frame))
    late = [r["late"] for batch in batches for r in getattr(batch, "to_pylist")()]  # noqa: B009 - Arrow
    assert late == [{"t": 7, "v": 3, "w": None}]


def with_other_type(plan: AggregationPlan) -> AggregationPlan:
    """The plan of a table in which a column has another type."""
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
        (with_other_type(plan_of({"w": tumbling(10)}, OF_ONE)), "v: int;.*v: bigint"),
    ],
)
@pytest.mark.parametrize("bucket", [CONTROL_BUCKET, *bucket_ids(BUCKETS)])
def test_a_state_of_another_call_is_refused(
    other: AggregationPlan, names: str, bucket: int
) -> None:
    before, after = Cluster(plan_of({"w": tumbling(10)}, OF_ONE)), Cluster(other)
    before.step([row(key, 5, 1) for key in "abcdefgh"], 0)
    after.tester.updateValueState(HEADER_STATE, bucket, (before.header(bucket),))
    payloads = dict(payloads_of_task(after.encoder, [row(key, 5, 1) for key in "abcdefgh"], 0))
    frame = pandas.DataFrame({"bucket": bucket, "payload": [payloads[bucket]]})
    with pytest.raises(SnapshotError, match=names):
        after.tester.testInPandas(bucket, frame)


def test_another_number_of_buckets_is_refused() -> None:
    plan = plan_of({"w": tumbling(10)}, OF_ONE)
    before, after = (
        Cluster(plan),
        processor_tester(ShuffleEncoder(replace(plan, late="rows"), 2 * BUCKETS)),
    )
    before.step([row("a", 5, 1)], 0)
    after.updateValueState(HEADER_STATE, CONTROL_BUCKET, (before.header(CONTROL_BUCKET),))
    with pytest.raises(SnapshotError, match=r"buckets 2; this call has .* buckets 4"):
        after.testInPandas(
            CONTROL_BUCKET, pandas.DataFrame({"bucket": [CONTROL_BUCKET], "payload": [b""]})
        )


@given(st.integers(0, 10**9), st.integers(1, 255))
def test_a_damaged_state_is_refused(place: int, change: int) -> None:
    plan = plan_of({"w": tumbling(10), "s": Session(4)}, OF_ONE)
    cluster = Cluster(plan)
    cluster.step([row("a", 5, 1), row("b", 25, 1)], 3)
    for bucket in (CONTROL_BUCKET, *bucket_ids(BUCKETS)):
        if (header := cluster.header(bucket)) is None:
            continue
        data = bytearray(header)
        data[place % len(data)] ^= change
        cluster.tester.updateValueState(HEADER_STATE, bucket, (bytes(data),))
        frame = pandas.DataFrame({"bucket": [bucket], "payload": [PAYLOAD_HEADER.pack(0, 0, 0)]})
        with pytest.raises(SnapshotError):
            cluster.tester.testInPandas(bucket, frame)


@given(st.integers(0, 10**9), st.integers(1, 255), st.sampled_from([OF_ONE, COUNT_AND_SUM]))
def test_a_damaged_or_missing_chunk_is_refused(
    place: int, change: int, aggregates: Mapping[str, AggregateSpec]
) -> None:
    cluster = Cluster(plan_of({"w": tumbling(10)}, aggregates))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("muntin.spark.streaming.bucket.INLINE_STATE_LIMIT", 0)
        cluster.step([row("a", 5, 1), row("b", 25, 1)], 3)
    bucket = next(each for each in bucket_ids(BUCKETS) if cluster.chunks(each))
    chunks = cluster.chunks(bucket)
    name = sorted(chunks)[place % len(chunks)]
    data = bytearray(chunks[name])
    data[place % len(data)] ^= change
    payloads = dict(payloads_of_task(cluster.encoder, [row(key, 25, 1) for key in "ab"], 0))
    frame = pandas.DataFrame({"bucket": [bucket], "payload": [payloads[bucket]]})
    without = {other: chunk for other, chunk in chunks.items() if other != name}
    for stored in ({**chunks, name: bytes(data)}, without):
        cluster.tester.updateMapState(
            CHUNK_STATE, bucket, {(n,): (chunk,) for n, chunk in stored.items()}
        )
        with pytest.raises(SnapshotError):
            cluster.tester.testInPandas(bucket, frame)


def test_a_span_of_time_without_new_rows_is_not_written_again() -> None:
    plan = plan_of({"w": Sliding(10**6, 10)}, COUNT_AND_SUM, DEFAULTS, InputColumns("t"))
    cluster = Cluster(plan)
    # random, for regular values take no room when encoded
    values = Random(1)  # noqa: S311 - no secrets
    cluster.step([row("a", time, values.randrange(10**6)) for time in range(0, 80_000, 5)], 1)
    before = {n: c for bucket in bucket_ids(BUCKETS) for n, c in cluster.chunks(bucket).items()}
    cluster.step([row("a", 80_000, 1)], 2)
    after = {n: c for bucket in bucket_ids(BUCKETS) for n, c in cluster.chunks(bucket).items()}
    changed = {name for name, chunk in after.items() if before.get(name) != chunk}
    assert sum("slices" in name for name in before) > 3
    assert sum("slices" in name for name in changed) <= 2
    assert sum(len(after[name]) for name in changed) < sum(map(len, after.values())) / 4


def test_a_bucket_without_work_writes_nothing() -> None:
    cluster = Cluster(plan_of({"w": Session(100)}, COUNT_AND_SUM))
    cluster.step([row("a", 5, 1)], 1)
    before = [(cluster.header(each), cluster.chunks(each)) for each in bucket_ids(BUCKETS)]
    assert cluster.step([], 50) == []
    assert [(cluster.header(each), cluster.chunks(each)) for each in bucket_ids(BUCKETS)] == before
    assert [line.end for line in cluster.step([], 105)] == [105]
