"""A Scotty goes on from a snapshot of columns as these would; or refuses, and stays as it was."""

import math
from typing import Literal

import pytest
from hypothesis import given

from muntin.conformance.choices import Rolled
from muntin.kernels.slicing.custom import summarised
from muntin.kernels.slicing.operator import ColumnarOperator
from muntin.kernels.slicing.over import is_row, over
from muntin.kernels.slicing.plan import Method
from muntin.kernels.summary import Summary
from muntin.optimized.scotty.operator import Scotty
from muntin.reference.denoted import Denoted
from muntin.snapshot import carry
from muntin.spec.aggregate import Aggregate
from muntin.spec.catalogue import named
from muntin.spec.data_driven import Session
from muntin.spec.dialect import Dialect
from muntin.spec.operator import Operator
from muntin.spec.periodic import Cumulate, Sliding, tumbling
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Event, Step
from snapshot.handing_over import NUMBERS, PAIRS, Trace, hand_over, trace, traces

LATE = Settings(allowed_lateness=12)
Erased = Aggregate[object, object, object]


@given(traces())
def test_a_scotty_goes_on_from_columns_as_the_denotation_does(one: Trace) -> None:
    hand_over(one)


@pytest.mark.parametrize("seed", range(12))
def test_the_same_of_traces_that_are_always_the_same(seed: int) -> None:
    assert sum(hand_over(trace(Rolled(f"{seed} {nth}"))) for nth in range(8)) > 0


def asked(operator: Operator, *queries: Query) -> Operator:
    for query in queries:
        operator.add(query)
    return operator


KINDS = [tumbling(10, 3), Sliding(30, 7), Sliding(4, 9), Session(3), Cumulate(20, 5)]


def queries(aggregate: Erased) -> list[Query]:
    return [Query(f"w{nth}", kind, aggregate) for nth, kind in enumerate(KINDS)]


def rows(begin: int, keys: int, divisor: int) -> Step:
    """A hundred rows out of order by some, integers or floats, a few of them null."""
    times = [begin + n * 37 % 101 // 2 for n in range(100)]
    numbers = [(n * 13 + begin) % 29 - 9 for n in range(100)]
    values = [n / divisor if divisor > 1 else n for n in numbers]
    kept = [None if n == 7 else v for n, v in zip(numbers, values, strict=True)]
    of = [n % keys if keys else None for n in range(100)]
    events = [Event(t, v, k) for t, v, k in zip(times, kept, of, strict=True)]
    return Step(tuple(events), begin + 30)


def close(one: object, other: object) -> bool:
    """Whether two values are equal, or floats that differ by what is lost in rounding."""
    if is_row(one) and is_row(other):
        return all(close(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)
    return one == other


@pytest.mark.parametrize(
    ("method", "keys"), [("auto", 0), ("auto", 40), ("slices", 40), ("records", 40)]
)
@pytest.mark.parametrize("divisor", [1, 7])
@pytest.mark.parametrize("name", NUMBERS)
def test_every_aggregate(name: str, divisor: int, keys: int, method: Method) -> None:
    columnar, scotty = ColumnarOperator(LATE, method=method), Scotty(LATE)
    asked(columnar, *queries(named(name)))
    asked(scotty, *queries(named(name)))
    for begin in range(0, 150, 50):
        columnar.take(rows(begin, keys, divisor))
    carry(columnar, scotty)
    for begin in range(150, 300, 50):
        wanted = columnar.take(rows(begin, keys, divisor)).results
        said = scotty.take(rows(begin, keys, divisor)).results
        assert len(wanted) > 20
        assert [r._replace(value=0) for r in said] == [r._replace(value=0) for r in wanted]
        assert all(close(a.value, b.value) for a, b in zip(said, wanted, strict=True))
        assert divisor > 1 or said == wanted


def weighed(price: int, size: int) -> tuple[int, int]:
    return price * size, size


def add(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return a[0] + b[0], a[1] + b[1]


def price(a: tuple[int, int]) -> tuple[float]:
    return (a[0] / a[1],)


def later(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """Keep the later one, unless it is the identity."""
    return b if b[1] else a


WORTH = Summary("worth", ("int", "int"), ("int", "int"), (0, 0), weighed, add, price, ("float",))
LATEST = Summary(
    "latest", ("int", "int"), ("int", "int"), (0, 0), weighed, later, price, ("float",)
)
PAIRED: list[Erased] = [
    *(named(name) for name in PAIRS),
    summarised(WORTH, commutative=True),
    summarised(LATEST),
]
RECORDS: list[Erased] = [
    over("x", named("sum")),
    over("y", named("first")),
    over(("x", "y"), named("argmax")),
    over("y", named("median")),
    summarised(WORTH, ("x", "y"), commutative=True),
]


def pairs(begin: int, *, fields: bool) -> Step:
    numbers = [(begin + n * 37 % 101 // 2, n * 13 % 29 - 9, n % 5 + 1) for n in range(100)]
    events = [Event(t, {"x": x, "y": y} if fields else (x, y), x % 3) for t, x, y in numbers]
    return Step(tuple(events), begin + 30)


@pytest.mark.parametrize("fields", [False, True])
def test_pairs_fields_and_aggregates_of_one_s_own(*, fields: bool) -> None:
    aggregates = RECORDS if fields else PAIRED
    columnar, scotty = ColumnarOperator(LATE), Scotty(LATE)
    for nth, aggregate in enumerate(aggregates):
        for one in queries(aggregate):
            query = Query(f"{nth} {one.id}", one.window, aggregate)
            asked(columnar, query)
            asked(scotty, query)
    for begin in (0, 50):
        columnar.take(pairs(begin, fields=fields))
    carry(columnar, scotty)
    for begin in (100, 150):
        wanted = columnar.take(pairs(begin, fields=fields))
        assert scotty.take(pairs(begin, fields=fields)) == wanted
        assert {int(r.query.split()[0]) for r in wanted.results} == {*range(len(aggregates))}


@pytest.mark.parametrize("lateness", ["event", "window"])
def test_a_query_that_has_met_no_key_ranks_them_as_it_meets_them(
    lateness: Literal["event", "window"],
) -> None:
    """Windows that tie are told in the order in which their query has met the keys (rule 11)."""
    settings = Settings(3, dialect=Dialect(lateness=lateness))
    denoted, columnar, scotty = Denoted(settings), ColumnarOperator(settings), Scotty(settings)
    early, late = (Query(name, tumbling(10), named("sum")) for name in ("early", "late"))
    asked(scotty, early, late)
    for one in (denoted, columnar):
        one.add(early)
        one.take(Step((Event(1, 1, "a"), Event(2, 1, "b"), Event(3, 1, "c"))))
        one.add(late)
        one.take(Step((Event(12, 1, "c"),)))
    carry(columnar, scotty)
    begun = Step((Event(13, 1, "b"), Event(22, 1, "a"), Event(24, 1, "b")), 20)
    assert scotty.take(begun) == denoted.take(begun)
    wanted = denoted.take(Step((Event(23, 1, "c"),), 40))
    assert scotty.take(Step((Event(23, 1, "c"),), 40)) == wanted
    assert [r.key for r in wanted.results if r.query == "late"] == ["c", "b", "a"]
