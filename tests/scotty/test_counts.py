"""Count windows, trace by trace: late tuples shift others, in every mode; and failing steps."""

import pytest

from muntin.conformance.machines.random_choices import BAGS, WORDS, Letter
from muntin.conformance.output_comparison import response_difference
from muntin.optimized.scotty.groups.count_group import CountGroup
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.slices.aggregate_store import (
    BuildStore,
    LazyStore,
    fiba_store,
    flatfat_store,
)
from muntin.reference.specification import SpecificationOperator
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.catalogue import named_keeping_nulls
from muntin.spec.algebra.monoid import FREE
from muntin.spec.dialect import Dialect
from muntin.spec.errors import UserCodeError
from muntin.spec.operator import Operator
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.measure import COUNT
from muntin.spec.windows.periodic import Sliding, count

STORES = [LazyStore, flatfat_store, fiba_store]
LATE = Settings(1000)
HELD_BACK = Settings(1000, dialect=Dialect(late_update="next_watermark"))
NO_LATE_UPDATES = Settings(1000, dialect=Dialect(late_update="none", closing=1))
BY_ARRIVAL = Settings(4, dialect=Dialect(count_order="arrival", lateness="window"))
IN_ORDER = Settings(0, in_order=True, dialect=Dialect(lateness="window"))
TRACES: list[tuple[str, Settings, list[Sliding], str]] = [
    ("late before all", LATE, [count(2)], "5 7 9 W20 1 W30"),
    ("late behind a full slice", LATE, [count(5, 4)], "0 0 17 16 W25 18 27 20"),
    ("late in one that is final", Settings(2), [count(2), count(3, 1)], "1 2 3 W9 8 7 12 W20"),
    ("many in a step", Settings(1000, "discard"), [count(3, 2)], "5 8 11 14 17 20 W30 6,4,12 2"),
    ("only what is new", Settings(1000, "discard"), [count(2), count(9)], "5 8 11 14 W30 12 6 W31"),
    ("final", Settings(5, "final"), [count(2), count(3, 1)], "5 8 6 11 W12 10 14 W20 16 W25"),
    ("held back", HELD_BACK, [count(2), count(3, 1)], "5 8 11 14 W20 6 7 W20 W21 4,15"),
    ("held back and removed", HELD_BACK, [count(2), count(3, 1)], "5 8 11 W20 6 -w1 16 17 W21 4"),
    ("no late updates", NO_LATE_UPDATES, [count(2), count(3, 1)], "5 8 11 W12 6 30 W21 4 5 W40"),
    ("by arrival", BY_ARRIVAL, [count(2)], "9 3 4 20 W9 1 2 3 W15 30 W40"),
    ("by arrival, none holds it", BY_ARRIVAL, [Sliding(1, 3, 1, COUNT)], "9 8 W15 1 2 14 15 W30"),
    ("in order, behind the watermark", IN_ORDER, [count(4, 3)], "25 26 27 27 35 37 W44 43 W50"),
    ("removed within a slice", LATE, [count(7, 6), count(5, 3)], "1 2 3 4 -w1 5 6 7 2 8 9 W50 3"),
    ("all removed", LATE, [count(2)], "1 2 3 -w0 4 W9"),
]


def apply_action(operator: Operator, action: str) -> object:
    """Apply one word of a trace to an operator."""
    if action.startswith("-w"):
        return operator.remove(action[1:])
    if action.startswith("W"):
        return operator.take(Step((), int(action[1:])))
    times = [int(time) for time in action.split(",")]
    return operator.take(Step(tuple(Event(t, Letter(0, 100 * t + 7)) for t in times)))


def assert_equal_outputs(operators: tuple[Operator, Operator], trace: str) -> None:
    """Run a trace on both operators, and compare each output."""
    for action in trace.split():
        got, expected = (apply_action(operator, action) for operator in operators)
        assert got == expected, action
    got, expected = (operator.take(Step((), END)) for operator in operators)
    assert got == expected


