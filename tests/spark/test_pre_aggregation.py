"""Partial aggregation before the shuffle: what buckets get, and the windows they make of it."""

from collections import Counter
from collections.abc import Mapping
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.types import LongType, StructField, StructType, TimestampType

from muntin.columnar.aggregate_requests import AggregateSpec
from muntin.columnar.arguments import InputColumns
from muntin.spark.batch.slice_plan import SlicePlan
from muntin.spark.call.aggregate_arguments import lookup
from muntin.spark.call.analysis import analyze
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import ArrowBatch, pa, times
from muntin.spark.streaming.bucket import Bucket
from muntin.spark.streaming.payload_reader import Payload, read_payloads
from muntin.spark.streaming.shuffle_payload import (
    BUCKET_COLUMN,
    CONTROL_BUCKET,
    ShuffleEncoder,
    encode_payloads,
    is_worthwhile,
    pre_aggregation_plan,
)
from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.query import DEFAULTS, Mode, Settings
from muntin.spec.stream import END
from muntin.spec.windows.data_driven import Rolling, Session
from muntin.spec.windows.periodic import Landmark, Sliding, count, tumbling
from muntin.spec.windows.window import WindowType
from spark_support.cluster import (
    BUCKETS,
    Cluster,
    InMemoryChunkStore,
    dict_of,
    payloads_of_task,
)
from spark_support.micro_batches import LATENESS, MicroBatch, check_micro_batches
from spark_support.tables import (
    MERGED,
    SCHEMA,
    Row,
    bands,
    cumulates,
    dicts,
    lines_in,
    plan_of,
    rounded,
    rows,
    slidings,
    table_of,
)
from spark_support.user_aggregates import OWN

pytestmark = pytest.mark.usefixtures("one_unit_is_a_millisecond")

TRACES = st.lists(st.tuples(rows(12), st.integers(0, 15)), min_size=1, max_size=6)
MODES: tuple[Mode, ...] = ("accumulate-retract", "accumulate", "final")
SETTINGS = st.builds(Settings, LATENESS, st.sampled_from(MODES))
SUMS: Mapping[str, AggregateSpec] = {"rows": "count", "sum": ("sum", "v"), "high": ("max", "w")}
WEIGHED = {name: spec for name, spec in OWN.items() if name != "digits"}
"""Without `digits`, which depends on the order of events and so can't be combined."""
IN_SLICES = st.one_of(
    slidings(),
    st.builds(Session, st.integers(1, 9)),
    st.builds(Landmark, st.integers(-9, 9), st.integers(1, 9)),
    cumulates(),
    bands(),
)
STORAGE = st.tuples(st.sampled_from([0, 2, 10**9]), st.sampled_from([0, 700, 2**15]))


@given(
    st.lists(IN_SLICES, min_size=1, max_size=3),
    st.sampled_from([MERGED, SUMS, {"sum": ("sum", "v")}, WEIGHED]),
    SETTINGS,
    TRACES,
    STORAGE,
)
def test_slices_emit_what_their_rows_emit(
    windows: list[WindowType],
    aggregates: Mapping[str, AggregateSpec],
    settings: Settings,
    trace: list[MicroBatch],
    storage: tuple[int, int],
) -> None:
    plan = plan_of({f"w{i}": kind for i, kind in enumerate(windows)}, aggregates, settings)
    assert pre_aggregation_plan(plan)
    check_micro_batches(plan, trace, *storage)


def row_at(time: int, value: int = 1, key: str = "a") -> Row:
    return (key, 0, time, value, None, None, None, False)


def payloads(plan: AggregationPlan, input_rows: list[Row], min_rows: int = 0) -> list[Payload]:
    """The payloads of one task, but that of the control bucket."""
    data_of_buckets = [
        data
        for bucket, data in payloads_of_task(ShuffleEncoder(plan, BUCKETS, min_rows), input_rows, 0)
        if bucket != CONTROL_BUCKET
    ]
    return read_payloads(data_of_buckets, plan.read)


def test_only_rows_of_slices_that_may_hold_late_rows_are_read() -> None:
    plan = plan_of({"w": tumbling(10)}, SUMS)
    (payload,) = payloads(plan, [row_at(time) for time in (3, 4, 13, 17, 25, 26)])
    assert payload.split_at(0).rows is None
    slices, early_rows = payload.split_at(14)
    assert slices
    assert early_rows
    assert times(early_rows, "t").tolist() == [3, 4, 13, 17]
    assert np.asarray(slices.column("muntin low")).tolist() == [25]
    assert payload.split_at(13)[1] == payload.split_at(4)[1]
    slices, all_rows = payload.split_at(99)
    assert slices is None
    assert all_rows
    assert all_rows.num_rows == 6


