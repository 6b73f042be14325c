"""All events of a key computed by an operator: columnar if it can, else row at a time.

This is the seam between Spark and the operators: rows in, result rows out.
"""

from collections.abc import Sequence

import numpy as np

from muntin.columnar.arrow import result_array
from muntin.columnar.key_numbers import KeyNumbers
from muntin.columnar.operator import ColumnarOperator
from muntin.kernels.slicing.answered import Answered, aligned
from muntin.kernels.slicing.batch import Values
from muntin.kernels.slicing.custom import CompiledAggregate
from muntin.kernels.slicing.forms import form_of
from muntin.kernels.slicing.known import KINDS
from muntin.kernels.slicing.over import is_row
from muntin.kernels.slicing.plan import Method
from muntin.kernels.slicing.supported import refusal
from muntin.optimized.scotty.operator import Scotty
from muntin.spark.call.aggregate_arguments import NUMBERS, AggregateColumn
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import ArrowBatch, near_times, numbers, objects, pa, times
from muntin.spark.execution.result_rows import ResultRows, as_type, cast_exactly, coordinates
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
    """Whether the columnar engine supports every aggregate, and every column holds numbers."""
    for each in plan.aggregates:
        may_be_columnar = each.catalogue_name or isinstance(each.what, CompiledAggregate)
        if not may_be_columnar or not form_of(each.over_columns(plan.time)):
            return False
    numeric = all(isinstance(plan.types[name], NUMBERS) for name in plan.values)
    return numeric and not plan.gap and not plan.mark


def columnar_windows(plan: AggregationPlan) -> set[str]:
    """The windows that the columnar engine computes."""
    if not is_columnar(plan):
        return set()
    aggregate = plan.aggregates[0].over_columns(plan.time)
    queries = [Query(name, kind, aggregate) for name, kind in plan.kinds().items()]
    return {query.id for query in queries if refusal(query, plan.settings) is None}


def _by_columns(plan: AggregationPlan, rows: ArrowBatch, keys: KeyNumbers) -> list[ResultRows]:
    operator = columnar_operator_for(plan)
    answer = operator.take_columns(times(rows, plan.time), columns_of(plan, rows), keys.number, END)
    return rows_of_answer(plan, answer)


def columnar_operator_for(plan: AggregationPlan, method: Method = "auto") -> ColumnarOperator:
    """A columnar operator with these queries."""
    operator = ColumnarOperator(plan.settings, method=method)
    for query in columnar_queries(plan):
        operator.add(query)
    return operator


def columnar_queries(plan: AggregationPlan) -> list[Query]:
    """A query for each aggregate of each window."""
    ids, kinds = ids_of(plan), plan.kinds().items()
    over = [(each.label, each.over_columns(plan.time)) for each in plan.aggregates]
    return [Query(ids[name, label], kind, each) for name, kind in kinds for label, each in over]


def ids_of(plan: AggregationPlan) -> dict[tuple[str, str], str]:
    """The id of each query, by the names of its window and of its aggregate.

    Checkpoints of streams hold ids, so they have lengths in them only where names alone would be
    the same: 'a', 'b c' and 'a b', 'c'.
    """
    pairs = [(name, each.label) for name in plan.kinds() for each in plan.aggregates]
    joined = {pair: " ".join(pair) for pair in pairs}
    if len(set(joined.values())) == len(pairs):
        return joined
    return {pair: f"{len(pair[0])} {name}" for pair, name in joined.items()}


def columns_of(plan: AggregationPlan, rows: ArrowBatch) -> dict[str, Values]:
    """The columns that aggregates read."""
    return {name: numbers(rows, name) for name in (*plan.values, plan.time)}


def rows_of_answer(plan: AggregationPlan, answer: Answered) -> list[ResultRows]:
    """The output of a columnar operator as result rows, with all aggregates of a window."""
    lines, ids, results = answer.by_query(), ids_of(plan), list[ResultRows]()
    n = max((int(one.key.max()) + 1 for one in lines.values() if one.key.size), default=0)
    keys = np.array([answer.keys(number) for number in range(n)], np.int64)
    for name in plan.kinds():
        queries = {one.label: ids[name, one.label] for one in plan.aggregates}
        each = aligned({label: lines[id_] for label, id_ in queries.items() if id_ in lines})
        for first in list(each.values())[:1]:
            columns = {label: result_array(one.value) for label, one in each.items()}
            kind = pa.array(KINDS).take(pa.array(first.kind))
            bounds = (first.start, first.end)
            rows = ResultRows(name, keys[first.key], *bounds, columns, kind, first.revision)
            results.append(rows)
    return results


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
