"""What executors do: make the traces of keys, and judge them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias, TypeGuard

from muntin.differential.comparison import TraceComparison
from muntin.differential.equality import View
from muntin.differential.inputs.generated_traces import rows_of
from muntin.differential.inputs.trace import GeneratedTrace, Number, on_time
from muntin.differential.plan import DiffPlan
from muntin.spec.errors import InvalidInputError

Row: TypeAlias = Mapping[str, object]
TALLY = "tally string"
"""The schema of what comes back: the tally of a part, as JSON."""


def trace_row(plan: DiffPlan, key: int) -> Row:
    """Return the trace of a key."""
    times, values = rows_of(plan, key)
    return row_of(plan, GeneratedTrace(str(key), key, times, values))


def row_of(plan: DiffPlan, trace: GeneratedTrace) -> Row:
    """Return a trace as a row."""
    row = {"key": trace.key, "nth": trace.nth, "t": trace.times, "v": trace.values}
    return row | {"ok": on_time(trace.times, plan)}


def judging(plan: DiffPlan) -> Callable[[Iterable[Row]], Iterator[Row]]:
    """Return what judges the traces of a part, and answers their tally."""

    def judge(rows: Iterable[Row]) -> Iterator[Row]:
        bench = TraceComparison(plan)
        for row in rows:
            bench.judge(
                trace_of(row), native_view(row.get("native")) if plan.asks_spark() else None
            )
        yield {"tally": bench.tally.written()}

    return judge


def trace_of(row: Row) -> GeneratedTrace:
    """Return the trace that a row is."""
    key, nth, times, values = (row[name] for name in ("key", "nth", "t", "v"))
    if isinstance(key, str) and isinstance(nth, int) and _integers(times) and _numbers(values):
        return GeneratedTrace(key, nth, times, values)
    raise InvalidInputError(f"this is no trace: {row}")


def native_view(windows: object) -> View:
    """Return what Spark answers to a trace; it answers nothing where nothing was on time."""
    view = View()
    for one in windows if _rows(windows) else []:
        query, start, end = str(one["query"]), int(str(one["start"])), int(str(one["end"]))
        view[query, start, end] = one["real"] if one["exact"] is None else one["exact"]
    return view


def _rows(values: object) -> TypeGuard[list[Row]]:
    return isinstance(values, list)


def _integers(values: object) -> TypeGuard[list[int]]:
    return isinstance(values, list)


def _numbers(values: object) -> TypeGuard[list[Number]]:
    return isinstance(values, list)
