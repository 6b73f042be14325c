"""Whether two functions do the same, since they are the same code over objects that are alike.

A maker of functions, such as `muntin.spec.algebra.catalogue.named`, gives another one at each call,
so that identity says too little. What can change, or is not known, is alike only itself; so no two
that differ are ever taken for one.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import singledispatch
from types import FunctionType

from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import Monoid

SCALAR_TYPES = (str, int, bool, float, Fraction, type(None))
ObjectPairs = frozenset[tuple[int, int]]


def same_function(one: object, other: object, assumed: ObjectPairs = frozenset()) -> bool:
    """Whether two objects are one, or are the same code over objects that are alike.

    What refers to itself is alike unless a difference is found on the way.

    >>> same_function(lambda x: x, lambda x: x), same_function(*[lambda x: x for _ in range(2)])
    (False, True)
    """
    if one is other or type(one) is not type(other):
        return one is other
    if type(one) in SCALAR_TYPES:
        return repr(one) == repr(other)
    pair = (id(one), id(other))
    left, right = components(one), components(other)
    known = assumed | {pair}
    return pair in assumed or (
        0 < len(left) == len(right)
        and all(same_function(a, b, known) for a, b in zip(left, right, strict=True))
    )


@singledispatch
def components(whole: object) -> list[object]:
    """Return what an object is made of; nothing, if that is not known."""
    return list(vars(whole).values()) if type(whole) in {Monoid, Aggregate} else []


@components.register
def _(whole: FunctionType) -> list[object]:
    keywords = tuple(sorted((whole.__kwdefaults__ or {}).items()))
    try:
        cells = [cell.cell_contents for cell in whole.__closure__ or ()]
    except ValueError:  # a name that nothing is bound to yet
        return []
    return [whole.__code__, whole.__globals__, *cells, whole.__defaults__ or (), keywords]


@components.register(tuple)
def _(whole: Sequence[object]) -> list[object]:
    return [len(whole), *whole]
