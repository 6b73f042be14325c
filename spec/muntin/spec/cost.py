"""The cost model: counts of combines, lifts, inverts and visited nodes; no seconds."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

from muntin.spec.algebra.aggregate import Aggregate, R, V
from muntin.spec.algebra.monoid import A, Monoid


class Cost(NamedTuple):
    """What an operation costs or may cost; infinity if no bound is claimed (definition C1)."""

    combines: float = inf
    visits: float = inf

    def is_within(self, bound: "Cost") -> bool:
        """Whether no count is greater than in the bound."""
        return self.combines <= bound.combines and self.visits <= bound.visits


class Operation(NamedTuple):
    """A call of a structure: items held before, items it is about, and distances (definition C2).

    The distance of a time that it names is how many held items lie between that time and the
    nearer end of the window [Tangwongsan19].
    """

    name: str
    size: int
    items: int = 1
    distances: tuple[int, ...] = ()


@dataclass
class Meter:
    """A counter that algorithms and metered monoids write to (definition C3).

    >>> meter = Meter()
    >>> meter.watch(Monoid(0, int.__add__)).fold([1, 2, 3]), meter.combines
    (6, 3)
    """

    combines: int = 0
    lifts: int = 0
    inverts: int = 0
    visits: int = 0

    def cost(self) -> Cost:
        """The counts so far of what bounds are about."""
        return Cost(self.combines, self.visits)

    def watch(self, monoid: Monoid[A]) -> Monoid[A]:
        """The same monoid, counting each combine and invert."""

        def combine(left: A, right: A) -> A:
            self.combines += 1
            return monoid.combine(left, right)

        inverses = self._inverse(monoid.invert), self._inverse(monoid.invert_first)
        return Monoid(monoid.identity, combine, *inverses)

    def watch_aggregate(self, aggregate: Aggregate[V, A, R]) -> Aggregate[V, A, R]:
        """The same aggregate, counting each lift, combine and invert."""

        def lift(value: V) -> A:
            self.lifts += 1
            return aggregate.lift(value)

        return replace(aggregate, lift=lift, monoid=self.watch(aggregate.monoid))

    def _inverse(self, invert: Callable[[A, A], A] | None) -> Callable[[A, A], A] | None:
        def counted(whole: A, part: A) -> A:
            self.inverts += 1
            return invert(whole, part) if invert else whole

        return counted if invert else None
