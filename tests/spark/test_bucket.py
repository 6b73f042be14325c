"""A bucket with its chunks in memory."""

from collections.abc import Mapping, Sequence

import pytest

from muntin.columnar.aggregate_requests import AggregateSpec
from muntin.columnar.arguments import InputColumns
from muntin.kernels.slicing.over import is_row
from muntin.snapshot import SnapshotError
from muntin.snapshot.envelope import pack_envelope, unpack_envelope
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.state.state_header import FORMAT, frame_state, query_fingerprint, read_state
from muntin.spark.streaming.bucket import Bucket
from muntin.spec.dialect import Dialect
from muntin.spec.query import DEFAULTS, Mode, Settings
from muntin.spec.stream import Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Band, Cumulate, Sliding, count, tumbling
from muntin.spec.windows.window import WindowType
from spark_support.cluster import InMemoryChunkStore, payload_of
from spark_support.tables import (
    MERGED,
    OF_ONE,
    Line,
    Row,
    denoted,
    dicts,
    event,
    expected,
    lines_in,
    plan_of,
    same,
    table_of,
)


@pytest.mark.parametrize("aggregates", [MERGED, OF_ONE])
def test_a_bucket_keeps_its_watermark(aggregates: Mapping[str, AggregateSpec]) -> None:
    plan, store = plan_of({"w": tumbling(10)}, aggregates), InMemoryChunkStore()
    timely, late = (table_of([_row(time)]) for time in (25, 7))
    before = Bucket(plan, store)
    assert not list(before.process(payload_of(plan, timely), 20))
    after = Bucket(plan, store, before.write_state())
    assert [line.kind for line in lines_in(plan, after.process(payload_of(plan, late), 3))] == [
        "late"
    ]


