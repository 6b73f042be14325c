"""An aggregate over named fields: what has many value columns in one pass."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from muntin.spec.algebra.aggregate import Aggregate, AnyAggregate
from muntin.spec.errors import InvalidInputError


@dataclass(frozen=True)
class Over(Aggregate[object, object, object]):
    """An aggregate of one field of the values, or of a pair of them (arg-max), which are records.

    It is an aggregate like any other: every operator takes it.
    """

    fields: tuple[str, ...]
    inner: AnyAggregate


def field(value: object, name: str) -> object:
    """Return a field of a record; a field that is not there is null."""
    if is_record(value):
        return value.get(name)
    raise InvalidInputError(f"{value!r} is no record, so it has no field {name!r}")


def is_record(value: object) -> TypeGuard[Mapping[str, object]]:
    """Whether a value has named fields."""
    return isinstance(value, Mapping)


def is_row(value: object) -> TypeGuard[Sequence[object]]:
    """Whether a value has numbered fields."""
    return isinstance(value, tuple | list)


def over(fields: str | tuple[str, ...], aggregate: AnyAggregate) -> AnyAggregate:
    """Return the aggregate over a field, or over several.

    >>> from muntin.spec.algebra.catalogue import named
    >>> over("price", named("max")).of([{"price": 3, "n": 9}, {"price": 4, "n": 1}])
    4
    """
    names = (fields,) if isinstance(fields, str) else fields

    def lift(value: object) -> object:
        found = tuple(field(value, name) for name in names)
        missing = found[0] is None
        return aggregate.lift(None if missing else found if len(names) > 1 else found[0])

    monoid, lower = aggregate.monoid, aggregate.lower
    name = f"{aggregate.name}({', '.join(names)})"
    commutative, kind = aggregate.commutative, aggregate.kind
    return Over(name, lift, monoid, lower, commutative, kind, names, aggregate)
