"""Slices before the shuffle: what buckets are sent, and what they make of it."""

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
from muntin.spark.execution.arrow import Table, pa, times
from muntin.spark.streaming.bucket import Bucket
from muntin.spark.streaming.payload_reader import Payload, read_payloads
from muntin.spark.streaming.pre_aggregation import is_worthwhile, slicing_of
from muntin.spark.streaming.shuffle_payload import BUCKET, CONTROL_BUCKET, ShuffleEncoder, packed
from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.query import DEFAULTS, Mode, Settings
from muntin.spec.stream import END
from muntin.spec.windows.data_driven import Rolling, Session
from muntin.spec.windows.periodic import Landmark, Sliding, count, tumbling
from muntin.spec.windows.window import WindowType
from spark_support.cluster import BUCKETS, Cluster, dict_of, sent
from spark_support.micro_batches import LATENESS, MicroBatch, held_to_the_denotation
from spark_support.shelf import InMemory
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
WEIGHED = {name: asked for name, asked in OWN.items() if name != "digits"}
"""What digits make depends on their order, so slices are no use."""
IN_SLICES = st.one_of(
    slidings(),
    st.builds(Session, st.integers(1, 9)),
    st.builds(Landmark, st.integers(-9, 9), st.integers(1, 9)),
    cumulates(),
    bands(),
)
HOW = st.tuples(st.sampled_from([0, 2, 10**9]), st.sampled_from([0, 700, 2**15]))


@given(
    st.lists(IN_SLICES, min_size=1, max_size=3),
    st.sampled_from([MERGED, SUMS, {"sum": ("sum", "v")}, WEIGHED]),
    SETTINGS,
    TRACES,
    HOW,
)
def test_slices_say_what_their_rows_say(
    windows: list[WindowType],
    wanted: Mapping[str, AggregateSpec],
    settings: Settings,
    trace: list[MicroBatch],
    how: tuple[int, int],
) -> None:
    plan = plan_of({f"w{nth}": one for nth, one in enumerate(windows)}, wanted, settings)
    assert slicing_of(plan)
    held_to_the_denotation(plan, trace, *how)


def one(time: int, value: int = 1, key: str = "a") -> Row:
    return (key, 0, time, value, None, None, None, False)


def payloads(plan: AggregationPlan, given_rows: list[Row], few: int = 0) -> list[Payload]:
    """Return what one task sends, without what it sends to the control bucket."""
    each = [
        data
        for bucket, data in sent(ShuffleEncoder(plan, BUCKETS, few), given_rows, 0)
        if bucket != CONTROL_BUCKET
    ]
    return read_payloads(each, plan.read)


def test_only_slices_that_may_hold_late_rows_are_looked_into() -> None:
    plan = plan_of({"w": tumbling(10)}, SUMS)
    (payload,) = payloads(plan, [one(time) for time in (3, 4, 13, 17, 25, 26)])
    assert payload.split(0).rows is None
    slices, of_others = payload.split(14)
    assert slices
    assert of_others
    assert times(of_others, "t").tolist() == [3, 4, 13, 17]
    assert np.asarray(slices.column("muntin low")).tolist() == [25]
    assert payload.split(13)[1] == payload.split(4)[1]
    none, every = payload.split(99)
    assert none is None
    assert every
    assert every.num_rows == 6


def test_late_rows_in_a_slice_are_told_and_the_others_count() -> None:
    cluster = Cluster(plan_of({"w": tumbling(10)}, {"sum": ("sum", "v")}, Settings(0, "final")))
    assert cluster.step([one(1)], 0) == []
    found = cluster.step([one(4, 10), one(6, 100), one(7, 1000)], 6)
    assert [(line.kind, line.start) for line in found] == [("late", 4)]
    assert [line.values for line in cluster.step([], 10)] == [(1101,)]


@given(st.permutations(range(5)), st.lists(st.sampled_from([0, 10**9]), min_size=5, max_size=5))
def test_payloads_are_taken_in_the_order_of_tasks(order: list[int], few: list[int]) -> None:
    plan = plan_of({"w": tumbling(10)}, {"first": ("first", "v"), "last": ("last", "v")})
    origins, sent_ones = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)], list[bytes]()
    for nth in order:
        each = pa.Table.from_batches([table_of([one(5, 2 * nth), one(5, 2 * nth + 1)])])
        placed = each.append_column(BUCKET, pa.array([0, 0]))
        columns = dict_of(packed(placed, ShuffleEncoder(plan, BUCKETS, few[nth]), origins[nth]))
        sent_ones += [data for data in columns["payload"][1:] if isinstance(data, bytes)]
    bucket = Bucket(plan, shelf := InMemory(), None, slicing_of(plan))
    assert not list(bucket.process(read_payloads(sent_ones, plan.read), 0))
    (line,) = lines_in(plan, Bucket(plan, shelf, bucket.state()).process([], 10))
    assert line.values == (0, 9)


@given(rows(30), st.sampled_from([0, 10**9]))
def test_rows_come_back_as_they_were(given_rows: list[Row], few: int) -> None:
    plan = plan_of({"w": Sliding(7, 3)}, MERGED)
    found = [row for one in payloads(plan, given_rows, few) for row in dicts_of(one.rows())]
    names = plan.read
    wanted = [tuple(row[name] for name in names) for row in dicts(given_rows)]
    assert Counter(found) == Counter(wanted)


def dicts_of(batch: Table) -> list[tuple[object, ...]]:
    """Return the rows of a batch."""
    found: list[dict[str, object]] = getattr(batch, "to_pylist")()  # noqa: B009 - Arrow is not typed
    return [tuple(row.values()) for row in found]


