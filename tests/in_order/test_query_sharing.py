"""Which aggregates share slices: never two that could differ."""

from collections.abc import Callable

import pytest

from muntin.optimized.common.query_sharing import can_share
from muntin.snapshot.function_equality import same_function
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.catalogue import NAMES, named, named_keeping_nulls
from muntin.spec.algebra.monoid import Monoid

Function = Callable[[int], object]


def adding(n: object) -> Function:
    def function(v: int) -> object:
        return v, n

    return function


def defaulting(n: object) -> Function:
    def function(v: int, m: object = n, *, k: object = n) -> object:
        return v, m, k

    return function


def not_yet() -> Function:
    later = 1

    def function(v: int) -> object:
        return later, v  # noqa: F821 - it is gone, which is the point

    del later
    return function


@pytest.mark.parametrize("name", [*NAMES, "percentile(90)"])
@pytest.mark.parametrize("lookup", [named, named_keeping_nulls])
def test_an_aggregate_of_the_catalogue_shares_with_itself(
    lookup: Callable[[str], Aggregate[object, object, object]], name: str
) -> None:
    assert can_share(lookup(name), lookup(name))


def test_aggregates_that_lift_or_combine_differently_do_not_share() -> None:
    for name in NAMES:
        for other in NAMES:
            if can_share(named(name), named(other)):
                values = [3, 1, 2] if name not in ("argmax", "argmin") else [[3, 1], [1, 2]]
                if name == "concat":
                    values = []
                assert named(name).partial(values) == named(other).partial(values)


@pytest.mark.parametrize("make", [adding, defaulting])
def test_functions_are_the_same_if_their_code_and_closures_are(
    make: Callable[[object], Function],
) -> None:
    assert same_function(make(2), make(2))
    assert same_function(make((1, "a", None)), make((1, "a", None)))
    assert same_function(make(adding(2)), make(adding(2)))
    assert not same_function(make(2), make(3))
    assert not same_function(make(2), make(2.0))
    assert not same_function(make((1,)), make((1, 2)))
    assert not same_function(make([1]), make([1])), "a list can change"
    assert not same_function(make(adding(2)), make(adding(3)))


def test_an_unknown_function_is_the_same_only_as_itself() -> None:
    unknown = not_yet()
    assert same_function(unknown, unknown)
    assert not same_function(unknown, not_yet())
    assert same_function(int.__add__, int.__add__)
    assert not same_function(Monoid(0, int.__add__), Monoid(0, int.__mul__))
    assert not same_function(adding(2), defaulting(2))
