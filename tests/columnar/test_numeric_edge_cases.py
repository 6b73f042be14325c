"""Numbers at the edges of a column: NaN beside wide integers, any order of bytes, masks, ranks."""

from fractions import Fraction
from importlib import import_module
from math import inf, nan

import numpy as np
import pytest

from muntin.columnar.operator import ColumnarOperator
from muntin.kernels.aggregator.column_window import ColumnWindow
from muntin.kernels.aggregator.in_order_scan import rolling
from muntin.kernels.aggregator.numeric_catalogue import numeric_aggregate as summary
from muntin.kernels.compiler.availability import COMPILED
from muntin.kernels.slicing.over import is_row
from muntin.kernels.slicing.plan import Method
from muntin.reference.specification import SpecificationOperator
from muntin.snapshot import restore, snapshot, transfer_state
from muntin.spec.algebra.catalogue import named
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import Query
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.periodic import tumbling

pa = import_module("pyarrow")
METHODS: tuple[Method, ...] = ("auto", "slices", "records")
ONE = (
    "max",
    "min",
    "m4",
    "range",
    "median",
    "percentile(0)",
    "percentile(100)",
    "percentile(33.3)",
)
PAIRS = ("argmin", "argmax")
NEAR = 1e-12


def answer(operator: Operator, aggregate: str, steps: list[list[object]]) -> object:
    operator.add(Query("q", tumbling(100), named(aggregate)))
    at = 0
    for step in steps:
        operator.take(Step(tuple(Event(at + k, value) for k, value in enumerate(step))))
        at += len(step)
    return operator.take(Step((), 100)).results[0].value


def floats_of(value: object) -> list[float]:
    """The numbers of a result, NaN for other values."""
    if is_row(value):
        return [number for one in value for number in floats_of(one)]
    return [float(value) if isinstance(value, int | float | Fraction) else nan]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("aggregate", ONE + PAIRS)
def test_nan_is_greater_than_wide_integers(aggregate: str, method: Method, *, turned: bool) -> None:
    wide: list[object] = [2**70, 3]
    floats: list[object] = [nan, 1.5, inf, -inf]
    if aggregate in PAIRS:
        wide = [(value, k) for k, value in enumerate(wide)]
        floats = [(value, k) for k, value in enumerate(floats)]
    steps = [floats, wide] if turned else [wide, floats]
    expected = answer(SpecificationOperator(), aggregate, steps)
    output = answer(ColumnarOperator(method=method), aggregate, steps)
    assert floats_of(output) == pytest.approx(floats_of(expected), rel=NEAR, nan_ok=True)


@pytest.mark.parametrize("order", "<>")
def test_unsigned_columns_never_wrap_in_any_order_of_bytes(order: str) -> None:
    operator = ColumnarOperator()
    operator.add(Query("q", tumbling(10), named("sum")))
    large = np.array([2**63 + 5], f"{order}u8")
    with pytest.raises(UnsupportedError, match="the time of an event is 9223372036854775813"):
        operator.take_columns(large, np.array([1]))
    answered = operator.take_columns(np.array([1], f"{order}u8"), large, None, 10)
    assert answered.results()[0].value == 2**63 + 5


def test_keys_with_a_mask_are_refused() -> None:
    operator = ColumnarOperator()
    operator.add(Query("q", tumbling(10), named("sum")))
    masked = np.ma.masked_array([1, 2], [False, True])
    with pytest.raises(InvalidInputError, match="keys must be a column without a mask"):
        operator.take_columns(np.array([1, 2]), np.array([1, 2]), masked, 10)


@pytest.mark.parametrize("kind", [int, float])
@pytest.mark.parametrize("p", ["33.333333333333333", "33.333333333333333333333333333"])
def test_a_percentile_of_many_digits_never_wraps(p: str, kind: type[float]) -> None:
    operator = ColumnarOperator()
    operator.add(Query("q", tumbling(10), named(f"percentile({p})")))
    values = np.arange(3000).astype(kind)
    answered = operator.take_columns(np.zeros(3000, np.int64), values, None, 10)
    assert answered.results()[0].value == pytest.approx(2999 / 3, rel=NEAR)


