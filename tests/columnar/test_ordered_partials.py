"""Partials of several numbers in dense slices, compared with plain slices."""

from math import isclose, isnan
from random import Random
from typing import TypeVar

import numpy as np
import pytest

from muntin.columnar.operator import ColumnarOperator
from muntin.conformance.output_comparison import response_difference
from muntin.kernels.slicing.arrays import Column, Ints, column_of
from muntin.kernels.slicing.over import over
from muntin.kernels.slicing.plan import Method
from muntin.reference.specification import SpecificationOperator
from muntin.snapshot import transfer_state
from muntin.spec.algebra.catalogue import named
from muntin.spec.operator import Operator
from muntin.spec.query import Query, Result, Settings
from muntin.spec.stream import Event, Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding, tumbling

NAMES = ["m4", "first", "last", "var_pop", "std_sample"]
CHOICES = ["argmin", "argmax"]


def with_queries(random: Random, settings: Settings) -> list[ColumnarOperator]:
    """Operators with the same queries: dense, in slices, and dense again."""
    operators = [ColumnarOperator(settings, method=m) for m in ("compiled", "slices", "compiled")]
    size = random.choice([4, 10, 64, 777])
    kind = Sliding(size, random.choice([size, max(1, size // 3), 2 * size]), random.choice([0, 1]))
    for operator in operators:
        for name in NAMES:
            operator.add(Query(name, kind, over("x", named(name))))
        for name in CHOICES:
            operator.add(Query(name, tumbling(50), over(("y", "x"), named(name))))
    return operators


def batch(random: Random, at: int, *, whole: bool) -> tuple[Ints, dict[str, Column]]:
    """Times, some equal and some late; values, some equal or NaN."""
    rng, n = np.random.default_rng(random.randrange(2**32)), random.choice([0, 1, 65, 1500])
    rate = random.choice([0.1, 1, 10])
    late = np.where(rng.random(n) < random.choice([0, 0.3]), rng.integers(0, 300, n), 0)
    times = at + (np.arange(n) / rate).astype(np.int64) - late
    x, y = rng.integers(-5, 6, n), rng.integers(-3, 4, n) / 2
    values = column_of(x) if whole else column_of(x / 4)
    return times, {"x": values, "y": column_of(np.where(rng.random(n) < 0.1, np.nan, y))}


def is_close_result(a: Result, b: Result) -> bool:
    """Whether rows are equal, except for the rounding of a variance of floats."""
    same = a[:4] == b[:4] and a[5:] == b[5:]
    if isinstance(a.value, float) and isinstance(b.value, float) and a.query in NAMES[3:]:
        return same and isclose(a.value, b.value, rel_tol=1e-9, abs_tol=1e-12)
    return same and a.value == b.value


METHODS: list[Method] = ["auto", "compiled", "slices", "records"]


@pytest.mark.parametrize("method", METHODS)
def test_one_column_over_another_is_not_the_other_over_the_one(method: Method) -> None:
    both = ColumnarOperator(method=method), SpecificationOperator()
    for operator in both:
        for fields in (("x", "y"), ("y", "x")):
            operator.add(Query(f"{fields}", tumbling(10), over(fields, named("argmin"))))
    step = Step((Event(1, {"x": 1, "y": 20}), Event(2, {"x": 2, "y": 10})), 10)
    got, expected = (operator.take(step) for operator in both)
    assert not response_difference(expected, got)
    assert [result.value for result in got.results] == [20, 2]


@pytest.mark.parametrize("method", METHODS)
def test_a_null_payload_is_returned_as_any_value(method: Method) -> None:
    nulls = 0
    for seed in range(8):
        random = Random(seed)  # noqa: S311 nothing secret
        operator, restored = (with_arg_queries(ColumnarOperator(method=method)) for _ in range(2))
        twin = with_arg_queries(SpecificationOperator())
        for index, at in enumerate(range(-60, 61, 20)):
            if index == 2:
                transfer_state(operator, restored)
                operator = restored
            step = Step(tuple(with_nulls(random, at) for _ in range(12)), at)
            output = operator.take(step)
            assert not response_difference(twin.take(step), output)
            nulls += sum(result.value is None for result in output.results)
    assert nulls > 50


A = TypeVar("A", bound=Operator)


def with_arg_queries(operator: A) -> A:
    """Add queries for arg-min and arg-max."""
    for window in (tumbling(10), Sliding(20, 5)):
        for name in CHOICES:
            operator.add(Query(f"{name} {window}", window, over(("x", "y"), named(name))))
    return operator


def with_nulls(random: Random, at: int) -> Event:
    """An event with many equal values and many nulls."""
    x, y = random.choice([None, 1, 2]), random.choice([None, 5, 2**62])
    return Event(at + random.randrange(40), {"x": x, "y": y})


@pytest.mark.parametrize("keys", [0, 3, 200])
def test_partials_of_several_numbers_are_as_in_slices(keys: int) -> None:
    emitted = 0
    for seed in range(12):
        random = Random(seed)  # noqa: S311 nothing secret
        settings = Settings(random.choice([0, 500]), output=random.choice(["final", "accumulate"]))
        (tested, plainer, other), at = with_queries(random, settings), 0
        for step in range(4):
            times, values = batch(random, at, whole=bool(seed % 3))
            of = np.array([random.randrange(keys) for _ in times]) if keys else None
            at = max(at, int(times.max(initial=at))) + random.choice([0, 1, 500])
            if seed % 2 and step == 2:
                transfer_state(tested, other)
                tested = other
            mine, its = (
                sorted(
                    one.take_columns(times, values, of, at - 10).results(),
                    key=lambda r: (r.query, str(r.key), r.start, r.end, r.kind),
                )
                for one in (tested, plainer)
            )
            assert len(mine) == len(its)
            assert all(is_close_result(a, b) for a, b in zip(mine, its, strict=True)), seed
            emitted += len(mine)
    assert emitted > 1000


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("last", [0.5, float("inf")])
@pytest.mark.parametrize("name", ["sum", "mean"])
def test_floats_with_wide_integers_are_never_subtracted(
    method: Method, last: float, name: str
) -> None:
    operator, twin = ColumnarOperator(method=method), SpecificationOperator()
    for one in (operator, twin):
        one.add(Query("q", tumbling(10), named(name)))
    for times, values, watermark in (
        ([1, 2], [2**62, 2**62], None),
        ([11, 12], [-10, -10], None),
        ([21], [last], None),
        ([31], [2], 100),
    ):
        column = np.array(values)
        got = operator.take_columns(np.array(times), column, None, watermark).results()
        events = tuple(Event(t, v) for t, v in zip(times, column.tolist(), strict=True))
        assert [*got] == [*twin.take(Step(events, watermark)).results]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["var_pop", "std_pop"])
@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_the_spread_of_what_is_not_finite_is_no_number(
    method: Method, name: str, value: float
) -> None:
    operator = ColumnarOperator(method=method)
    operator.add(Query("q", tumbling(10), named(name)))
    (result,) = operator.take(Step((Event(1, value),), 10)).results
    assert isinstance(result.value, float)
    assert isnan(result.value)


@pytest.mark.parametrize("method", METHODS)
def test_windows_of_a_removed_query_are_not_retracted(method: Method) -> None:
    both = ColumnarOperator(Settings(100), method=method), SpecificationOperator(Settings(100))
    for operator in both:
        for name in ("sum", "max"):
            operator.add(Query(name, Session(5), named(name)))
        operator.take(Step((Event(1, 2), Event(9, 4)), 50))
        operator.remove("max")
    step = Step((Event(5, 3),))
    got, expected = (operator.take(step) for operator in both)
    assert not response_difference(expected, got)
    assert {result.kind for result in got.results} == {"retracted", "new"}
