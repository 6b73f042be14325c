"""Functions are equal only if they are the same code over structurally equal objects."""

from collections.abc import Callable
from types import FunctionType

import pytest

from muntin.optimized.scotty.operator import Scotty
from muntin.snapshot.function_equality import same_function
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.catalogue import named
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.denotation import denote
from muntin.spec.query import Query
from muntin.spec.stream import Event, Step
from muntin.spec.windows.periodic import tumbling

Lift = Callable[[int], int]


def by_default(k: int) -> Lift:
    def lift(value: int, by: int = k) -> int:
        return value * by

    return lift


def by_keyword(k: int) -> Lift:
    def lift(value: int, *, by: int = k) -> int:
        return value * by

    return lift


def by_closure(k: int) -> Lift:
    return lambda value: value * k


def by_list(k: int) -> Lift:
    factors = [k, k]
    return lambda value: value * factors[0]


def by_itself(k: int) -> Lift:
    def lift(value: int) -> int:
        return lift(value - 1) + k if value else 0

    return lift


KNOWN = [by_default, by_keyword, by_closure, by_itself]


@pytest.mark.parametrize("make", KNOWN)
def test_functions_of_a_factory_are_equal_if_its_arguments_are(make: Callable[[int], Lift]) -> None:
    assert same_function(make(3), make(3))
    assert not same_function(make(3), make(4))


def test_other_code_is_not_equal() -> None:
    assert not same_function(by_closure(3), by_default(3))
    assert not same_function(by_closure(1), by_closure(2))
    assert same_function(named("mean").monoid, named("mean").monoid)
    assert not same_function(named("min").monoid, named("max").monoid)
    assert not same_function([], [])
    assert not same_function(by_list(3), by_list(3)), "a list can change"


def emptied(k: int) -> Lift:
    lift = by_closure(k)
    assert isinstance(lift, FunctionType)
    for cell in lift.__closure__ or ():
        del cell.cell_contents
    return lift


def test_an_unbound_name_equals_nothing() -> None:
    assert same_function(by_closure(1), by_closure(1))
    assert not same_function(emptied(1), emptied(1))


@pytest.mark.parametrize("make", [*KNOWN, by_list])
def test_queries_that_lift_otherwise_do_not_share(make: Callable[[int], Lift]) -> None:
    plus = Monoid[int](0, lambda a, b: a + b)

    def query(name: str, k: int) -> Query:
        lift = make(k)
        total = Aggregate[int, int, int](name, lift, plus, int, commutative=True, kind="algebraic")
        return Query(name, tumbling(10), total.erase_types())

    queries, step = [query("a", 1), query("b", 3)], Step((Event(1, 5),), 20)
    operator = Scotty()
    for one in queries:
        operator.add(one)
    assert [operator.take(step)] == denote(queries, [step])
