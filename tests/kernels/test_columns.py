"""Windows over columns, as they are and compiled: against a plain dictionary; limits; refusals."""

from collections.abc import Callable, Sequence
from random import Random

import numpy as np
import pytest

from muntin.kernels.aggregator.column_backend import backend_for, lift_batch
from muntin.kernels.aggregator.column_window import ColumnWindow
from muntin.kernels.aggregator.in_order_scan import fold_ranges, rolling
from muntin.kernels.aggregator.numeric_catalogue import numeric_aggregate
from muntin.kernels.compiler.engine import NodeShape
from muntin.kernels.compiler.input_checks import TooLargeError
from muntin.spec.errors import InvalidInputError, UnsupportedError

SUM = numeric_aggregate("sum", "int")
BOTH = pytest.mark.parametrize("compiled", [False, True])
TINY = NodeShape(4, 4)


def window(*, compiled: bool) -> ColumnWindow:
    return ColumnWindow(SUM, TINY, compiled=compiled)


def answers(columns: Sequence[object]) -> list[int]:
    (column,) = columns
    return [int(x) for x in np.asarray(column).tolist()]


@BOTH
@pytest.mark.parametrize("spread", [3, 60, 100_000])
def test_batches_in_any_order_are_inserted_as_one_by_one(spread: int, *, compiled: bool) -> None:
    random = Random(spread)  # noqa: S311 nothing secret
    contents: dict[int, int] = {}
    column_window = window(compiled=compiled)
    for size in (1, 5, 40, 300, 700):
        times = [random.randrange(-spread, spread) for _ in range(size)]
        if size == 5:
            times.sort()
        values = [random.randrange(-(2**40), 2**40) for _ in range(size)]
        column_window.insert(times, values)
        for time, value in zip(times, values, strict=True):
            contents[time] = contents.get(time, 0) + value
        evicted = random.sample(times, size // 2)
        column_window.evict(evicted)
        contents = {time: value for time, value in contents.items() if time not in evicted}
        column_window.evict_through(-spread // 2)
        contents = {time: value for time, value in contents.items() if time > -spread // 2}
        assert len(column_window) == len(contents)
        assert (column_window.oldest(), column_window.youngest()) == (
            min(contents, default=None),
            max(contents, default=None),
        )
        assert column_window.query() == ((sum(contents.values()),) if contents else None)
        firsts = [random.randrange(-spread, spread) for _ in range(20)]
        lasts = [first + random.randrange(-1, spread) for first in firsts]
        nonempty, sums = column_window.query_ranges(firsts, lasts)
        inside = [
            [v for t, v in contents.items() if a <= t <= b]
            for a, b in zip(firsts, lasts, strict=True)
        ]
        assert list(nonempty) == [bool(values) for values in inside]
        assert [x for x, some in zip(answers(sums), nonempty, strict=True) if some] == [
            sum(values) for values in inside if values
        ]
    assert all(fact for _, fact in column_window.tree.invariants(list(column_window.tree.items())))


@BOTH
def test_rounds_evict_insert_and_query(*, compiled: bool) -> None:
    random = Random(5)  # noqa: S311 nothing secret
    column_window = window(compiled=compiled)
    size = 500
    times = [10 * k - random.randrange(200) for k in range(size)]
    ends, values = [10 * k - 400 for k in range(size)], list(range(size))
    contents: dict[int, int] = {}
    expected: list[int] = []
    for end, time, value in zip(ends, times, values, strict=True):
        contents = {t: v for t, v in contents.items() if t > end}
        contents[time] = contents.get(time, 0) + value
        expected.append(sum(contents.values()))
    assert answers(column_window.replay_rounds(ends, times, values)) == expected


@BOTH
@pytest.mark.parametrize("far", [0, 2**62])
def test_rows_at_one_time_keep_the_order_of_their_arrival(far: int, *, compiled: bool) -> None:
    form = backend_for(SUM, compiled=compiled)
    times = [far * (k % 2) - far + 7 - k // 100 for k in range(600)]
    batch = form.sorted(lift_batch(form, SUM, times, [list(range(600))]))
    order = [int(form.partial_at(batch.values, k)[1]) for k in range(600)]
    assert order == sorted(range(600), key=times.__getitem__)
    assert [int(batch.times[k]) for k in range(600)] == sorted(times)


@BOTH
def test_times_at_the_ends_of_64_bits_are_sorted_and_queried(*, compiled: bool) -> None:
    column_window = window(compiled=compiled)
    ends = [2**63 - 1, -(2**63)]
    column_window.insert([*ends, *range(300, 0, -1)], [1, 2, *[0] * 300])
    assert (column_window.oldest(), column_window.youngest()) == (-(2**63), 2**63 - 1)
    assert answers(column_window.query_ranges([ends[1], ends[1], 0], [ends[0], 0, ends[0]])[1]) == [
        3,
        2,
        1,
    ]
    column_window.evict_through(2**63 - 1)
    assert len(column_window) == 0


@BOTH
def test_a_sum_beyond_64_bits_is_widened_by_a_query_and_refused_in_a_column(
    *, compiled: bool
) -> None:
    column_window = window(compiled=compiled)
    column_window.insert([1, 2], [2**63 - 1, 2**63 - 1])
    assert column_window.query() == (2**64 - 2,)
    with pytest.raises(TooLargeError, match=f"row 2 does not fit into 64 bits: it is {2**63}$"):
        column_window.replay_rounds([1, 1, 1], [3, 4, 5], [-(2**63), 2**63 - 1, 2])
    assert (len(column_window), column_window.query()) == (4, (2**63,))


@BOTH
@pytest.mark.parametrize(
    ("times", "column", "message"),
    [
        ([1, 2**63], [1, 1], "the time must fit into 64 bits"),
        ([1, -(2**63) - 1], [1, 1], "the time must fit into 64 bits"),
        ([1.5], [1], "the time must be an integer, not 1.5"),
        ([True], [1], "the time must be an integer, not True"),
        (["noon"], [1], "the time must be an integer, not 'noon'"),
        ([1], [2**63], "column 0 of sum must fit into 64 bits"),
        ([1], [0.5], "column 0 of sum must be an integer, not 0.5"),
        ([1], [None], "column 0 of sum must be an integer, not None"),
        ([1, 2], [1], "column 0 has 1 rows for 2 times"),
    ],
)
def test_bad_columns_are_refused_before_anything_changes(
    times: list[int], column: list[int], message: str, *, compiled: bool
) -> None:
    column_window = window(compiled=compiled)
    column_window.insert([1, 2], [3, 4])
    for call in (
        lambda: column_window.insert(times, column),
        lambda: column_window.replay_rounds([0] * len(times), times, column),
    ):
        with pytest.raises(InvalidInputError, match=message):
            call()
    assert column_window.query() == (7,)


@BOTH
def test_what_does_not_fit_together_is_refused(*, compiled: bool) -> None:
    column_window = window(compiled=compiled)
    with pytest.raises(InvalidInputError, match="sum needs 1 columns, got 2"):
        column_window.insert([1], [1], [1])
    with pytest.raises(InvalidInputError, match="1 evictions for 2 inserts"):
        column_window.replay_rounds([1], [1, 2], [1, 2])
    with pytest.raises(InvalidInputError, match="1 first times for 2 last times"):
        column_window.query_ranges([1], [1, 2])
    with pytest.raises(InvalidInputError, match="floats, or integers up to 2"):
        ColumnWindow(numeric_aggregate("sum"), compiled=compiled).insert([1], [2**53 + 1])
    with pytest.raises(
        UnsupportedError, match="'median' is not compiled; choose one of sum, count"
    ):
        numeric_aggregate("median")
    with pytest.raises(InvalidInputError, match="a column must be of int or float, not 'decimal'"):
        numeric_aggregate("sum", "decimal")  # type: ignore[arg-type] # that is what is wrong


MASKED: object = vars(np.ma)["masked_all"](2, np.int64)
ODD: list[object] = [None, 5, np.array(5), np.zeros((2, 2), np.int64), MASKED, max]


@BOTH
@pytest.mark.parametrize("odd", ODD)
def test_what_is_no_column_is_refused(odd: list[int], *, compiled: bool) -> None:
    for kind in ("int", "float"):
        column_window = ColumnWindow(numeric_aggregate("sum", kind), compiled=compiled)
        with pytest.raises(InvalidInputError, match="the time must be"):
            column_window.insert(odd, [1, 2])
        with pytest.raises(InvalidInputError, match="column 0 of sum must be"):
            column_window.insert([1, 2], odd)
    with pytest.raises(InvalidInputError, match="size of a window must be greater than 0, not 0"):
        rolling(SUM, 0, [1], [1], compiled=compiled)


@BOTH
def test_arrays_of_any_integer_type_are_accepted(*, compiled: bool) -> None:
    column_window = window(compiled=compiled)
    for kind in (np.int8, np.uint8, np.int32, np.uint64, np.int64):
        column_window.insert(np.arange(3, dtype=kind), np.arange(3, dtype=kind)[::-1])
    assert column_window.query() == (15,)
    with pytest.raises(InvalidInputError, match="must fit into 64 bits"):
        column_window.insert(np.array([2**63], np.uint64), [1])
    with pytest.raises(InvalidInputError, match="the time must be an integer"):
        column_window.insert(np.array([1.0]), [1])
    column_window.insert([], [])
    assert len(column_window) == 3


def words_of_a_partial(column_window: ColumnWindow) -> int:
    return len(next(iter(column_window.tree.items()))[1])


@BOTH
@pytest.mark.parametrize("sign", [1, -1])
def test_sums_take_a_second_word_before_one_overflows(sign: int, *, compiled: bool) -> None:
    column_window, value = window(compiled=compiled), sign * (2**61 + 1)
    for count in range(1, 8):
        column_window.insert([count], [value])
        assert column_window.query() == (value * count,)
        assert words_of_a_partial(column_window) == (1 if count < 4 else 2)
    assert answers(column_window.replay_rounds([5, 6], [8, 8], [value, 1])) == [
        3 * value,
        2 * value + 1,
    ]


@BOTH
def test_sums_stay_in_one_word_while_the_values_of_the_window_fit(*, compiled: bool) -> None:
    column_window, value = window(compiled=compiled), 2**60
    for time in range(30):
        column_window.insert([time], [value])
        column_window.evict_through(time - 3)
        assert column_window.query() == (value * min(time + 1, 3),)
    assert words_of_a_partial(column_window) == 1


@BOTH
def test_rolling_windows_in_order(*, compiled: bool) -> None:
    random = Random(1)  # noqa: S311 nothing secret
    times = sorted(random.randrange(300) for _ in range(200))
    values = [random.randrange(100) for _ in range(200)]
    expected = [
        sum(v for s, v in zip(times, values, strict=True) if t - 20 < s <= t) for t in times
    ]
    assert answers(rolling(SUM, 20, times, values, compiled=compiled)) == expected
    assert answers(rolling(SUM, 20, [], [], compiled=compiled)) == []
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: rolling(SUM, 5, [2, 1], [0, 0], compiled=compiled), "1 comes after 2"),
        (lambda: rolling(SUM, 5, [-(2**63)], [0], compiled=compiled), "first window must fit"),
        (
            lambda: fold_ranges(SUM, ([1, 0], [2, 2]), [1, 2], [0, 0], compiled=compiled),
            "0 comes after 1",
        ),
        (
            lambda: fold_ranges(SUM, ([0], [3]), [1, 2], [0, 0], compiled=compiled),
            r"\[0, 3\) is not",
        ),
        (
            lambda: fold_ranges(SUM, ([2], [1]), [1, 2], [0, 0], compiled=compiled),
            r"\[2, 1\) is not",
        ),
        (lambda: fold_ranges(SUM, ([0], [1, 2]), [1, 2], [0, 0], compiled=compiled), "1 first"),
    ]
    for wrong, message in cases:
        with pytest.raises(InvalidInputError, match=message):
            wrong()
