"""Query sharing: two queries can share slices if they lift and combine in the same way."""

from muntin.snapshot.function_equality import same_function
from muntin.spec.algebra.aggregate import AnyAggregate


def can_share(aggregate: AnyAggregate, other: AnyAggregate) -> bool:
    """Whether one slice can serve both aggregates, which may lower differently.

    >>> from muntin.spec.algebra.catalogue import named
    >>> can_share(named("sum"), named("sum")), can_share(named("sum"), named("max"))
    (True, False)
    """
    same_lift = same_function(aggregate.lift, other.lift)
    return same_lift and same_function(aggregate.monoid, other.monoid)
