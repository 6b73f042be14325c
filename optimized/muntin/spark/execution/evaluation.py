"""All events of a key computed by an operator: columnar if it can, else row at a time.

This is the seam between Spark and the operators: rows in, result rows out.
"""

from collections.abc import Sequence

import numpy as np

from muntin.columnar.embedding import (
    CompiledAggregate,
    KeyNumbers,
    ResultRows,
    Source,
    Values,
    WindowEngine,
    is_row,
    supported_windows,
)
from muntin.optimized.scotty.operator import Scotty
from muntin.spark.call.aggregate_arguments import NUMBERS, AggregateColumn
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import ArrowBatch, near_times, numbers, objects, times
from muntin.spark.execution.result_rows import as_type, cast_exactly, coordinates
from muntin.spec.algebra.aggregate import Aggregate, AnyAggregate
from muntin.spec.algebra.monoid import product
from muntin.spec.query import Query, Result
from muntin.spec.stream import END, Event

KeyedResults = Sequence[tuple[int, Result]]
"""Results, each with the number of its key."""


def evaluate(plan: AggregationPlan, rows: ArrowBatch, keys: KeyNumbers) -> list[ResultRows]:
    """The windows of some keys, all of whose events are here: the stream ends with them."""
    fast = columnar_windows(plan)
    results = _by_columns(plan.restricted_to(fast), rows, keys) if fast else []
    slow = {window.id for window in plan.windows} - fast
    return results + (_by_events(plan.restricted_to(slow), rows, keys) if slow else [])


def is_columnar(plan: AggregationPlan) -> bool:
    """Whether all columns that aggregates read hold numbers, and no function takes single rows."""
    known = all(
        each.catalogue_name or isinstance(each.what, CompiledAggregate) for each in plan.aggregates
    )
    numeric = all(isinstance(plan.types[name], NUMBERS) for name in plan.values)
    return known and numeric and not plan.gap and not plan.mark


def columnar_windows(plan: AggregationPlan) -> set[str]:
    """The windows that the columnar engine computes."""
    if not is_columnar(plan):
        return set()
    return supported_windows(plan.kinds(), [*aggregates_of(plan).values()], plan.settings)


def _by_columns(plan: AggregationPlan, rows: ArrowBatch, keys: KeyNumbers) -> list[ResultRows]:
    engine = engine_of(plan)
    engine.feed(times(rows, plan.time), columns_of(plan, rows), keys.number)
    engine.advance(END)
    return engine.take()


def engine_of(plan: AggregationPlan, *, saves: bool = False) -> WindowEngine:
    """The columnar engine of a plan."""
    return WindowEngine(plan.kinds(), aggregates_of(plan), plan.settings, saves=saves)


def aggregates_of(plan: AggregationPlan) -> dict[str, AnyAggregate]:
    """The aggregates of a plan, over records."""
    return {each.label: each.over_columns(plan.time) for each in plan.aggregates}


def columns_of(plan: AggregationPlan, rows: ArrowBatch) -> dict[Source, Values]:
    """The columns that aggregates read."""
    return {name: numbers(rows, name) for name in (*plan.values, plan.time)}


def _by_events(plan: AggregationPlan, rows: ArrowBatch, keys: KeyNumbers) -> list[ResultRows]:
    queries, results = queries_of(plan), list[tuple[int, Result]]()
    for key, of_key in enumerate(events_by_key(plan, rows, keys)):
        output = operator_of(plan, queries).step(of_key, END)
        results += [(key, result) for result in output.results]
    return rows_of_results(plan, results)


def operator_of(plan: AggregationPlan, queries: Sequence[Query]) -> Scotty:
    """A row-at-a-time operator with these queries."""
    operator = Scotty(plan.settings)
    for query in queries:
        operator.add(query)
    return operator


def queries_of(plan: AggregationPlan) -> list[Query]:
    """A query for each window: all aggregates are one, so a window is emitted once."""
    aggregate = product_aggregate(plan)
    return [Query(name, kind, aggregate) for name, kind in plan.kinds().items()]


def product_aggregate(plan: AggregationPlan) -> AnyAggregate:
    """All aggregates as one, whose values are tuples."""
    is_single = plan.has_single_value_column
    parts = [each.over_values(is_single=is_single) for each in plan.aggregates]
    return Aggregate(
        "; ".join(each.description for each in plan.aggregates),
        lambda value: tuple(each.lift(value) for each in parts),
        product(*(each.monoid for each in parts)),
        lambda total: tuple(each.lower(part) for each, part in zip(parts, total, strict=True)),
        commutative=all(each.commutative for each in parts),
        kind="holistic" if any(each.kind == "holistic" for each in parts) else "algebraic",
    ).erase_types()


def events_of(plan: AggregationPlan, rows: ArrowBatch) -> list[Event]:
    """Rows as events: with the value of their single value column, or a record."""
    names, columns = plan.values, {name: objects(rows, name) for name in plan.values}
    values = list[object]([None] * rows.num_rows)
    if plan.has_single_value_column and names:
        values = columns[names[0]]
    elif names:
        records = zip(*columns.values(), strict=True)
        values = [dict(zip(names, record, strict=True)) for record in records]
    gaps = objects(rows, plan.gap) if plan.gap else [None] * len(values)
    marks = objects(rows, plan.mark) if plan.mark else [False] * len(values)
    each = zip(near_times(rows, plan.time).tolist(), values, gaps, marks, strict=True)
    return [Event(t, v, None, g if isinstance(g, int) else None, bool(m)) for t, v, g, m in each]


def events_by_key(plan: AggregationPlan, rows: ArrowBatch, keys: KeyNumbers) -> list[list[Event]]:
    """The events of each key, by its number, in order of arrival."""
    by_key = [list[Event]() for _ in range(keys.row.size)]
    for number, event in zip(map(int, keys.number), events_of(plan, rows), strict=True):
        by_key[number].append(event)
    return by_key


def rows_of_results(plan: AggregationPlan, results: KeyedResults) -> list[ResultRows]:
    """Results, each with the number of its key, as result rows."""
    by_window: dict[str, list[tuple[int, Result]]] = {window.id: [] for window in plan.windows}
    for key, result in results:
        by_window[result.query].append((key, result))
    rows = list[ResultRows]()
    for name, pairs in by_window.items():
        values = {each.label: _values(each, i, pairs) for i, each in enumerate(plan.aggregates)}
        keys, of_window = np.array([key for key, _ in pairs], np.int64), [each for _, each in pairs]
        start = coordinates([each.start for each in of_window])
        end = coordinates([each.end for each in of_window])
        kinds = [each.kind for each in of_window]
        revisions = [each.revision for each in of_window]
        rows.append(ResultRows(name, keys, start, end, values, kinds, revisions))
    return rows


def _values(column: AggregateColumn, position: int, results: KeyedResults) -> list[object]:
    """The values of one aggregate, of the type of its column."""
    parts = [result.value[position] for _, result in results if is_row(result.value)]
    if column.catalogue_name is None:
        return [cast_exactly(part, column.type, column.label) for part in parts]
    return [as_type(part, column.type) for part in parts]