def test_chunks_that_become_small_move_into_the_header(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, store = plan_of({"w": tumbling(10)}, MERGED), InMemoryChunkStore()
    monkeypatch.setattr("muntin.spark.streaming.bucket.INLINE_STATE_LIMIT", 0)
    before = Bucket(plan, store)
    assert not list(before.process(payload_of(plan, table_of([_row(5), _row(7)])), 0))
    header = before.write_state()
    assert store
    monkeypatch.undo()
    middle = Bucket(plan, store, header)
    assert not list(middle.process(payload_of(plan, table_of([_row(6)])), 1))
    after = Bucket(plan, store, middle.write_state())
    assert not store
    (line,) = lines_in(plan, after.process([], 10))
    assert line.values[:3] == (3, 3, 3)


def no_windows(_: AggregationPlan) -> set[str]:
    """`columnar_windows` of a columnar engine without any window types."""
    return set()


def test_windows_keep_the_operators_that_they_began_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The header lists the windows of the columnar operator: it may have supported fewer then."""
    plan, store = plan_of({"w": tumbling(10)}, MERGED), InMemoryChunkStore()
    rows = [_row(5), _row(7)]
    monkeypatch.setattr("muntin.spark.streaming.bucket.columnar_windows", no_windows)
    before = Bucket(plan, store)
    assert not list(before.process(payload_of(plan, table_of(rows[:1])), 0))
    header = before.write_state()
    monkeypatch.undo()
    after = Bucket(plan, store, header)
    assert not list(after.process(payload_of(plan, table_of(rows[1:])), 1))
    assert all(name.startswith("key ") for name in store)
    lines = lines_in(plan, after.process([], 10))
    steps = [Step(tuple(event(plan, row) for row in dicts(rows))), Step((), 10)]
    assert same(lines, expected(plan, denoted(plan, steps)))


@pytest.mark.parametrize("number", [0, FORMAT + 1])
def test_a_state_of_another_format_is_refused(number: int) -> None:
    plan = plan_of({"w": tumbling(10)}, MERGED)
    before = Bucket(plan, InMemoryChunkStore())
    assert not list(before.process(payload_of(plan, table_of([_row(5)])), 0))
    frame = unpack_envelope(before.write_state() or b"")
    message = f"has format {number}, expected {FORMAT}, .* reads; go on with .* a new checkpoint"
    with pytest.raises(SnapshotError, match=message):
        Bucket(plan, InMemoryChunkStore(), pack_envelope(frame._replace(format=number)))


@pytest.mark.parametrize("n_fields", [2, 5])
def test_a_header_without_all_fields_is_refused(n_fields: int) -> None:
    plan = plan_of({"w": tumbling(10)}, MERGED)
    before = Bucket(plan, InMemoryChunkStore())
    assert not list(before.process(payload_of(plan, table_of([_row(5)])), 0))
    fields = read_state("bucket", query_fingerprint(plan), before.write_state() or b"")
    assert is_row(fields)
    with pytest.raises(
        SnapshotError, match=f"damaged: its header has {n_fields} fields, not 6; restore"
    ):
        Bucket(
            plan,
            InMemoryChunkStore(),
            frame_state("bucket", query_fingerprint(plan), [*fields][:n_fields]),
        )


@pytest.mark.parametrize("size", [1, 2])
def test_a_bucket_counts_events_over_steps(size: int) -> None:
    trace = [("ab", 1), ("c", 2), ("abc", 50), ("", 100), ("ab", 600), ("ab", 700), ("", 900)]
    check_steps(plan_of({"w": count(size)}, MERGED), trace)


def test_a_bucket_keeps_its_live_keys_when_others_expire() -> None:
    trace = [("ab", 1), ("c", 12), ("", 14), ("ac", 15), ("", 30), ("cab", 31), ("", 100)]
    check_steps(plan_of({"w": tumbling(10)}, MERGED), trace)


@pytest.mark.parametrize("aggregates", [MERGED, OF_ONE])
def test_a_late_row_is_emitted_however_early_its_time(
    aggregates: Mapping[str, AggregateSpec],
) -> None:
    plan, store = plan_of({"w": tumbling(10)}, aggregates), InMemoryChunkStore()
    before = Bucket(plan, store)
    assert not list(before.process(payload_of(plan, table_of([_row(25)])), 20))
    after = Bucket(plan, store, before.write_state())
    (late,) = lines_in(plan, after.process(payload_of(plan, table_of([_row(-(2**62))])), 21))
    assert (late.kind, late.start) == ("late", -(2**62))


TRUNCATE, CLOSED = Dialect(alignment="truncate"), Dialect(edges="both", closing=1)


@pytest.mark.parametrize(
    ("kind", "dialect", "time", "ends"),
    [
        (Sliding(10, 10, 1000), TRUNCATE, 997, [1008, 1010, 1030]),
        (Cumulate(10, 5, 1000), TRUNCATE, 991, [1003, 1010, 1030]),
        (tumbling(10), CLOSED, 0, [11, 12, 13]),
        (Band(0, 10), CLOSED, 0, [11, 12, 13]),
    ],
)
@pytest.mark.parametrize("output", ["accumulate-retract", "final"])
def test_a_key_expires_with_its_windows_in_other_dialects(
    kind: WindowType, dialect: Dialect, time: int, ends: list[int], output: Mode
) -> None:
    plan = plan_of({"w": kind}, OF_ONE, Settings(0, output, dialect=dialect))
    check_steps(plan, [("a", time), *(("", end + 1) for end in ends)])


def test_a_key_never_expires_where_nothing_is_late() -> None:
    plan = plan_of({"w": tumbling(10)}, OF_ONE, Settings(0, dialect=Dialect(lateness="never")))
    store, data, lines = InMemoryChunkStore(), None, list[Line]()
    for times, watermark in (([5], 1), (list[int](), 40), ([6], 41)):
        payloads = [
            payload for time in times for payload in payload_of(plan, table_of([_row(time)]))
        ]
        bucket = Bucket(plan, store, data)
        lines += lines_in(plan, bucket.process(payloads, watermark))
        data = bucket.write_state()
    assert [(line.kind, line.start, line.revision) for line in lines] == [
        ("new", 0, 0),
        ("updated", 0, 1),
    ]


def test_a_column_that_becomes_the_gap_makes_another_call() -> None:
    windows, aggregates = {"w": Session(3)}, {"x": ("sum", "g"), "n": ("count", "v")}
    before = plan_of(windows, aggregates, DEFAULTS, InputColumns("t", ("k",)))
    after = plan_of(windows, aggregates, DEFAULTS, InputColumns("t", ("k",), gap="g"))
    with pytest.raises(SnapshotError, match="it has nothing else; this call has the gap g"):
        read_state(
            "query",
            query_fingerprint(after),
            frame_state("query", query_fingerprint(before), None),
        )


def test_aggregates_in_another_order_make_another_call() -> None:
    """Snapshots of row-at-a-time operators depend on the order."""
    aggregates: dict[str, AggregateSpec] = {"x": ("sum", "v"), "c": ("collect", "v")}
    before = plan_of({"w": tumbling(10)}, aggregates)
    after = plan_of({"w": tumbling(10)}, dict(reversed(aggregates.items())))
    state = frame_state("query", query_fingerprint(before), None)
    with pytest.raises(SnapshotError, match=r"in another order: the aggregate x = sum\(v\); the"):
        read_state("query", query_fingerprint(after), state)
    assert read_state("query", query_fingerprint(before), state) is None


def check_steps(plan: AggregationPlan, trace: Sequence[tuple[str, int]]) -> None:
    """Give a bucket rows of these keys at a time, and compare the rows with the denotation."""
    store, data, steps, lines = InMemoryChunkStore(), None, list[Step](), list[Line]()
    for keys, time in trace:
        rows = [_row(time, key) for key in keys]
        bucket = Bucket(plan, store, data)
        lines += lines_in(
            plan, bucket.process(payload_of(plan, table_of(rows)) if rows else [], time - 1)
        )
        data = bucket.write_state() if bucket.changed else data
        steps += [Step((), time - 1), Step(tuple(event(plan, row) for row in dicts(rows)))]
    assert lines
    assert same(lines, expected(plan, denoted(plan, steps)))


def _row(time: int, key: str = "a") -> Row:
    return (key, 0, time, 1, None, None, None, False)
