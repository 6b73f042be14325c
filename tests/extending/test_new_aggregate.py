"""An aggregate of one's own: its laws, and every step of random runs held to the specification."""

from typing import NamedTuple

from muntin.conformance.machines.operator_machine import operator_machine
from muntin.optimized.scotty.operator import Scotty
from muntin.spec import Aggregate, Monoid, counterexample


class Run(NamedTuple):
    """The first and the last value, and how often a value was greater than the one before."""

    first: int
    last: int
    rises: int


def concatenate(left: Run | None, right: Run | None) -> Run | None:
    """Put two runs one after the other; None is the empty run."""
    if left is None or right is None:
        return left or right
    rises = left.rises + right.rises + (left.last < right.first)
    return Run(left.first, right.last, rises)


def run_of(value: int) -> Run | None:
    """The run of one value."""
    return Run(value, value, 0)


def rise_count(run: Run | None) -> int:
    """How often the value rose."""
    return run.rises if run else 0


RISES = Aggregate(
    "rises", run_of, Monoid(None, concatenate), rise_count, commutative=False, kind="algebraic"
)


def test_what_it_declares_holds() -> None:
    assert counterexample(RISES, letters=[1, 2, 3]) is None


TestRises = operator_machine(Scotty, aggregates=[RISES.erase_types()]).TestCase