def test_late_rows_in_a_slice_are_emitted_and_the_others_count() -> None:
    cluster = Cluster(plan_of({"w": tumbling(10)}, {"sum": ("sum", "v")}, Settings(0, "final")))
    assert cluster.step([row_at(1)], 0) == []
    output = cluster.step([row_at(4, 10), row_at(6, 100), row_at(7, 1000)], 6)
    assert [(line.kind, line.start) for line in output] == [("late", 4)]
    assert [line.values for line in cluster.step([], 10)] == [(1101,)]


@given(st.permutations(range(5)), st.lists(st.sampled_from([0, 10**9]), min_size=5, max_size=5))
def test_payloads_are_processed_in_the_order_of_tasks(
    order: list[int], min_rows: list[int]
) -> None:
    plan = plan_of({"w": tumbling(10)}, {"first": ("first", "v"), "last": ("last", "v")})
    origins, arrived = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)], list[bytes]()
    for i in order:
        task_rows = pa.Table.from_batches([table_of([row_at(5, 2 * i), row_at(5, 2 * i + 1)])])
        with_bucket = task_rows.append_column(BUCKET_COLUMN, pa.array([0, 0]))
        columns = dict_of(
            encode_payloads(with_bucket, ShuffleEncoder(plan, BUCKETS, min_rows[i]), origins[i])
        )
        arrived += [data for data in columns["payload"][1:] if isinstance(data, bytes)]
    bucket = Bucket(plan, store := InMemoryChunkStore(), None, pre_aggregation_plan(plan))
    assert not list(bucket.process(read_payloads(arrived, plan.read), 0))
    (line,) = lines_in(plan, Bucket(plan, store, bucket.write_state()).process([], 10))
    assert line.values == (0, 9)


@given(rows(30), st.sampled_from([0, 10**9]))
def test_rows_come_back_as_they_were(input_rows: list[Row], min_rows: int) -> None:
    plan = plan_of({"w": Sliding(7, 3)}, MERGED)
    decoded = [
        row for payload in payloads(plan, input_rows, min_rows) for row in tuples_of(payload.rows())
    ]
    names = plan.read
    expected = [tuple(row[name] for name in names) for row in dicts(input_rows)]
    assert Counter(decoded) == Counter(expected)


def tuples_of(batch: ArrowBatch) -> list[tuple[object, ...]]:
    """The rows of a batch."""
    records: list[dict[str, object]] = getattr(batch, "to_pylist")()  # noqa: B009 - Arrow is not typed
    return [tuple(record.values()) for record in records]


def test_a_bucket_without_a_slice_plan_reads_the_rows() -> None:
    plan = plan_of({"w": tumbling(10)}, SUMS)
    bucket = Bucket(plan, store := InMemoryChunkStore())
    arrived = payloads(plan, [row_at(3, 5), row_at(4, 7)])
    assert arrived[0].slices
    assert not list(bucket.process(arrived, 0))
    after = Bucket(plan, store, bucket.write_state())
    (line,) = lines_in(plan, after.process([], 10))
    assert line.values == (2, 12, None)


@pytest.mark.parametrize(
    ("windows", "aggregates", "settings"),
    [
        ({"w": Rolling(5)}, SUMS, DEFAULTS),
        ({"w": tumbling(5), "n": count(3)}, SUMS, DEFAULTS),
        ({"w": tumbling(5)}, {"m": ("median", "v")}, DEFAULTS),
        ({"w": tumbling(5)}, SUMS, Settings(0, "discard")),
        ({"w": tumbling(5)}, SUMS, Settings(0, dialect=Dialect(lateness="window"))),
    ],
)
def test_rows_are_sent_where_some_window_needs_them(
    windows: Mapping[str, WindowType], aggregates: Mapping[str, AggregateSpec], settings: Settings
) -> None:
    plan = plan_of(windows, aggregates, settings)
    assert pre_aggregation_plan(plan) is None
    assert all(payload.slices is None for payload in payloads(plan, [row_at(3), row_at(4)]))


