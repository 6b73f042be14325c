"""Whether two queries can share slices: they lift and combine in the same way."""

from muntin.snapshot.function_equality import same_function
from muntin.spec.algebra.aggregate import Aggregate

Erased = Aggregate[object, object, object]


def shareable(one: Erased, other: Erased) -> bool:
    """Whether one slice can serve both aggregates: they may be lowered differently.

    >>> from muntin.spec.algebra.catalogue import named
    >>> shareable(named("sum"), named("sum")), shareable(named("sum"), named("max"))
    (True, False)
    """
    return same_function(one.lift, other.lift) and same_function(one.monoid, other.monoid)
