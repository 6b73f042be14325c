"""Aggregates over columns: lift, combine and lower over small tuples of numbers.

The three functions of muntin.spec.algebra.aggregate, with the kinds of their numbers, which a
compiler needs. Such an aggregate can be compiled into any kernel.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from muntin.spec.algebra.monoid import Monoid
from muntin.spec.errors import InvalidInputError

Kind = Literal["int", "float"]
Partial = tuple[int | float, ...]
"""One number per field of the aggregate."""


@dataclass(frozen=True)
class NumericAggregate:
    """An aggregate of one or more columns (definition K1).

    `lift` takes one number from each column, or the time if there is none; `lower` returns one
    number for each result and is never called for an empty window. If the aggregate is `checked`,
    it returns one more, which is 0 if the others fit into 64 bits. Functions are written with
    `def`, and may read numbers and each other. If it is `commutative`, late values are combined at
    once into the folds that contain them. `narrow` is the same aggregate over partials of one
    integer, the value itself: exact while the magnitudes in a window add up to less than 2^63.

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
    commutative: bool = False
    narrow: "NumericAggregate | None" = None

    def __post_init__(self) -> None:
        """Refuse an identity whose numbers are not of the kinds of the fields."""
        kinds = tuple("int" if type(x) is int else "float" for x in self.identity)
        if not self.fields or kinds != self.fields:
            raise InvalidInputError(
                f"{self.name}: the identity {self.identity!r} must be {', '.join(self.fields)}, "
                f"not {', '.join(kinds)}"
            )

    def monoid(self) -> Monoid[Partial]:
        """The monoid in plain Python."""
        return Monoid(self.identity, self.combine)

    def of(self, rows: list[tuple[int | float, ...]]) -> Partial | None:
        """Aggregate rows in plain Python; None if there are none."""
        if not rows:
            return None
        return self.lower(self.monoid().fold(self.lift(*row) for row in rows))
