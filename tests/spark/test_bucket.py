"""A bucket itself, on a shelf in memory."""

from collections.abc import Mapping, Sequence

import pytest

from muntin.snapshot import SnapshotError
from muntin.snapshot.envelope import framed, unframed
from muntin.spark.call.aggregate_arguments import AggregateSpec
from muntin.spark.call.analysis import InputColumns
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.result_rows import is_row
from muntin.spark.state.state_header import FORMAT, framed_state, query_fingerprint, read_state
from muntin.spark.streaming.bucket import Bucket
from muntin.spec.dialect import Dialect
from muntin.spec.query import DEFAULTS, Mode, Settings
from muntin.spec.stream import Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Band, Cumulate, Sliding, count, tumbling
from muntin.spec.windows.window import WindowType
from spark_support.cluster import came
from spark_support.shelf import InMemory
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


@pytest.mark.parametrize("wanted", [MERGED, OF_ONE])
def test_a_bucket_knows_how_far_the_watermark_has_come(wanted: Mapping[str, AggregateSpec]) -> None:
    plan, shelf = plan_of({"w": tumbling(10)}, wanted), InMemory()
    held, late = (table_of([_row(time)]) for time in (25, 7))
    before = Bucket(plan, shelf)
    assert not list(before.process(came(plan, held), 20))
    after = Bucket(plan, shelf, before.state())
    assert [line.kind for line in lines_in(plan, after.process(came(plan, late), 3))] == ["late"]


