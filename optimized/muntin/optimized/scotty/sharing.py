"""Whether two queries can share slices: they lift and combine in the same way."""

from collections.abc import Sequence
from functools import singledispatch
from types import FunctionType

from muntin.spec.aggregate import Aggregate
from muntin.spec.monoid import Monoid

Erased = Aggregate[object, object, object]
PLAIN = (str, int, bool, float, type(None))


def shareable(one: Erased, other: Erased) -> bool:
    """Whether one slice can serve both aggregates.

    >>> from muntin.spec.catalogue import named
    >>> shareable(named("sum"), named("sum")), shareable(named("sum"), named("max"))
    (True, False)
    """
    return alike(one.lift, other.lift) and alike(one.monoid, other.monoid)


def alike(one: object, other: object) -> bool:
    """Whether two objects are one, or are the same code over objects that are alike."""
    if one is other or type(one) is not type(other):
        return one is other
    if type(one) in PLAIN:
        return repr(one) == repr(other)
    left, right = parts(one), parts(other)
    return 0 < len(left) == len(right) and all(map(alike, left, right))


@singledispatch
def parts(whole: object) -> list[object]:
    """Return what an object is made of; nothing, if that is not known."""
    return list(vars(whole).values()) if type(whole) in {Monoid, Aggregate} else []


@parts.register
def _(whole: FunctionType) -> list[object]:
    cells = [cell.cell_contents for cell in whole.__closure__ or ()]
    return [whole.__code__, *cells, *(whole.__defaults__ or ())]


@parts.register(list)
@parts.register(tuple)
def _(whole: Sequence[object]) -> list[object]:
    return list(whole)