def test_a_bucket_that_has_other_operators_takes_the_rows() -> None:
    plan = plan_of({"w": tumbling(10)}, SUMS)
    bucket = Bucket(plan, shelf := InMemory())
    came = payloads(plan, [one(3, 5), one(4, 7)])
    assert came[0].slices
    assert not list(bucket.process(came, 0))
    after = Bucket(plan, shelf, bucket.state())
    (line,) = lines_in(plan, after.process([], 10))
    assert line.values == (2, 12, None)


@pytest.mark.parametrize(
    ("windows", "wanted", "settings"),
    [
        ({"w": Rolling(5)}, SUMS, DEFAULTS),
        ({"w": tumbling(5), "n": count(3)}, SUMS, DEFAULTS),
        ({"w": tumbling(5)}, {"m": ("median", "v")}, DEFAULTS),
        ({"w": tumbling(5)}, SUMS, Settings(0, "discard")),
        ({"w": tumbling(5)}, SUMS, Settings(0, dialect=Dialect(lateness="window"))),
    ],
)
def test_rows_are_sent_where_slices_do_not_do(
    windows: Mapping[str, WindowType], wanted: Mapping[str, AggregateSpec], settings: Settings
) -> None:
    plan = plan_of(windows, wanted, settings)
    assert slicing_of(plan) is None
    assert all(one.slices is None for one in payloads(plan, [one(3), one(4)]))


@pytest.mark.parametrize(("values", "few"), [(40, 16), (40, 10**4), (4000, 16)])
def test_a_sample_tells_whether_slices_are_few(values: int, few: int) -> None:
    chance, n = Random(1), 20_000  # noqa: S311 - no secrets
    each = [(chance.randrange(100), str(chance.randrange(values))) for _ in range(n)]
    plan = plan_of({"w": tumbling(10)}, SUMS, DEFAULTS, InputColumns("t", ("k",)))
    slices = len({(time // 10, key) for time, key in each})
    batch = table_of([one(time, 1, key) for time, key in each])
    assert is_worthwhile(batch, SlicePlan(plan), few) is (slices * few <= n)


@pytest.mark.parametrize("few", [0, 10**9])
def test_a_row_that_no_operator_takes_is_refused_unless_it_is_late(few: int) -> None:
    row, why = one(-(2**62)), "the time of an event is -4611686018427387904"
    plan = plan_of({"w": tumbling(10)}, SUMS)
    good: Row = ("a", 0, 33, 1, None, None, 4, False)
    bucket = Bucket(plan, InMemory(), None, slicing_of(plan))
    came = [*payloads(plan, [good], few), *payloads(plan, [row], few)]
    (late,) = lines_in(plan, bucket.process(came, 20))
    assert (late.kind, late.start) == ("late", row[2])
    bucket = Bucket(plan, InMemory(), None, slicing_of(plan))
    with pytest.raises(UnsupportedError, match=why):
        list(bucket.process(came, -END))


@pytest.mark.parametrize("name", ["muntin low", "muntin 0", "Muntin Count"])
def test_columns_that_look_like_parts_of_slices_are_refused(name: str) -> None:
    schema, windows = (
        StructType([*SCHEMA.fields, StructField(name, LongType())]),
        {"w": tumbling(10)},
    )
    for reads, wanted in (
        (InputColumns("t", (name,)), SUMS),
        (InputColumns("t", ("k",)), {"a": ("sum", name)}),
        (InputColumns(name), SUMS),
        (InputColumns("t", ("k",)), {name: "count"}),
    ):
        with pytest.raises(InvalidInputError, match=f"the column '{name}' has a name that begins"):
            analyze(schema, reads, windows, wanted, DEFAULTS)


@pytest.mark.parametrize("few", [0, 10**9])
def test_keys_that_are_clocks_are_the_same_in_other_time_zones(few: int) -> None:
    schema = StructType([StructField("k", TimestampType()), StructField("t", LongType())])
    windows = {"w": tumbling(10)}
    plan = analyze(schema, InputColumns("t", ("k",)), windows, {"n": "count"}, DEFAULTS)
    shelf, data = InMemory(), None
    for zone in ("UTC", "Europe/Berlin"):
        key = pa.array([7], pa.timestamp("us", zone))
        given_rows = pa.table({"k": key, "t": [3], BUCKET: [0]})
        payload = dict_of(packed(given_rows, ShuffleEncoder(plan, BUCKETS, few), (0, 0)))[
            "payload"
        ][-1]
        assert isinstance(payload, bytes)
        bucket = Bucket(plan, shelf, data, slicing_of(plan))
        assert not list(bucket.process(read_payloads([payload], plan.read), 0))
        data = bucket.state()
    (answer,) = Bucket(plan, shelf, data).process([], 10)
    assert np.asarray(answer.column("n")).tolist() == [2]
    assert times(answer, "k").tolist() == [7]


@pytest.mark.parametrize("how", ["var_pop", "std_sample", "mean", "max"])
@pytest.mark.parametrize("few", [0, 10**9])
def test_values_of_64_bits_are_exact(how: str, few: int) -> None:
    plan = plan_of({"w": tumbling(10)}, {"a": (how, "g")})
    values, shelf = [2**63 - 1, -(2**63), 2**62], InMemory()
    bucket = Bucket(plan, shelf, None, slicing_of(plan))
    given_rows: list[Row] = [("a", 0, 3, None, None, None, value, False) for value in values]
    assert not list(bucket.process(payloads(plan, given_rows, few), 0))
    after = Bucket(plan, shelf, bucket.state())
    (line,) = lines_in(plan, after.process([], 10))
    assert line.values == (rounded(lookup(how).of(values)),)