def test_pieces_that_are_small_now_move_into_the_head(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, shelf = plan_of({"w": tumbling(10)}, MERGED), InMemory()
    monkeypatch.setattr("muntin.spark.streaming.bucket.INLINE_STATE_LIMIT", 0)
    before = Bucket(plan, shelf)
    assert not list(before.process(came(plan, table_of([_row(5), _row(7)])), 0))
    head = before.state()
    assert shelf
    monkeypatch.undo()
    middle = Bucket(plan, shelf, head)
    assert not list(middle.process(came(plan, table_of([_row(6)])), 1))
    after = Bucket(plan, shelf, middle.state())
    assert not shelf
    (line,) = lines_in(plan, after.process([], 10))
    assert line.values[:3] == (3, 3, 3)


def test_windows_go_on_with_the_operators_that_they_began_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where a bucket began, windows may have had no form over columns: the head says which had."""
    plan, shelf = plan_of({"w": tumbling(10)}, MERGED), InMemory()
    rows = [_row(5), _row(7)]
    monkeypatch.setattr("muntin.spark.streaming.bucket.columnar_windows", lambda _: set[str]())
    before = Bucket(plan, shelf)
    assert not list(before.process(came(plan, table_of(rows[:1])), 0))
    head = before.state()
    monkeypatch.undo()
    after = Bucket(plan, shelf, head)
    assert not list(after.process(came(plan, table_of(rows[1:])), 1))
    assert all(name.startswith("key ") for name in shelf)
    lines = lines_in(plan, after.process([], 10))
    steps = [Step(tuple(event(plan, one) for one in dicts(rows))), Step((), 10)]
    assert same(lines, expected(plan, denoted(plan, steps)))


@pytest.mark.parametrize("number", [0, FORMAT + 1])
def test_a_state_of_another_format_is_refused(number: int) -> None:
    plan = plan_of({"w": tumbling(10)}, MERGED)
    before = Bucket(plan, InMemory())
    assert not list(before.process(came(plan, table_of([_row(5)])), 0))
    frame = unframed(before.state() or b"")
    words = f"of format {number}; .* reads format {FORMAT} only: go on with .* a new checkpoint"
    with pytest.raises(SnapshotError, match=words):
        Bucket(plan, InMemory(), framed(frame._replace(format=number)))


@pytest.mark.parametrize("parts", [2, 5])
def test_a_head_that_is_not_whole_is_refused(parts: int) -> None:
    plan = plan_of({"w": tumbling(10)}, MERGED)
    before = Bucket(plan, InMemory())
    assert not list(before.process(came(plan, table_of([_row(5)])), 0))
    held = read_state("bucket", query_fingerprint(plan), before.state() or b"")
    assert is_row(held)
    with pytest.raises(SnapshotError, match="damaged: it holds no watermark and keys"):
        Bucket(plan, InMemory(), framed_state("bucket", query_fingerprint(plan), [*held][:parts]))


@pytest.mark.parametrize("size", [1, 2])
def test_a_bucket_goes_on_counting(size: int) -> None:
    each = [("ab", 1), ("c", 2), ("abc", 50), ("", 100), ("ab", 600), ("ab", 700), ("", 900)]
    held_to_the_denotation(plan_of({"w": count(size)}, MERGED), each)


def test_a_bucket_goes_on_with_the_keys_that_it_has_not_let_go() -> None:
    each = [("ab", 1), ("c", 12), ("", 14), ("ac", 15), ("", 30), ("cab", 31), ("", 100)]
    held_to_the_denotation(plan_of({"w": tumbling(10)}, MERGED), each)


@pytest.mark.parametrize("wanted", [MERGED, OF_ONE])
def test_a_row_that_is_late_is_told_however_far_it_lies(
    wanted: Mapping[str, AggregateSpec],
) -> None:
    plan, shelf = plan_of({"w": tumbling(10)}, wanted), InMemory()
    before = Bucket(plan, shelf)
    assert not list(before.process(came(plan, table_of([_row(25)])), 20))
    after = Bucket(plan, shelf, before.state())
    (late,) = lines_in(plan, after.process(came(plan, table_of([_row(-(2**62))])), 21))
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
def test_a_key_is_kept_as_long_as_its_windows_in_other_dialects(
    kind: WindowType, dialect: Dialect, time: int, ends: list[int], output: Mode
) -> None:
    plan = plan_of({"w": kind}, OF_ONE, Settings(0, output, dialect=dialect))
    held_to_the_denotation(plan, [("a", time), *(("", end + 1) for end in ends)])


def test_a_key_is_kept_for_ever_where_nothing_is_ever_late() -> None:
    plan = plan_of({"w": tumbling(10)}, OF_ONE, Settings(0, dialect=Dialect(lateness="never")))
    shelf, data, lines = InMemory(), None, list[Line]()
    for times, watermark in (([5], 1), (list[int](), 40), ([6], 41)):
        rows = [piece for time in times for piece in came(plan, table_of([_row(time)]))]
        bucket = Bucket(plan, shelf, data)
        lines += lines_in(plan, bucket.process(rows, watermark))
        data = bucket.state()
    assert [(line.kind, line.start, line.revision) for line in lines] == [
        ("new", 0, 0),
        ("updated", 0, 1),
    ]


def test_a_gap_that_was_no_gap_before_is_another_call() -> None:
    windows, wanted = {"w": Session(3)}, {"x": ("sum", "g"), "n": ("count", "v")}
    before = plan_of(windows, wanted, DEFAULTS, InputColumns("t", ("k",)))
    after = plan_of(windows, wanted, DEFAULTS, InputColumns("t", ("k",), gap="g"))
    with pytest.raises(SnapshotError, match="there were none; now there are the gap g"):
        read_state(
            "query",
            query_fingerprint(after),
            framed_state("query", query_fingerprint(before), None),
        )


def test_aggregates_in_another_order_are_another_call() -> None:
    """Snapshots of readable operators have them in theirs."""
    wanted: dict[str, AggregateSpec] = {"x": ("sum", "v"), "c": ("collect", "v")}
    before = plan_of({"w": tumbling(10)}, wanted)
    after = plan_of({"w": tumbling(10)}, dict(reversed(wanted.items())))
    state = framed_state("query", query_fingerprint(before), None)
    with pytest.raises(SnapshotError, match=r"in another order: the aggregate x = sum\(v\); the"):
        read_state("query", query_fingerprint(after), state)
    assert read_state("query", query_fingerprint(before), state) is None


def held_to_the_denotation(plan: AggregationPlan, each: Sequence[tuple[str, int]]) -> None:
    """Give a bucket rows of these keys at a time, one step after the other."""
    shelf, data, steps, lines = InMemory(), None, list[Step](), list[Line]()
    for keys, time in each:
        given = [_row(time, key) for key in keys]
        bucket = Bucket(plan, shelf, data)
        lines += lines_in(
            plan, bucket.process(came(plan, table_of(given)) if given else [], time - 1)
        )
        data = bucket.state() if bucket.changed else data
        steps += [Step((), time - 1), Step(tuple(event(plan, one) for one in dicts(given)))]
    assert lines
    assert same(lines, expected(plan, denoted(plan, steps)))


def _row(time: int, key: str = "a") -> Row:
    return (key, 0, time, 1, None, None, None, False)
