"""Which windows the columnar engine supports."""

from collections.abc import Iterable

from muntin.kernels.slicing.custom import CompiledAggregate
from muntin.kernels.slicing.forms import Form, form_of
from muntin.kernels.slicing.parts import Count
from muntin.kernels.slicing.supported import refusal
from muntin.spark.call.aggregate_arguments import (
    FLOATING_TYPES,
    INTEGER_TYPES,
    TEMPORAL_TYPES,
    AggregateColumn,
)
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spec.query import Query

NUMBERS = (*INTEGER_TYPES, *FLOATING_TYPES, *TEMPORAL_TYPES)


def is_columnar(plan: AggregationPlan) -> bool:
    """Whether the columnar engine supports every aggregate, and every column holds numbers."""
    numeric = all(isinstance(plan.types[name], NUMBERS) for name in plan.values)
    supported = all(
        _may_be_columnar(each) and form_of(each.over_columns(plan.time)) for each in plan.aggregates
    )
    return numeric and supported and not plan.gap and not plan.mark


def _may_be_columnar(column: AggregateColumn) -> bool:
    """Whether an aggregate is of the catalogue, or a compiled one of the user's own."""
    return column.catalogue_name is not None or isinstance(column.what, CompiledAggregate)


def columnar_windows(plan: AggregationPlan) -> set[str]:
    """The windows that the columnar engine computes."""
    if not is_columnar(plan):
        return set()
    aggregate = plan.aggregates[0].over_columns(plan.time)
    return {
        name
        for name, kind in plan.kinds().items()
        if refusal(Query(name, kind, aggregate), plan.settings) is None
    }


def redundant_counts(forms: Iterable[Form]) -> set[int]:
    """The parts of forms that count values where no form needs their number.

    >>> from muntin.kernels.slicing.forms import form
    >>> sums, means = form("sum"), form("mean")
    >>> redundant_counts([sums]), redundant_counts([sums, means])
    ({1}, set())
    """
    every = list(forms)
    counting = {part for form in every if form.counted for part in form.parts}
    parts = dict.fromkeys(part for form in every for part in form.parts)
    return {n for n, part in enumerate(parts) if isinstance(part, Count) and part not in counting}
