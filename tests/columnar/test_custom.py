"""Custom aggregates in the columnar operator."""

import math
from dataclasses import replace

import numpy as np
import pytest

from muntin.columnar.operator import ColumnarOperator
from muntin.conformance.output_comparison import response_difference
from muntin.kernels.compiler.availability import COMPILED
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
from muntin.kernels.slicing.custom import compiled_aggregate
from muntin.kernels.slicing.over import over
from muntin.kernels.slicing.plan import Method
from muntin.reference.specification import SpecificationOperator
from muntin.snapshot import snapshot, transfer_state
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.catalogue import named
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.errors import InvalidInputError, MuntinError
from muntin.spec.operator import Operator
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding, tumbling

Two = tuple[int, int]


def weighed(price: int, size: int) -> Two:
    return price * size, size


def add(a: Two, b: Two) -> Two:
    return a[0] + b[0], a[1] + b[1]


def price(a: Two) -> tuple[float]:
    return (a[0] / a[1] if a[1] else 0.0,)


def digit(value: int) -> Two:
    return value % 10, 10


def append_digits(a: Two, b: Two) -> Two:
    """Append digits, up to nine: the order matters."""
    return (a[0] * b[1] + b[0]) % 10**9, a[1] * b[1] % 10**9


def both(a: Two) -> Two:
    return a


VWAP = NumericAggregate(
    "vwap", ("int", "int"), ("int", "int"), (0, 0), weighed, add, price, ("float",)
)
DIGITS = NumericAggregate(
    "digits", ("int",), ("int", "int"), (0, 1), digit, append_digits, both, ("int", "int")
)


METHODS: tuple[Method, ...] = ("auto", "slices", "records", "generic")


def made(values: Aggregate[object, object, object], settings: Settings) -> list[Operator]:
    columnar = (ColumnarOperator(settings, method=one) for one in METHODS)
    operators: list[Operator] = [SpecificationOperator(settings), *columnar]
    for one in operators:
        one.add(Query("near", Session(4), values))
        one.add(Query("long", Sliding(30, 3), values))
    return operators


@pytest.mark.parametrize("kind", ["digits", "vwap", "vwap of fields"])
def test_a_summary_answers_as_its_definition_does(kind: str) -> None:
    aggregate = {
        "digits": compiled_aggregate(DIGITS),
        "vwap": compiled_aggregate(VWAP, commutative=True),
        "vwap of fields": compiled_aggregate(VWAP, ("p", "n"), commutative=True),
    }[kind]
    denoted, *operators = made(aggregate, Settings(5))
    rng, emitted = np.random.default_rng(3), 0
    for now in range(0, 120, 12):
        events: list[Event] = []
        for time, p, n in rng.integers(0, 20, (9, 3)).tolist():
            value = {"digits": p, "vwap": (p, n), "vwap of fields": {"p": p, "n": n}}[kind]
            none = {"p": None, "n": n} if kind == "vwap of fields" else None
            events.append(Event(now + time - 9, none if p == 3 else value, "k" if n % 4 else None))
        step = Step(tuple(events), now - 2)
        expected = denoted.take(step)
        emitted += len(expected.results)
        for index, one in enumerate(operators):
            assert not response_difference(expected, one.take(step))
            if now == 48:
                fresh = made(aggregate, Settings(5))[1 + index]
                transfer_state(one, fresh)
                operators[index] = fresh
    assert emitted > 50


def test_explain_says_whether_a_user_aggregate_is_compiled() -> None:
    operator = ColumnarOperator()
    operator.add(Query("d", tumbling(10), compiled_aggregate(DIGITS)))
    operator.add(Query("v", tumbling(10), compiled_aggregate(VWAP, ("p", "n"), commutative=True)))
    how = "; custom by compiled functions, one by one or in a flat tree"
    assert operator.explain().splitlines() == (
        [
            f"d: tumbling of digits: records (digits is not commutative){how}",
            f"v: tumbling of vwap: compiled (one compiled call a step){how}",
        ]
        if COMPILED
        else [
            "d: tumbling of digits: generic (digits has no form over columns)",
            "v: tumbling of vwap: generic (vwap has no form over columns)",
        ]
    )


def test_columns_by_name() -> None:
    operator = ColumnarOperator()
    operator.add(Query("v", tumbling(10), compiled_aggregate(VWAP, ("p", "n"), commutative=True)))
    columns = {"p": np.array([10, 20, 7]), "n": np.array([1, 3, 1])}
    results = operator.take_columns([1, 2, 13], columns, None, END).results()
    assert [(r.start, r.value) for r in results] == [(0, 17.5), (10, 7.0)]


def test_values_of_another_kind_are_refused_and_columns_counted() -> None:
    operator = ColumnarOperator()
    operator.add(Query("d", tumbling(10), compiled_aggregate(DIGITS)))
    with pytest.raises(MuntinError, match=r"0\.5"):
        operator.take(Step((Event(1, 0.5),)))
    assert [r.value for r in operator.take(Step((Event(1, 5),), END)).results] == [(5, 10)]
    with pytest.raises(InvalidInputError, match="vwap is of 2 columns, not 1"):
        compiled_aggregate(VWAP, "p")
    assert math.isclose(price((3, 2))[0], 1.5)


def wary(v: float) -> tuple[float]:
    if v == 0:
        raise ValueError("a zero")
    return (v,)


def added(a: tuple[float], b: tuple[float]) -> tuple[float]:
    return (a[0] + b[0],)


def as_it_is(a: tuple[float]) -> tuple[float]:
    return a


def test_a_step_that_fails_leaves_no_key_behind() -> None:
    own = NumericAggregate("own", ("float",), ("float",), (0.0,), wary, added, as_it_is, ("float",))
    operator = ColumnarOperator()
    operator.add(Query("q", tumbling(10), compiled_aggregate(own, commutative=True)))
    operator.take_columns(np.array([1]), np.array([1.0]), np.array([7]))
    before = snapshot(operator)
    with pytest.raises((ValueError, MuntinError), match="a zero"):
        operator.take_columns(np.array([2, 3]), np.array([1.0, 0.0]), np.array([8, 9]))
    keys = np.array([8, None], np.object_)
    keys[1] = []
    with pytest.raises(InvalidInputError, match="cannot be hashed"):
        operator.take_columns(np.array([2, 3]), np.array([1.0, 2.0]), keys)
    assert not COMPILED or snapshot(operator) == before  # the generic one counts arrivals on
    operator.take_columns(np.array([3]), np.array([2.0]), np.array([9]))
    answered = operator.take(Step((), 10)).results
    assert [(result.key, result.value) for result in answered] == [(7, 1.0), (9, 2.0)]


@pytest.mark.parametrize("method", METHODS)
def test_an_aggregate_with_another_lower_or_combine_is_not_replaced(
    method: Method,
) -> None:
    once = Monoid[object]((0, 0), lambda a, b: b if repr(a) < repr(b) else a)
    plus, field = named("sum"), over("x", named("sum"))
    for mine in (replace(plus, lower=repr), replace(plus, monoid=once)):
        operator = ColumnarOperator(method=method)
        operator.add(Query("w", tumbling(10), mine))
        emitted = operator.take_columns([1, 2], [3, 4], None, END).results()
        assert [r.value for r in emitted] == [mine.of([3, 4])]
    for mine in (over("x", replace(plus, lower=repr)), replace(field, lower=repr)):
        operator = ColumnarOperator(method=method)
        operator.add(Query("w", tumbling(10), mine))
        emitted = operator.take_columns([1, 2], {"x": [3, 4]}, None, END).results()
        assert [r.value for r in emitted] == ["(2, 7)"]