@pytest.mark.parametrize(("values", "min_rows"), [(40, 16), (40, 10**4), (4000, 16)])
def test_a_sample_shows_whether_slices_are_few(values: int, min_rows: int) -> None:
    chance, n = Random(1), 20_000  # noqa: S311 - no secrets
    positions = [(chance.randrange(100), str(chance.randrange(values))) for _ in range(n)]
    plan = plan_of({"w": tumbling(10)}, SUMS, DEFAULTS, InputColumns("t", ("k",)))
    slices = len({(time // 10, key) for time, key in positions})
    batch = table_of([row_at(time, 1, key) for time, key in positions])
    assert is_worthwhile(batch, SlicePlan(plan), min_rows) is (slices * min_rows <= n)


@pytest.mark.parametrize("min_rows", [0, 10**9])
def test_a_row_that_operators_refuse_is_refused_unless_it_is_late(min_rows: int) -> None:
    row, reason = row_at(-(2**62)), "the time of an event is -4611686018427387904"
    plan = plan_of({"w": tumbling(10)}, SUMS)
    valid: Row = ("a", 0, 33, 1, None, None, 4, False)
    bucket = Bucket(plan, InMemoryChunkStore(), None, pre_aggregation_plan(plan))
    arrived = [*payloads(plan, [valid], min_rows), *payloads(plan, [row], min_rows)]
    (late,) = lines_in(plan, bucket.process(arrived, 20))
    assert (late.kind, late.start) == ("late", row[2])
    bucket = Bucket(plan, InMemoryChunkStore(), None, pre_aggregation_plan(plan))
    with pytest.raises(UnsupportedError, match=reason):
        list(bucket.process(arrived, -END))


@pytest.mark.parametrize("name", ["muntin low", "muntin 0", "Muntin Count"])
def test_columns_with_names_of_internal_columns_are_refused(name: str) -> None:
    schema, windows = (
        StructType([*SCHEMA.fields, StructField(name, LongType())]),
        {"w": tumbling(10)},
    )
    for reads, aggregates in (
        (InputColumns("t", (name,)), SUMS),
        (InputColumns("t", ("k",)), {"a": ("sum", name)}),
        (InputColumns(name), SUMS),
        (InputColumns("t", ("k",)), {name: "count"}),
    ):
        with pytest.raises(InvalidInputError, match=f"the column '{name}' has a name that begins"):
            analyze(schema, reads, windows, aggregates, DEFAULTS)


@pytest.mark.parametrize("min_rows", [0, 10**9])
def test_timestamp_keys_are_equal_in_other_time_zones(min_rows: int) -> None:
    schema = StructType([StructField("k", TimestampType()), StructField("t", LongType())])
    windows = {"w": tumbling(10)}
    plan = analyze(schema, InputColumns("t", ("k",)), windows, {"n": "count"}, DEFAULTS)
    store, data = InMemoryChunkStore(), None
    for zone in ("UTC", "Europe/Berlin"):
        key = pa.array([7], pa.timestamp("us", zone))
        input_rows = pa.table({"k": key, "t": [3], BUCKET_COLUMN: [0]})
        payload = dict_of(
            encode_payloads(input_rows, ShuffleEncoder(plan, BUCKETS, min_rows), (0, 0))
        )["payload"][-1]
        assert isinstance(payload, bytes)
        bucket = Bucket(plan, store, data, pre_aggregation_plan(plan))
        assert not list(bucket.process(read_payloads([payload], plan.read), 0))
        data = bucket.write_state()
    (answer,) = Bucket(plan, store, data).process([], 10)
    assert np.asarray(answer.column("n")).tolist() == [2]
    assert times(answer, "k").tolist() == [7]


@pytest.mark.parametrize("aggregate", ["var_pop", "std_sample", "mean", "max"])
@pytest.mark.parametrize("min_rows", [0, 10**9])
def test_values_of_64_bits_are_exact(aggregate: str, min_rows: int) -> None:
    plan = plan_of({"w": tumbling(10)}, {"a": (aggregate, "g")})
    values, store = [2**63 - 1, -(2**63), 2**62], InMemoryChunkStore()
    bucket = Bucket(plan, store, None, pre_aggregation_plan(plan))
    input_rows: list[Row] = [("a", 0, 3, None, None, None, value, False) for value in values]
    assert not list(bucket.process(payloads(plan, input_rows, min_rows), 0))
    after = Bucket(plan, store, bucket.write_state())
    (line,) = lines_in(plan, after.process([], 10))
    assert line.values == (rounded(lookup(aggregate).of(values)),)