@pytest.mark.parametrize("name", ["sum", "mean", "median", "range"])
def test_an_integer_beyond_floats_is_refused_with_a_float(name: str) -> None:
    operator, restored = (ColumnarOperator(method="compiled") for _ in range(2))
    for one in (operator, restored):
        one.add(Query("q", tumbling(10), named(name)))
    message = r"'q': .* an integer beyond all floats has no .* floats \(the values, as of row"
    with pytest.raises(UnsupportedError, match=rf"{message} 1\); convert either"):
        operator.take(Step((Event(1, 10**400), Event(2, 1.5))))
    operator.take(Step((Event(1, 10**400),)))
    transfer_state(operator, restored)
    for one in (operator, restored):
        with pytest.raises(UnsupportedError, match=rf"{message} 0"):
            one.take(Step((Event(1, 1.5),)))
        assert one.take(Step((), 10)).results[0].value in (10**400, inf, 0)


def test_an_integer_beyond_floats_is_the_greatest() -> None:
    operator = ColumnarOperator(method="compiled")
    operator.add(Query("q", tumbling(10), named("max")))
    operator.take(Step((Event(1, 10**400), Event(2, 1.5))))
    assert operator.take(Step((), 10)).results[0].value == 10**400


def test_nulls_of_arrow_are_refused_where_numpy_has_none_for_them() -> None:
    operator = ColumnarOperator()
    operator.add(Query("q", tumbling(10), named("max")))
    times, nulls = np.array([1, 2]), pa.array([1.5, None])
    with pytest.raises(InvalidInputError, match="must be a column without nulls, and 1 are"):
        operator.take_columns(times, nulls)
    with pytest.raises(InvalidInputError, match="keys must be a column without nulls"):
        operator.take_columns(times, times, pa.array([7, None]))
    with pytest.raises(InvalidInputError, match="column 0 of max must be"):
        ColumnWindow(summary("max"), compiled=COMPILED).insert(times, nulls)
    output = operator.take_columns(times, pa.array([1, 2]), pa.array(["a", None]), 10).results()
    assert [(line.key, line.value) for line in output] == [("a", 1), (None, 2)]


def test_a_window_longer_than_all_time_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="the size of a window must fit into 64 bits"):
        rolling(summary("max"), 2**63, [2**62], [1.0])


@pytest.mark.parametrize("method", METHODS)
def test_nan_is_one_key_in_all_batches_and_after_a_restore(method: Method) -> None:
    def with_query() -> ColumnarOperator:
        operator = ColumnarOperator(method=method)
        operator.add(Query("q", tumbling(10), named("sum")))
        return operator

    first, second = with_query(), with_query()
    for time in (1, 2):
        first.take_columns([time, time], [1, 2], np.array([nan, 0.5]))
    restore(second, snapshot(first))
    for one in (first, second):
        output = one.take_columns([3, 4], [4, 8], np.array([nan, nan]), 10).results()
        assert [r.value for r in output if r.key != 0.5] == [14]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("aggregate", ["std_pop", "std_sample", "var_pop", "var_sample"])
def test_the_spread_of_integers_is_to_the_last_bit(aggregate: str, method: Method) -> None:
    for values in ([-2, 1, 1, 0, -1, -1], [1, 2, 4], [10**15, 3, 7], [5, 5]):
        steps: list[list[object]] = [[*values]]
        expected = answer(SpecificationOperator(), aggregate, steps)
        assert answer(ColumnarOperator(method=method), aggregate, steps) == expected


AFTER_NULLS: list[list[object]] = [[nan], [inf], [-inf], [2**63], [2**70], [-(2**70)], [1.5, nan]]


@pytest.mark.parametrize("method", ["auto", "slices", "records"])
@pytest.mark.parametrize("name", ["min", "max", "range", "m4"])
@pytest.mark.parametrize("values", AFTER_NULLS, ids=str)
def test_nulls_do_not_change_the_type_of_other_values(
    values: list[object], name: str, method: Method
) -> None:
    only_null: list[object] = [None]
    orders: list[list[list[object]]] = [
        [only_null, values], [values, only_null], [[3, None], only_null, values],
    ]  # fmt: skip
    for batches in orders:
        tested, denoted = ColumnarOperator(method=method), SpecificationOperator()
        for operator in (tested, denoted):
            operator.add(Query("q", tumbling(9), named(name)))
        for time, batch in enumerate(batches):
            denoted.take(Step(tuple(Event(time, value) for value in batch)))
            tested.take_columns([time] * len(batch), np.array(batch, object))
        expected = denoted.take(Step((), END)).results
        output = tested.take_columns([], [], None, END).results()
        assert str(as_floats(output[0].value)) == str(as_floats(expected[0].value))


def as_floats(value: object) -> object:
    return tuple(map(as_floats, value)) if is_row(value) else float(str(value))
