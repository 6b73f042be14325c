"""An aggregate over named fields: what has many value columns in one pass."""

from collections.abc import Mapping
from dataclasses import dataclass

from muntin.spec.aggregate import Aggregate
from muntin.spec.errors import InvalidInputError

Erased = Aggregate[object, object, object]


@dataclass(frozen=True)
class Over(Aggregate[object, object, object]):
    """An aggregate of one field of the values, or of a pair of them (arg-max), which are records.

    It is an aggregate like any other: every operator takes it.
    """

    fields: tuple[str, ...]
    inner: Erased


def over(fields: str | tuple[str, ...], aggregate: Erased) -> Erased:
    """Return the aggregate over a field, or over several.

    >>> from muntin.spec.catalogue import named
    >>> over("price", named("max")).of([{"price": 3, "n": 9}, {"price": 4, "n": 1}])
    4
    """
    names = (fields,) if isinstance(fields, str) else fields

    def lift(value: object) -> object:
        if not isinstance(value, Mapping):
            raise InvalidInputError(f"{value!r} has no fields {', '.join(names)}")
        found = tuple(value.get(name) for name in names)
        missing = found[0] is None
        return aggregate.lift(None if missing else found if len(names) > 1 else found[0])

    monoid, lower = aggregate.monoid, aggregate.lower
    name = f"{aggregate.name}({', '.join(names)})"
    commutative, kind = aggregate.commutative, aggregate.kind
    return Over(name, lift, monoid, lower, commutative, kind, names, aggregate)