@pytest.mark.parametrize("build", STORES, ids=lambda build: build.__name__)
@pytest.mark.parametrize(
    ("settings", "windows", "trace"),
    [operator[1:] for operator in TRACES],
    ids=[operator[0] for operator in TRACES],
)
@pytest.mark.parametrize("aggregate", [WORDS, BAGS], ids=lambda operator: operator.name)
def test_traces_of_count_windows(
    build: BuildStore,
    settings: Settings,
    windows: list[Sliding],
    trace: str,
    aggregate: Aggregate[object, object, object],
) -> None:
    both = Scotty(settings, build), SpecificationOperator(settings)
    for operator in both:
        for index, window in enumerate(windows):
            operator.add(Query(f"w{index}", window, aggregate))
    assert all(isinstance(group, CountGroup) for group in both[0].groups)
    assert_equal_outputs(both, trace)


def test_a_query_that_is_added_later_counts_from_there_on() -> None:
    both = Scotty(LATE), SpecificationOperator(LATE)
    for operator in both:
        operator.add(Query("w0", count(2), WORDS))
        apply_action(operator, "5")
        operator.add(Query("w1", count(2), WORDS))
    assert_equal_outputs(both, "3 5 9 6 W20 4 7")


def sum_of(value: object) -> object:
    return named_keeping_nulls("sum").lift(value.letter if isinstance(value, Letter) else 0)


@pytest.mark.parametrize("trace", ["5 8 11 14 17 W12 6 7 1 W30 2,3,30", "1 2 3 4 5 W9 2 1 3 W20"])
def test_a_commutative_aggregate_with_an_inverse(trace: str) -> None:
    aggregate = Aggregate(
        "sum",
        sum_of,
        named_keeping_nulls("sum").monoid,
        lambda a: a,
        commutative=True,
        kind="distributive",
    ).erase_types()
    both = Scotty(LATE, letters=(Letter(0, 1), Letter(0, 2))), SpecificationOperator(LATE)
    for operator in both:
        operator.add(Query("w0", count(2), aggregate))
        operator.add(Query("w1", count(4, 1), aggregate))
    assert_equal_outputs(both, trace)


class Trap:
    """A monoid of words with an inverse, which raises at its n-th use."""

    def __init__(self) -> None:
        self.left = 0

    def _count(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise ZeroDivisionError

    def combine(self, left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
        self._count()
        return left + right

    def invert(self, whole: tuple[int, ...], part: tuple[int, ...]) -> tuple[int, ...]:
        self._count()
        return whole[: len(whole) - len(part)]

    def aggregate(self) -> Aggregate[object, object, object]:
        monoid = type(FREE)((), self.combine, self.invert)
        return Aggregate(
            "trap", tuple, monoid, tuple, commutative=False, kind="holistic"
        ).erase_types()


@pytest.mark.parametrize("dialect", [Dialect(), Dialect(count_order="arrival")])
@pytest.mark.parametrize("build", STORES, ids=lambda build: build.__name__)
@pytest.mark.parametrize("index", range(1, 16, 2))
def test_a_step_that_fails_leaves_no_trace(build: BuildStore, index: int, dialect: Dialect) -> None:
    trap, twin_trap = Trap(), Trap()
    settings = Settings(100, dialect=dialect)
    failing, twin = (Scotty(settings, build, ((1,), (2,))) for _ in range(2))
    for operator, aggregate_trap in ((failing, trap), (twin, twin_trap)):
        operator.add(Query("a", count(3), aggregate_trap.aggregate()))
        operator.add(Query("b", count(2, 1), aggregate_trap.aggregate()))
    failures = 0
    steps = [
        Step(tuple(Event(time, (time,)) for time in (3, 10, 9, 5, 12, 7, 20)), 6),
        Step((Event(21, (0,)), Event(4, (-1,)), Event(8, (-8,)), Event(1, (1,), "k")), 15),
        Step((Event(30, (30,)), Event(2, (-2,)), Event(40, (40,)))),
        Step((), END),
    ]
    for step in steps:
        trap.left = index
        try:
            got = failing.take(step)
        except UserCodeError:
            failures += 1
            trap.left = 0
            got = failing.take(step)
        trap.left = 0
        assert not response_difference(twin.take(step), got)
    assert failures
