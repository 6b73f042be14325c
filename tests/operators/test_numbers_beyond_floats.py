"""Integers beyond all floats: every operator has the value of the specification, or its error."""

from fractions import Fraction
from math import inf

import pytest

from muntin.reference.specification import SpecificationOperator
from muntin.registry.implementations import OPERATORS, OperatorEntry
from muntin.spec.algebra.catalogue import named
from muntin.spec.algebra.values import Number
from muntin.spec.errors import MuntinError
from muntin.spec.operator import Operator
from muntin.spec.query import Query, Result, Settings
from muntin.spec.stream import END, Event
from muntin.spec.windows.data_driven import Session, session
from muntin.spec.windows.periodic import sliding, tumbling
from muntin.spec.windows.window import WindowType

FAR = 10**400
NAMES = ("mean", "median", "percentile(30)", "var_pop", "var_sample", "std_pop", "std_sample")
NUMBERS = (*NAMES, "sum", "range", "min", "max", "geomean")
WINDOWS = (tumbling(10), sliding(10, 5), session(5))


def results_of(operator: Operator, values: list[float]) -> list[Result]:
    """The results of values at the times 0, 1, ..., of which the first comes alone."""
    events = [Event(time, value) for time, value in enumerate(values)]
    outputs = operator.step(events[:1]), operator.step(events[1:], END)
    return [result for output in outputs for result in output.results]


def is_near(a: object, b: object) -> bool:
    """Whether two numbers are equal, or the nearest floats to them are."""
    if a == b or a is None or b is None:
        return a == b
    if inf in (a, b) or not (isinstance(a, Number) and isinstance(b, Number)):
        return False
    return abs(Fraction(a) - Fraction(b)) <= abs(Fraction(b)) / 10**12


def supports(entry: OperatorEntry, window: WindowType) -> bool:
    """Whether an operator has sessions too."""
    return not (isinstance(window, Session) and entry.name in ("panes", "pairs", "pairs-plus"))


ENTRIES = pytest.mark.parametrize(
    ("entry", "window"),
    [(entry, window) for entry in OPERATORS for window in WINDOWS if supports(entry, window)],
    ids=lambda named: named.name,
)
EACH: list[list[float]] = [[FAR, 2, FAR + 1], [2, -FAR], [3**n * 2**1015 for n in range(5)]]


def operators(entry: OperatorEntry, query: Query) -> tuple[Operator, Operator]:
    """An operator and the specification, with one query."""
    settings = Settings(in_order=entry.in_order_only)
    tested, specified = entry.build(settings), SpecificationOperator(settings)
    tested.add(query)
    specified.add(query)
    return tested, specified


@ENTRIES
@pytest.mark.parametrize("values", EACH)
def test_the_value_is_that_of_the_specification(
    entry: OperatorEntry, window: WindowType, values: list[float]
) -> None:
    for name in NUMBERS if min(values) > 0 else NUMBERS[:-1]:
        tested, specified = operators(entry, Query("q", window, named(name)))
        actual, expected = results_of(tested, values), results_of(specified, values)
        assert [result[:4] for result in actual] == [result[:4] for result in expected]
        pairs = zip(actual, expected, strict=True)
        assert all(is_near(a.value, b.value) for a, b in pairs), (name, actual, expected)


@ENTRIES
@pytest.mark.parametrize("values", [[FAR, 1.5], [1.5, FAR]])
@pytest.mark.parametrize("name", ["mean", "median", "percentile(30)", "sum", "range"])
def test_what_has_no_value_is_an_error_that_names_the_query_and_changes_nothing(
    entry: OperatorEntry, window: WindowType, values: list[float], name: str
) -> None:
    tested, specified = operators(entry, Query("the query", window, named(name)))
    with pytest.raises(MuntinError, match=r"'the query'.*(window|Event|columns)"):
        results_of(tested, values)
    specified.step([Event(0, values[0])])
    assert tested.step([], END) == specified.step([], END)
