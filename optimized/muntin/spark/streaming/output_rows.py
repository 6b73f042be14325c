"""Output rows of a bucket: results of windows, and late rows. Task after the shuffle."""

from collections.abc import Iterator, Sequence

import numpy as np

from muntin.columnar.key_numbers import KeyNumbers
from muntin.kernels.slicing.over import is_record
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import ArrowBatch, batches, column, pa, typed
from muntin.spark.execution.evaluation import rows_of_results
from muntin.spark.execution.result_rows import result_batches
from muntin.spark.state.state_header import Key
from muntin.spec.query import Result
from muntin.spec.stream import Event

LATE = "late"


def window_rows(
    plan: AggregationPlan, results: Sequence[tuple[Key, Result]]
) -> Iterator[ArrowBatch]:
    """Rows of windows, each with its key."""
    numbers: dict[Key, int] = {}
    numbered = [(numbers.setdefault(key, len(numbers)), result) for key, result in results]
    places = np.arange(len(numbers))
    keys = _key_columns(plan, list(numbers))
    return result_batches(plan, rows_of_results(plan, numbered), keys, KeyNumbers(places, places))


def _key_columns(plan: AggregationPlan, keys: Sequence[Key]) -> ArrowBatch:
    """Keys as columns of their own types."""
    columns = {
        name: typed([key[i] for key in keys], plan.types[name]) for i, name in enumerate(plan.keys)
    }
    table: ArrowBatch = pa.RecordBatch.from_pydict(columns or {"": pa.nulls(len(keys))})
    return table


def late_event_rows(
    plan: AggregationPlan, late: Sequence[tuple[Key, Event]]
) -> Iterator[ArrowBatch]:
    """Late events, each with its key, as rows of the kind `late`."""
    if not late:
        return iter(())
    keys, events = _key_columns(plan, [key for key, _ in late]), [event for _, event in late]
    start = typed([event.time for event in events], plan.types[plan.time])
    return _late(plan, keys, start, _event_structs(plan, events) if plan.late == "rows" else None)


def late_rows(plan: AggregationPlan, late: ArrowBatch) -> Iterator[ArrowBatch]:
    """Late input rows as rows of the kind `late`."""
    names = plan.row().names
    columns = [column(late, name) for name in names]
    rows = pa.StructArray.from_arrays(columns, names) if plan.late == "rows" else None
    return _late(plan, late, column(late, plan.time), rows)


def _late(
    plan: AggregationPlan, keys: ArrowBatch, start: object, rows: object
) -> Iterator[ArrowBatch]:
    """Late rows start at their times, and have no end, value or revision."""
    schema, n = plan.schema(), keys.num_rows
    columns: dict[str, object] = {field.name: pa.nulls(n) for field in schema.fields}
    columns |= {name: column(keys, name) for name in plan.keys}
    columns |= {"start": start, "kind": pa.repeat(LATE, n)}
    return batches(columns if rows is None else columns | {"late": rows}, schema)


def _event_structs(plan: AggregationPlan, events: Sequence[Event]) -> object:
    names, fields = plan.values, plan.row().fields
    rows = [_event_row(plan, names, event) for event in events]
    columns = [typed([row[f.name] for row in rows], f.dataType) for f in fields]
    return pa.StructArray.from_arrays(columns, [field.name for field in fields])


def _event_row(plan: AggregationPlan, names: Sequence[str], event: Event) -> dict[str, object]:
    value = event.value
    fields = {names[0]: value} if plan.has_single_value_column and names else value
    return {plan.time: event.time} | (dict(fields) if is_record(fields) else {})
