"""An aggregate of one's own: its laws, and every step of random runs held to the specification."""

from typing import NamedTuple

from muntin.conformance.machines.operator_machine import operator_machine
from muntin.optimized.scotty.operator import Scotty
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.laws import counterexample
from muntin.spec.algebra.monoid import Monoid


class Run(NamedTuple):
    """The first and the last value, and how often a value was greater than the one before."""

    first: int
    last: int
    rises: int


def joined(left: Run | None, right: Run | None) -> Run | None:
    """Put two runs together; None is the empty one."""
    if left is None or right is None:
        return left or right
    rises = left.rises + right.rises + (left.last < right.first)
    return Run(left.first, right.last, rises)


def begun(value: int) -> Run | None:
    """Return the run of one value."""
    return Run(value, value, 0)


def counted(run: Run | None) -> int:
    """Return how many rises there were."""
    return run.rises if run else 0


RISES = Aggregate(
    "rises", begun, Monoid(None, joined), counted, commutative=False, kind="algebraic"
)


def test_what_it_declares_holds() -> None:
    assert counterexample(RISES, letters=[1, 2, 3]) is None


TestRises = operator_machine(Scotty, aggregates=[RISES.erased()]).TestCase
