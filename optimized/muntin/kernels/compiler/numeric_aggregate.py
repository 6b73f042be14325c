"""Aggregates over columns: lift, combine and lower over small tuples of numbers.

The same three functions as in muntin.spec.algebra.aggregate, with what a compiler needs to know:
the kinds of the numbers. Whatever is given here can be compiled into any kernel.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from muntin.spec.algebra.monoid import Monoid
from muntin.spec.errors import InvalidInputError

Kind = Literal["int", "float"]
Partial = tuple[int | float, ...]
"""As many numbers as the aggregate has fields."""


@dataclass(frozen=True)
class NumericAggregate:
    """An aggregate of one or more columns (definition K1).

    `lift` takes one number from each column, or the time if there is none; `lower` returns one
    number for each result, and nothing that is empty is lowered. If the aggregate is `checked`, it
    returns one more, which is 0 if the others fit into 64 bits. Functions are written with `def`,
    and may read numbers and each other.

    >>> def lift(v: float) -> tuple[float]: return (v * v,)
    >>> def combine(a: tuple[float], b: tuple[float]) -> tuple[float]: return (a[0] + b[0],)
    >>> def lower(a: tuple[float]) -> tuple[float]: return (a[0] ** 0.5,)
    >>> number = ("float",)
    >>> norm = NumericAggregate("norm", number, number, (0.0,), lift, combine, lower, number)
    >>> norm.of([(3.0,), (4.0,)])
    (5.0,)
    """

    name: str
    columns: tuple[Kind, ...]
    fields: tuple[Kind, ...]
    identity: Partial
    lift: Callable[..., Partial]
    combine: Callable[..., Partial]
    lower: Callable[..., Partial]
    results: tuple[Kind, ...]
    checked: bool = False

    def __post_init__(self) -> None:
        """Refuse an identity that is not of the kinds of its fields."""
        kinds = tuple("int" if type(x) is int else "float" for x in self.identity)
        if not self.fields or kinds != self.fields:
            raise InvalidInputError(
                f"{self.name}: the identity {self.identity!r} must be {', '.join(self.fields)}, "
                f"not {', '.join(kinds)}"
            )

    def monoid(self) -> Monoid[Partial]:
        """Return the monoid, as plain Python."""
        return Monoid(self.identity, self.combine)

    def of(self, rows: list[tuple[int | float, ...]]) -> Partial | None:
        """Aggregate rows, as plain Python; of none there is nothing to say."""
        if not rows:
            return None
        return self.lower(self.monoid().fold(self.lift(*row) for row in rows))
