"""Whether two queries can share slices: they lift and combine in the same way."""

from muntin.snapshot.function_equality import alike
from muntin.spec.algebra.aggregate import Aggregate

Erased = Aggregate[object, object, object]


def shareable(one: Erased, other: Erased) -> bool:
    """Whether one slice can serve both aggregates: they may be lowered differently.

    >>> from muntin.spec.algebra.catalogue import named
    >>> shareable(named("sum"), named("sum")), shareable(named("sum"), named("max"))
    (True, False)
    """
    return alike(one.lift, other.lift) and alike(one.monoid, other.monoid)
