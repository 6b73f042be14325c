"""Whether two queries can share slices: they lift and combine in the same way.

The catalogue makes new functions at each call, so that identity says too little: two functions are
alike if they run the same code in the same module, over cells and defaults that are alike. What
can change, or is not known, is alike only itself; so no two that differ are ever taken for one.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import singledispatch
from types import FunctionType

from muntin.spec.aggregate import Aggregate
from muntin.spec.monoid import Monoid

Erased = Aggregate[object, object, object]
PLAIN = (str, int, bool, float, Fraction, type(None))


def shareable(one: Erased, other: Erased) -> bool:
    """Whether one slice can serve both aggregates.

    >>> from muntin.spec.catalogue import named
    >>> shareable(named("sum"), named("sum")), shareable(named("sum"), named("max"))
    (True, False)
    """
    return alike(one.lift, other.lift) and alike(one.monoid, other.monoid)


def alike(one: object, other: object, within: tuple[int, ...] = ()) -> bool:
    """Whether two objects are one, or are the same code over objects that are alike.

    `within` are those that are being compared already, for a function may hold itself.
    """
    if one is other or type(one) is not type(other) or id(one) in within:
        return one is other
    if type(one) in PLAIN:
        return repr(one) == repr(other)
    left, right, inner = parts(one), parts(other), (*within, id(one))
    pairs = zip(left, right, strict=False)
    return 0 < len(left) == len(right) and all(alike(a, b, inner) for a, b in pairs)


@singledispatch
def parts(whole: object) -> list[object]:
    """Return what an object is made of; nothing, if that is not known."""
    return list(vars(whole).values()) if type(whole) in {Monoid, Aggregate} else []


@parts.register
def _(whole: FunctionType) -> list[object]:
    keywords = tuple((whole.__kwdefaults__ or {}).items())
    try:
        cells = [cell.cell_contents for cell in whole.__closure__ or ()]
    except ValueError:  # a cell that is empty yet
        return []
    return [whole.__code__, whole.__globals__, *cells, whole.__defaults__ or (), keywords]


@parts.register(tuple)
def _(whole: Sequence[object]) -> list[object]:
    return [len(whole), *whole]
