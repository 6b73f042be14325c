"""The columnar operator: arrays in and out, refused input, retained state."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from muntin.columnar.operator import ColumnarOperator
from muntin.conformance.output_comparison import response_difference
from muntin.kernels.slicing.over import over
from muntin.kernels.slicing.plan import Method
from muntin.optimized.scotty.operator import Scotty
from muntin.reference.specification import SpecificationOperator
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.catalogue import named, named_keeping_nulls
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Rolling, Session
from muntin.spec.windows.periodic import Cumulate, Landmark, Sliding, tumbling
from support.disorder import stream, time_batches

MASKED: object = vars(np.ma)["masked_all"](1, np.int64)
METHODS: list[Method] = ["compiled", "slices", "records"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["sum", "min", "max", "mean", "range"])
def test_columns_and_events_give_the_same(method: Method, name: str) -> None:
    times, specified = stream(300, 20), SpecificationOperator(Settings(10))
    operator = ColumnarOperator(Settings(10), method=method)
    for one in (specified, operator):
        one.add(Query("a", Sliding(30, 7, 3), named(name)))
        one.add(Query("b", Session(3), named(name)))
    for batch in time_batches(times, 40):
        values = batch * 7 % 11
        watermark = int(batch.max()) - 15
        events = [Event(t, v) for t, v in zip(batch.tolist(), values.tolist(), strict=True)]
        expected = specified.take(Step(tuple(events), watermark))
        answered = operator.take_columns(batch, values, None, watermark)
        output = Output(answered.results(), tuple(events[int(i)] for i in answered.late))
        assert not response_difference(expected, output)


@pytest.mark.parametrize("method", METHODS)
def test_one_huge_value_spoils_no_other_window(method: Method) -> None:
    """As it would if a window were the difference of two prefix sums of floats."""
    times = np.arange(1000)
    values = np.full(1000, 0.1)
    values[3], values[500] = 1e17, math.inf
    operator = ColumnarOperator(method=method)
    operator.add(Query("w", Sliding(20, 10), named("sum")))
    sums = {r.start: r.value for r in operator.take_columns(times, values, None, 1020).results()}
    prefixes = np.concatenate([[0.0], np.cumsum(values)])
    naive = {start: prefixes[start + 20] - prefixes[start] for start in range(20, 480, 10)}
    exact = float(Fraction(0.1) * 20)
    good = [start for start in naive if math.isclose(naive[start], exact, rel_tol=1e-9)]
    assert good == []
    for start in [*range(20, 480, 10), *range(510, 980, 10)]:
        value = sums[start]
        assert isinstance(value, float)
        assert abs(value - exact) <= 20 * 2.0**-52 * exact


@pytest.mark.parametrize("method", METHODS)
def test_sums_beyond_64_bits_are_widened(method: Method) -> None:
    operator = ColumnarOperator(method=method)
    operator.add(Query("w", tumbling(10), named("sum")))
    operator.add(Query("v", tumbling(10), named("var_pop")))
    values = np.array([2**62, 2**62, 2**62, 5])
    results = operator.take_columns(np.array([1, 2, 3, 11]), values, None, END).results()
    assert [r.value for r in results] == [3 * 2**62, 0.0, 5, 0.0]


@pytest.mark.parametrize("method", METHODS)
def test_slices_that_no_window_needs_are_evicted(method: Method) -> None:
    operator = ColumnarOperator(Settings(50), method=method)
    operator.add(Query("w", Sliding(100, 10), named("max")))
    operator.add(Query("s", Session(1), named("max")))
    most = 0
    for batch in time_batches(stream(100_000, 20), 500):
        operator.take_columns(batch, batch, None, int(batch.max()) - 20)
        most = max(most, operator.retained())
    assert 0 < most <= {"compiled": 2048, "slices": 500, "records": 2 * 500}[method]


def test_a_second_key_is_served_like_the_first() -> None:
    operator = ColumnarOperator(method="compiled")
    operator.add(Query("w", tumbling(10), named("sum")))
    operator.take_columns(np.array([1, 12]), np.array([1, 2]), np.array([7, 7]), None)
    before = operator.explain()
    results = operator.take_columns(np.array([3]), np.array([4]), np.array([8]), 20).results()
    assert [(r.key, r.start, r.value) for r in results] == [(7, 0, 1), (8, 0, 4), (7, 10, 2)]
    assert operator.explain() == before
    assert before.startswith(
        "w: tumbling of sum: compiled (one compiled call a step); sum by prefix"
    )


def test_keys_of_any_type() -> None:
    operator = ColumnarOperator()
    operator.add(Query("w", tumbling(10), named("count")))
    for keys in (np.array(["b", "a"]), np.array([5, -1]), np.array(["a", None], np.object_)):
        operator.take_columns(np.array([1, 2]), np.array([1, 1]), keys, None)
    results = operator.take_columns(np.array([4]), np.array([1]), None, END).results()
    assert [(r.key, r.value) for r in results] == [("b", 1), ("a", 2), (5, 1), (-1, 1), (None, 2)]


def test_keys_that_are_equal_are_one_key_whatever_their_types() -> None:
    twos = [2, 2.0, Fraction(2), Decimal(2), np.int64(2), np.float32(2), complex(2)]
    others = [
        np.True_,
        1,
        2**63,
        float(2**63),
        math.inf,
        Decimal("inf"),
        np.str_("2"),
        complex(2, 1),
    ]
    specified, columnar = SpecificationOperator(), ColumnarOperator()
    for one in (specified, columnar):
        one.add(Query("w", tumbling(10), named("count")))
    columnar.take_columns([1, 2], [1, 1], np.array([1, 2], np.int32))
    specified.take(Step((Event(1, 1, 1), Event(2, 1, 2))))
    step = Step(tuple(Event(3, 1, key) for key in [*twos, *others]), END)
    assert not response_difference(specified.take(step), columnar.take(step))


def test_many_columns_in_one_pass() -> None:
    operator = ColumnarOperator()
    operator.add(Query("p", tumbling(10), over("price", named("mean"))))
    operator.add(Query("n", tumbling(10), over("n", named("sum"))))
    operator.add(Query("best", tumbling(10), over(("price", "n"), named("argmax"))))
    columns = {"price": np.array([1.0, 3.0, 2.0]), "n": np.array([4, 5, 6])}
    answered = operator.take_columns(np.array([1, 2, 3]), columns, None, END)
    assert [(r.query, r.value) for r in answered.results()] == [("p", 2.0), ("n", 15), ("best", 5)]
    lines = answered.of("n")
    assert lines
    assert lines.start.tolist() == [0]


def test_a_user_aggregate_with_a_catalogue_name_is_not_replaced() -> None:
    mine = named_keeping_nulls("max")
    other = Aggregate("sum", mine.lift, mine.monoid, mine.lower, commutative=True, kind="holistic")
    operator = ColumnarOperator()
    operator.add(Query("w", tumbling(10), other))
    assert "no form over columns" in operator.explain()
    assert operator.take_columns([1, 2], [3, 4], None, END).results()[0].value == 4


@pytest.mark.parametrize("method", ["generic", "auto", "compiled", "slices", "records"])
@pytest.mark.parametrize("time", [3 * 2**60 - 1, 1 - 3 * 2**60])
def test_every_window_of_an_accepted_time_is_emitted(time: int, method: Method) -> None:
    longest = 2**60 - 2
    kinds = [
        tumbling(longest), Sliding(longest, longest // 2), Session(longest), Rolling(longest),
        Cumulate(longest, longest // 2), Landmark(-1, longest),
    ]  # fmt: skip
    operator, other = ColumnarOperator(method=method), Scotty()
    for index, kind in enumerate(kinds):
        operator.add(Query(f"{index}", kind, named("sum")))
        other.add(Query(f"{index}", kind, named("sum")))
    step = Step((Event(time, 7),), END)
    assert not response_difference(other.take(step), operator.take(step))
    for far in (time + 1, time - 1):
        if abs(far) > abs(time):
            with pytest.raises(
                UnsupportedError, match=f"event is {far}; .* within {3 * 2**60 - 1}"
            ):
                operator.take_columns([far], [7])


@pytest.mark.parametrize("watermark", ["noon", math.nan, 1.5, True, -math.inf])
def test_a_watermark_of_columns_is_as_one_of_events(watermark: float) -> None:
    operator = ColumnarOperator()
    operator.add(Query("w", tumbling(10), named("sum")))
    with pytest.raises(InvalidInputError, match="a watermark must be an integer"):
        operator.take_columns([1], [1], None, watermark)
    with pytest.raises(InvalidInputError, match="cannot be hashed"):
        operator.take_columns([1, 2], [1, 1], np.array([[1], None], object), 5)
    assert [r.value for r in operator.take_columns([0], [6], None, END).results()] == [6]


@pytest.mark.parametrize(
    ("times", "values", "message"),
    [
        (MASKED, [1], "times must be a column without a mask"),
        ([1], MASKED, "the values must be a column without a mask"),
        ([1.5], [1], "times must be a column of integers, not float64"),
        ([[1]], [1], r"times must be a column of integers, not of shape \(1, 1\)"),
        ([1, 2], [[1], [2, 3]], "the values must be a column, of one item a row"),
        ([[1], [2, 3]], [1, 2], "times must be a column, of one item a row"),
        ([2**62], [1], "the time of an event is 4611686018427387904"),
        (np.array([2**63], np.uint64), [1], "the time of an event is 9223372036854775808"),
        ([1], [1, 2], r"the values has the shape \(2,\), and there are 1 times"),
        ([1], ["x"], "'x' is no value of sum: it is not a number; it is in row 0 of the values"),
        ([1], {"a": [1]}, "say which of the columns"),
        ([1], None, "no values were given"),
    ],
)
def test_bad_columns_are_refused_and_leave_no_trace(
    times: object, values: object, message: str
) -> None:
    operator = ColumnarOperator(Settings(in_order=True), method="compiled")
    operator.add(Query("w", tumbling(10), named("sum")))
    operator.take_columns([0], [5], None, None)
    with pytest.raises((InvalidInputError, UnsupportedError), match=message):
        operator.take_columns(times, values, None, 100)
    assert [r.value for r in operator.take_columns([0], [6], None, END).results()] == [11]


def test_columns_out_of_order_are_refused_where_order_was_promised() -> None:
    operator = ColumnarOperator(Settings(in_order=True))
    operator.add(Query("w", tumbling(10), named("sum")))
    with pytest.raises(InvalidInputError, match="time 4 follows 7"):
        operator.take_columns([3, 7, 4], [1, 1, 1], None, None)


def test_a_rolling_median() -> None:
    operator = ColumnarOperator()
    operator.add(Query("w", Rolling(3), named("median")))
    results = operator.take_columns([1, 2, 3, 9], [5.0, 1.0, 4.0, 8.0], None, END).results()
    assert [r.value for r in results] == [5.0, 3.0, 4.0, 8.0]


def test_windows_go_on_after_a_jump_in_time() -> None:
    operator = ColumnarOperator(method="compiled")
    operator.add(Query("w", Sliding(4, 2), named("sum")))
    operator.take_columns([1, 2], [1, 2], None, 10)
    far = 10**15
    results = operator.take_columns([far], [5], None, END).results()
    assert [(r.start, r.value) for r in results] == [(far - 2, 5), (far, 5)]


def test_a_query_added_before_its_first_event_cuts_the_slices_too() -> None:
    operator = ColumnarOperator(method="slices")
    operator.add(Query("a", tumbling(4), named("sum")))
    operator.take_columns([], [], None, 3)
    operator.add(Query("b", tumbling(4), named("sum")))
    operator.take_columns([3, 2], [9, 9], None, None)
    operator.add(Query("c", tumbling(1), named("sum")))
    results = operator.take_columns([6, 7], [1, 2], None, END).results()
    assert [(r.start, r.value) for r in results if r.query == "c"] == [(6, 1), (7, 2)]


@pytest.mark.parametrize("method", METHODS)
def test_a_removed_query_takes_its_column_along(method: Method) -> None:
    operator = ColumnarOperator(method=method)
    for name in ("a", "b"):
        operator.add(Query(name, tumbling(10), over(name, named("sum"))))
    operator.take_columns([1], {"a": [1], "b": [2]})
    operator.remove("b")
    assert [r.value for r in operator.take_columns([2], {"a": [3]}, None, END).results()] == [4]
