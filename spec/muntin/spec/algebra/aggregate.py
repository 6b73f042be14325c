"""Aggregates: lift each value, combine, lower the total [Tangwongsan15, section 3.1]."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from muntin.spec.algebra.monoid import A, Monoid

V = TypeVar("V")
R = TypeVar("R")

AggregateKind = Literal["distributive", "algebraic", "holistic"]


@dataclass(frozen=True)
class Aggregate(Generic[V, A, R]):
    """A way to summarize values, with the facts that its author declares (definition A4).

    The facts are claims that `muntin.spec.algebra.laws` checks: commutative; invertible, declared
    by giving the monoid an inverse; and the kind [Traub20, section 4.2].

    >>> plus = Monoid((0, 0), lambda a, b: (a[0] + b[0], a[1] + b[1]))
    >>> mean = Aggregate("mean", lambda v: (v, 1), plus, lambda a: a[0] / a[1], True, "algebraic")
    >>> mean.of([1, 2, 6])
    3.0
    """

    name: str
    lift: Callable[[V], A]
    monoid: Monoid[A]
    lower: Callable[[A], R]
    commutative: bool
    kind: AggregateKind

    def partial(self, values: Iterable[V]) -> A:
        """fold(combine, lift(values)), the partial aggregate (definition A5)."""
        return self.monoid.fold(self.lift(value) for value in values)

    def of(self, values: Iterable[V]) -> R:
        """lower(fold(combine, lift(values))), the result (definition A6)."""
        return self.lower(self.partial(values))

    def erase_types(self) -> "AnyAggregate":
        """The same aggregate without its types, which are opaque to every operator."""
        return self  # type: ignore[return-value]  # sound: partials meet only their own combine


AnyAggregate = Aggregate[object, object, object]
"""An aggregate of opaque values, as queries have it."""
