"""Whether two queries can share slices: they lift and combine in the same way."""

from types import FunctionType

from muntin.spec.aggregate import Aggregate
from muntin.spec.monoid import Monoid

Erased = Aggregate[object, object, object]
PLAIN = (str, int, bool, float, tuple, type(None))


def shareable(one: Erased, other: Erased) -> bool:
    """Whether one slice can serve both aggregates.

    >>> from muntin.spec.catalogue import named
    >>> shareable(named("sum"), named("sum")), shareable(named("sum"), named("max"))
    (True, False)
    """
    return alike(one.lift, other.lift) and alike(one.monoid, other.monoid)


def alike(one: object, other: object) -> bool:
    """Whether two objects are one, or are the same code over objects that are alike."""
    if one is other:
        return True
    if type(one) in PLAIN:
        return type(one) is type(other) and repr(one) == repr(other)
    if isinstance(one, Monoid) and isinstance(other, Monoid):
        return all(map(alike, vars(one).values(), vars(other).values()))
    if isinstance(one, Aggregate) and isinstance(other, Aggregate):
        return all(map(alike, vars(one).values(), vars(other).values()))
    if isinstance(one, FunctionType) and isinstance(other, FunctionType):
        same_code = one.__code__ is other.__code__
        return same_code and all(map(alike, _bound(one), _bound(other)))
    return False


def _bound(function: FunctionType) -> tuple[object, ...]:
    cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
    return (*cells, *(function.__defaults__ or ()))
