"""Whole events of a key, answered by an operator: by kernels if they can, else one event at a time.

This is the seam between Spark and the operators: rows in, lines out.
"""

from collections.abc import Sequence

import numpy as np

from muntin.columnar.arrow import values as arrow_values
from muntin.kernels.slicing.answered import Answered
from muntin.kernels.slicing.batch import Values
from muntin.kernels.slicing.known import KINDS
from muntin.kernels.slicing.operator import ColumnarOperator
from muntin.kernels.slicing.plan import Method
from muntin.optimized.scotty.operator import Scotty
from muntin.spark.call.aggregate_arguments import AggregateColumn
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import KeyNumbers, Table, near_times, numbers, objects, pa, times
from muntin.spark.execution.columnar_support import (
    Erased,
    columnar_windows,
    over_columns,
    over_values,
)
from muntin.spark.execution.result_casts import cast_exactly
from muntin.spark.execution.result_rows import ResultRows, as_type, coordinates, is_row
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import product
from muntin.spec.query import Query, Result
from muntin.spec.stream import END, Event


def evaluate(plan: AggregationPlan, of: Table, found: KeyNumbers) -> list[ResultRows]:
    """Answer all events of some keys at once: the stream ends with them."""
    fast = columnar_windows(plan)
    lines = _by_columns(plan.restricted_to(fast), of, found) if fast else []
    slow = {one.id for one in plan.windows} - fast
    return lines + (_by_events(plan.restricted_to(slow), of, found) if slow else [])


def _by_columns(plan: AggregationPlan, of: Table, found: KeyNumbers) -> list[ResultRows]:
    operator = columnar_operator_for(plan)
    answer = operator.take_columns(times(of, plan.time), columns_of(plan, of), found.number, END)
    return told_by_columns(plan, answer)


def columnar_operator_for(plan: AggregationPlan, method: Method = "auto") -> ColumnarOperator:
    """Return an operator over columns that asks for each aggregate of each window."""
    operator, ids = ColumnarOperator(plan.settings, method=method), ids_of(plan)
    for name, kind in plan.kinds().items():
        for one in plan.wanted:
            operator.add(Query(ids[name, one.label], kind, over_columns(plan, one)))
    return operator


def ids_of(plan: AggregationPlan) -> dict[tuple[str, str], str]:
    """Return the id of each query, by the names of its window and of its aggregate.

    Checkpoints of streams hold ids, so they have lengths in them only where names alone would be
    the same: 'a', 'b c' and 'a b', 'c'.
    """
    pairs = [(name, one.label) for name in plan.kinds() for one in plan.wanted]
    plain = {pair: " ".join(pair) for pair in pairs}
    if len(set(plain.values())) == len(pairs):
        return plain
    return {pair: f"{len(pair[0])} {whole}" for pair, whole in plain.items()}


def columns_of(plan: AggregationPlan, of: Table) -> dict[str, Values]:
    """Return the columns that aggregates read."""
    return {name: numbers(of, name) for name in (*plan.values, plan.time)}


def told_by_columns(plan: AggregationPlan, answer: Answered) -> list[ResultRows]:
    """Return what an operator over columns says, as lines about whole windows."""
    lines, ids, told = answer.by_query(), ids_of(plan), list[ResultRows]()
    n = max((int(one.key.max()) + 1 for one in lines.values() if one.key.size), default=0)
    keys = np.array([answer.keys(number) for number in range(n)], np.int64)
    for name in plan.kinds():
        asked = {one.label: ids[name, one.label] for one in plan.wanted}
        each = {label: lines[id_] for label, id_ in asked.items() if id_ in lines}
        for first in list(each.values())[:1]:
            columns = {label: arrow_values(one.value) for label, one in each.items()}
            kind = pa.array(KINDS).take(pa.array(first.kind))
            told.append(
                ResultRows(
                    name, keys[first.key], first.start, first.end, columns, kind, first.revision
                )
            )
    return told


def _by_events(plan: AggregationPlan, of: Table, found: KeyNumbers) -> list[ResultRows]:
    queries, results = queries_of(plan), list[tuple[int, Result]]()
    events = events_of(plan, of)
    order = np.argsort(found.number, kind="stable")
    ends = np.cumsum(np.bincount(found.number, minlength=found.row.size))
    for key, places in enumerate(np.split(order, ends[:-1])):
        mine = [events[int(i)] for i in places]
        results += [(key, one) for one in operator_of(plan, queries).step(mine, END).results]
    return lines_of(plan, results)


def operator_of(plan: AggregationPlan, queries: Sequence[Query]) -> Scotty:
    """Return an operator that asks these queries."""
    operator = Scotty(plan.settings)
    for query in queries:
        operator.add(query)
    return operator


def queries_of(plan: AggregationPlan) -> list[Query]:
    """Return a query for each window: all aggregates are one, so a window is told of once."""
    aggregate = product_aggregate(plan)
    return [Query(name, kind, aggregate) for name, kind in plan.kinds().items()]


def product_aggregate(plan: AggregationPlan) -> Erased:
    """Return all aggregates as one, whose values are tuples."""
    parts = [over_values(plan, one) for one in plan.wanted]
    return Aggregate(
        "; ".join(one.described for one in plan.wanted),
        lambda value: tuple(one.lift(value) for one in parts),
        product(*(one.monoid for one in parts)),
        lambda total: tuple(one.lower(part) for one, part in zip(parts, total, strict=True)),
        commutative=all(one.commutative for one in parts),
        kind="holistic" if any(one.kind == "holistic" for one in parts) else "algebraic",
    ).erase_types()


def events_of(plan: AggregationPlan, of: Table) -> list[Event]:
    """Return rows as events: of one column its values, of several records."""
    names, read = plan.values, {name: objects(of, name) for name in plan.values}
    values = list[object]([None] * of.num_rows)
    if plan.has_single_value_column and names:
        values = read[names[0]]
    elif names:
        rows = zip(*read.values(), strict=True)
        values = [dict(zip(names, row, strict=True)) for row in rows]
    gaps = objects(of, plan.gap) if plan.gap else [None] * len(values)
    marks = objects(of, plan.mark) if plan.mark else [False] * len(values)
    each = zip(near_times(of, plan.time).tolist(), values, gaps, marks, strict=True)
    return [Event(t, v, None, g if isinstance(g, int) else None, bool(m)) for t, v, g, m in each]


def lines_of(plan: AggregationPlan, results: Sequence[tuple[int, Result]]) -> list[ResultRows]:
    """Return results, each with the number of its key, as lines."""
    by_window: dict[str, list[tuple[int, Result]]] = {one.id: [] for one in plan.windows}
    for key, one in results:
        by_window[one.query].append((key, one))
    told = list[ResultRows]()
    for name, mine in by_window.items():
        values = {w.label: _values(w, nth, mine) for nth, w in enumerate(plan.wanted)}
        told.append(
            ResultRows(
                name,
                np.array([key for key, _ in mine], np.int64),
                coordinates([one.start for _, one in mine]),
                coordinates([one.end for _, one in mine]),
                values,
                [one.kind for _, one in mine],
                [one.revision for _, one in mine],
            )
        )
    return told


def _values(
    wanted: AggregateColumn, nth: int, results: Sequence[tuple[int, Result]]
) -> list[object]:
    """Return the values of one aggregate, of the type of its column."""
    parts = [one.value[nth] for _, one in results if is_row(one.value)]
    if wanted.named is None:
        return [cast_exactly(part, wanted.type, wanted.label) for part in parts]
    return [as_type(part, wanted.type) for part in parts]
