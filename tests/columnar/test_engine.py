"""The compiled engine on random streams: held against slices, and against the specification."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest

from muntin.columnar.engine import timetable
from muntin.columnar.engine.directory import FAR
from muntin.columnar.engine.timetable import Timetable
from muntin.columnar.engine_group import EngineGroup
from muntin.columnar.operator import ColumnarOperator
from muntin.conformance.output_comparison import response_difference
from muntin.kernels.slicing.arrays import Column, Ints, column_of
from muntin.kernels.slicing.batch import Values
from muntin.kernels.slicing.plan import Method
from muntin.reference.specification import SpecificationOperator
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Mode, Output, Query, Result, Settings
from muntin.spec.stream import Event, Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Cumulate, Sliding, tumbling
from muntin.spec.windows.window import WindowType
from support.window_invariants import check_windows

AGGREGATES = ["sum", "min", "max", "mean", "count", "range", "first", "last", "var_pop", "m4"]
SIZES = [4, 10, 64, 100, 777, 3000]
MODES: list[Mode] = ["final", "accumulate", "accumulate-retract"]


def window_type(random: Random) -> WindowType:
    choice = random.random()
    if choice < 0.2:
        return Session(random.choice([3, 20, 100]))
    if choice < 0.3:
        return Cumulate(60, 12, random.choice([0, 7]))
    size = random.choice(SIZES)
    slide = random.choice([size, max(1, size // 2), max(1, size // 3), 2 * size])
    return Sliding(size, slide, random.choice([0, 1, -3]))


def random_times(random: Random, start: int, n: int) -> Ints:
    """Times that rise from a start, but for a share of them that is late."""
    rng, rate = np.random.default_rng(random.randrange(2**32)), random.choice([0.1, 1, 10])
    share, most = random.choice([0, 0, 0.01, 0.2, 0.9]), random.choice([1, 10, 300, 3000])
    late = np.where(rng.random(n) < share, rng.integers(0, most, n), 0)
    return np.asarray(start + (np.arange(n) / rate).astype(np.int64) - late)


def random_values(random: Random, n: int, *, whole: bool) -> Values:
    rng = np.random.default_rng(random.randrange(2**32))
    column: Column = column_of(rng.integers(-50, 50, n))
    if not whole:
        column = column_of(np.where(rng.random(n) < 0.1, np.nan, column / 4))
    return Values(column, rng.random(n) < 0.7 if random.random() < 0.1 else None)


def has_close_value(expected: Result, actual: Result) -> bool:
    """Whether two values are equal, but for the order in which floats were added."""
    if expected.value is None or actual.value is None:
        return expected.value is actual.value
    one, another = (np.array(value, np.float64) for value in (expected.value, actual.value))
    return bool(np.allclose(one, another, rtol=1e-9, atol=1e-9, equal_nan=True))


def play(seed: int, keys: int, *, plain: bool) -> int:
    """Run a random stream on the engine and in slices; the number of results."""
    random = Random(seed)  # noqa: S311 nothing secret
    settings = Settings(random.choice([0, 5, 500, 10**5]), output=random.choice(MODES))
    engine, slices = (ColumnarOperator(settings, method=m) for m in ("compiled", "slices"))
    for name in "abc"[: random.randint(1, 3)]:
        query = Query(name, window_type(random), named(random.choice(AGGREGATES)))
        engine.add(query)
        slices.add(query)
    results, now, whole = 0, random.choice([0, -(10**6), 10**12]), random.random() < 0.6
    for step in range(random.randint(2, 9)):
        n = random.choice([0, 1, 63, 64, 65, 200, random.randint(0, 1500)])
        times, values = random_times(random, now, n), random_values(random, n, whole=whole)
        spread = keys if step else random.choice([1, keys])
        key = np.array([random.randrange(spread) for _ in range(n)], np.int64) if keys else None
        now = max(now, int(times.max(initial=now))) + random.choice([0, 1, 500, 10**7])
        watermark = random.choice([now, now - 10, now - 300, None])
        given = values.data if plain else values
        actual, expected = (
            one.take_columns(times, given, key, watermark) for one in (engine, slices)
        )
        outputs = Output(expected.results()), Output(actual.results())
        assert not response_difference(*outputs, has_close_value), (seed, step)
        assert actual.late.tolist() == expected.late.tolist()
        results += len(actual)
        (group,) = engine.groups.values()
        if keys <= 40 and seed % 8 == 0 and isinstance(group, EngineGroup) and group.engine:
            check_windows(group.engine)
    return results


@pytest.mark.parametrize("plain", [False, True], ids=["values", "arrays"])
@pytest.mark.parametrize("keys", [0, 2, 40, 300, 10**4])
def test_random_streams_are_answered_as_in_slices(
    keys: int, *, plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timetable, "AHEAD", 16)
    assert sum(play(seed, keys, plain=plain) for seed in range(25)) > 500


@pytest.mark.parametrize("method", ["compiled", "slices", "records"])
@pytest.mark.parametrize("watermark", range(8, 22))
def test_a_late_event_updates_each_window_that_had_ended(watermark: int, method: Method) -> None:
    for time in range(24):
        both = ColumnarOperator(Settings(9), method=method), SpecificationOperator(Settings(9))
        for operator in both:
            operator.add(Query("tens", tumbling(10), named("sum")))
            operator.add(Query("some", Sliding(6, 4, 1), named("max")))
            operator.take(Step((Event(3, 1), Event(8, 2), Event(13, 4)), watermark))
        tested, denoted = (operator.take(Step((Event(time, 8),))) for operator in both)
        assert not response_difference(denoted, tested)


def test_a_watermark_before_the_first_event_leaves_its_window_to_be_emitted() -> None:
    both = ColumnarOperator(Settings(100), method="compiled"), SpecificationOperator(Settings(100))
    for operator in both:
        operator.add(Query("tens", tumbling(10), named("sum")))
        operator.take(Step((), 50))
    tested, denoted = (operator.take(Step((Event(12, 1), Event(3, 2)))) for operator in both)
    assert len(denoted.results) == 2
    assert not response_difference(denoted, tested)


@pytest.mark.parametrize("jump", [10**4, 10**8, 10**15])
def test_a_jump_of_time_costs_no_slices(jump: int) -> None:
    operator = ColumnarOperator(Settings(), method="compiled")
    operator.add(Query("w", Sliding(1000, 10), named("sum")))
    group = next(iter(operator.groups.values()))
    for now in (0, jump, 2 * jump):
        operator.take_columns(np.array([now]), np.array([1]), None, None)
    edges = getattr(group, "engine").timetable.edges  # noqa: B009 - of this kind of group
    assert len(edges) < 3 * 3000
    assert (
        len(operator.take_columns(np.array([], np.int64), np.array([], np.int64), None, 3 * jump))
        == 300
    )


def test_blank_slices_are_cut_where_events_are() -> None:
    random = Random(7)  # noqa: S311 nothing secret
    for _ in range(60):
        sizes = [
            random.randint(1, random.choice([3, 40, 5000])) for _ in range(random.randint(1, 9))
        ]
        periods = sorted({(size, random.randrange(size)) for size in sizes})
        table = Timetable(periods)
        times = np.array(
            [random.choice([0, 10**6, -(10**9)]) + random.randrange(9000) for _ in range(50)]
        )
        for some in np.array_split(times, 5):
            table.cut(some)
        assert table.edges[0] == -FAR
        assert table.edges[-1] == FAR
        for low, high, blank in zip(table.edges, table.edges[1:], table.blank, strict=False):
            inside = min(
                int(low) + 1 + (phase - int(low) - 1) % period for period, phase in periods
            )
            assert blank == (inside < high)
        for low, high in pairwise(table.edges.tolist()):
            assert low < high
        at = np.searchsorted(table.edges, times, "right") - 1
        assert not table.blank[at].any()


@pytest.mark.parametrize("values", [(1, 2, 3, 4), (2**70, 2**71, 5, 7)], ids=["words", "wide"])
@pytest.mark.parametrize("name", ["first", "last", "m4"])
def test_of_equal_times_in_sessions_that_merge_the_order_of_arrival_decides(
    name: str, values: tuple[object, ...]
) -> None:
    both = ColumnarOperator(Settings(), method="compiled"), SpecificationOperator(Settings())
    times = (10, 20, 15, 10)
    events = tuple(Event(time, value) for time, value in zip(times, values, strict=True))
    for operator in both:
        operator.add(Query("s", Session(8), named(name)))
    tested, denoted = (operator.take(Step(events, 100)) for operator in both)
    assert len(denoted.results) == 1
    assert not response_difference(denoted, tested)


def test_a_row_in_a_blank_slice_inside_its_block_is_counted() -> None:
    """Of a block the first and the last time lie in slices that are cut, one between does not."""
    both = ColumnarOperator(Settings(), method="compiled"), SpecificationOperator(Settings())
    for operator in both:
        operator.add(Query("w", Sliding(4, 2), named("sum")))
    far = 10**6
    for times in ([0], [far], [0, far // 2, far]):
        steps = [Step(tuple(Event(time, 1) for time in times))] * 2
        outputs = [operator.take(step) for operator, step in zip(both, steps, strict=True)]
        assert not response_difference(outputs[1], outputs[0])
    tested, denoted = (operator.take(Step((), 2 * far)) for operator in both)
    assert {result.start for result in denoted.results} >= {far // 2}
    assert not response_difference(denoted, tested)


@pytest.mark.parametrize("then", [0.5, 2**62, 2**70], ids=["floats", "wide sums", "wide"])
@pytest.mark.parametrize("name", ["sum", "max", "mean", "var_pop", "count", "last"])
def test_results_are_read_after_values_of_another_type_and_without_their_query(
    name: str, then: float
) -> None:
    operator = ColumnarOperator(method="compiled")
    for query in ("kept", "removed"):
        operator.add(Query(query, tumbling(10), named(name if query == "removed" else "min")))
    answered = operator.take_columns([1, 2, 12], [3, 5, 4], None, 10)
    operator.take_columns([13, 14], [then, then])
    operator.remove("removed")
    values = {result.query: result.value for result in answered.results()}
    assert values == {"kept": 3, "removed": named(name).of([3, 5])}
