"""Which windows kernels answer, and the aggregates as kernels and operators take them."""

from collections.abc import Iterable

from muntin.kernels.slicing.custom import CompiledAggregate, compiled_aggregate
from muntin.kernels.slicing.forms import Form, catalogued, form_of
from muntin.kernels.slicing.over import over
from muntin.kernels.slicing.parts import Count
from muntin.kernels.slicing.supported import refusal
from muntin.spark.call.aggregate_arguments import (
    FLOATING_TYPES,
    INTEGER_TYPES,
    TEMPORAL_TYPES,
    AggregateColumn,
)
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.query import Query

Erased = Aggregate[object, object, object]
NUMBERS = (*INTEGER_TYPES, *FLOATING_TYPES, *TEMPORAL_TYPES)


def over_columns(plan: AggregationPlan, one: AggregateColumn) -> Erased:
    """Return an aggregate of columns; to count rows is to count their times, which are there."""
    if isinstance(one.what, CompiledAggregate):
        return compiled_aggregate(one.what.summary, one.columns, commutative=one.what.commutative)
    if one.of_rows:
        return over((plan.time,), catalogued("count"))
    return over(one.columns, one.aggregate())


def over_values(plan: AggregationPlan, one: AggregateColumn) -> Erased:
    """Return an aggregate of the values of events."""
    plain = plan.has_single_value_column or one.of_rows
    return one.aggregate() if plain else over(one.columns, one.aggregate())


def is_columnar(plan: AggregationPlan) -> bool:
    """Whether every aggregate has a form over columns, and every column is one of numbers."""
    small = all(isinstance(plan.types[name], NUMBERS) for name in plan.values)
    known = all(_known(one) and form_of(over_columns(plan, one)) for one in plan.wanted)
    return small and known and not plan.gap and not plan.mark


def _known(one: AggregateColumn) -> bool:
    """Whether an aggregate may have a form: of the catalogue, or a summary of the user's own."""
    return one.named is not None or isinstance(one.what, CompiledAggregate)


def columnar_windows(plan: AggregationPlan) -> set[str]:
    """Return the windows that kernels answer."""
    if not is_columnar(plan):
        return set()
    aggregate = over_columns(plan, plan.wanted[0])
    return {
        name
        for name, kind in plan.kinds().items()
        if refusal(Query(name, kind, aggregate), plan.settings) is None
    }


def redundant_counts(forms: Iterable[Form]) -> set[int]:
    """Return which of the parts of forms count values where no form tells how many there are.

    >>> from muntin.kernels.slicing.forms import form
    >>> sums, means = form("sum"), form("mean")
    >>> redundant_counts([sums]), redundant_counts([sums, means])
    ({1}, set())
    """
    every = list(forms)
    told = {part for one in every if one.counted for part in one.parts}
    parts = dict.fromkeys(part for one in every for part in one.parts)
    return {n for n, part in enumerate(parts) if isinstance(part, Count) and part not in told}
