"""A differential run on Spark: the driver takes chunk after chunk, executors compare the traces."""

from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import TYPE_CHECKING, TypeGuard

from muntin.differential.comparison import TraceComparison
from muntin.differential.equality import WindowView
from muntin.differential.inputs.generated_traces import generated_rows
from muntin.differential.inputs.trace import KeyTrace, Number, on_time
from muntin.differential.journal import Journal
from muntin.differential.plan import NATIVE, DiffPlan
from muntin.differential.tally import Tally, tally_from_json
from muntin.registry.dataframes.native_windows import NativeQuery, native_query, with_native_windows
from muntin.registry.dataframes.traces import Frame, MapRows, Row, map_rows
from muntin.spec.errors import InvalidInputError

if TYPE_CHECKING:
    from muntin.differential.inputs.sources import Source

TALLY_SCHEMA = "tally string"
"""The schema of an executor's result: the tally of a partition, as JSON."""

ProgressCallback = Callable[[Tally], None]
"""Called with the tally of each chunk."""


def native_queries(plan: DiffPlan) -> list[NativeQuery]:
    """The queries that Spark's own windows support, if they take part."""
    queries = [native_query(query) for query in plan.queries() if plan.has_native()]
    return [query for query in queries if not isinstance(query, str)]


def native_refusals(plan: DiffPlan) -> dict[str, str]:
    """The reason by query, for the queries that Spark's own windows do not support."""
    takes_part = plan.has_native() and not plan.whole
    queries = {query.id: native_query(query) for query in plan.queries() if takes_part}
    return {f"{NATIVE}: {name}": why for name, why in queries.items() if isinstance(why, str)}


def compare_frame(frame: Frame, plan: DiffPlan) -> Tally:
    """Compare the traces of a frame, or its rows if they are evaluated all at once."""
    if plan.whole:
        from muntin.differential.dataframe_comparison import ChunkComparison  # noqa: PLC0415 - a cycle

        return ChunkComparison(frame, plan).tally()
    tasks = int(str(frame.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    persisted = frame.repartition(tasks, "key").persist()  # each native query reads it again
    queries = native_queries(plan)
    merge_at_gap, total = plan.dialect == "spark", Tally()
    if queries:
        frame = with_native_windows(persisted, queries, merge_at_gap=merge_at_gap)
    for row in map_rows(
        frame if queries else persisted, comparison_task(plan), TALLY_SCHEMA
    ).collect():
        total.add(tally_from_json(row["tally"]))
    persisted.unpersist()
    return total


def run_chunks(
    source: "Source", plan: DiffPlan, report: ProgressCallback, journal: Journal | None = None
) -> Tally:
    """Compare all rows of a source, but for the chunks that the journal has."""
    total = Tally(refused=native_refusals(plan))
    start = monotonic()
    for chunk, frame in enumerate(source.chunks()):
        tally = journal.tally_of(chunk) if journal else None
        if tally is None:
            tally = compare_frame(frame, plan)
            tally.seconds[""], start = monotonic() - start, monotonic()
            if journal:
                journal.append(chunk, tally)
        total.add(tally)
        report(tally)
    return total


def generated_trace_row(plan: DiffPlan, key: int) -> Row:
    """The generated trace of a key."""
    times, values = generated_rows(plan, key)
    return row_of(plan, KeyTrace(str(key), key, times, values))


def row_of(plan: DiffPlan, trace: KeyTrace) -> Row:
    """A trace as a row."""
    row = {"key": trace.key, "number": trace.number, "t": trace.times, "v": trace.values}
    return row | {"ok": on_time(trace.times, plan)}


def comparison_task(plan: DiffPlan) -> MapRows:
    """The task of an executor: from the traces of a partition to their tally."""

    def compare(rows: Iterable[Row]) -> Iterator[Row]:
        comparison = TraceComparison(plan)
        for row in rows:
            native = native_view(row.get("native")) if plan.has_native() else None
            comparison.compare(trace_of(row), native)
        yield {"tally": comparison.tally.to_json()}

    return compare


def trace_of(row: Row) -> KeyTrace:
    """The trace in a row."""
    key, number, times, values = (row[name] for name in ("key", "number", "t", "v"))
    if isinstance(key, str) and isinstance(number, int) and _integers(times) and _numbers(values):
        return KeyTrace(key, number, times, values)
    raise InvalidInputError(f"the row has no trace in key, number, t and v: {row}")


def native_view(windows: object) -> WindowView:
    """The windows that Spark computed for a trace; none, not null, if no row was on time."""
    view = WindowView()
    for row in windows if _rows(windows) else []:
        query, start, end = str(row["query"]), int(str(row["start"])), int(str(row["end"]))
        view[query, start, end] = row["real"] if row["exact"] is None else row["exact"]
    return view


def _rows(values: object) -> TypeGuard[list[Row]]:
    return isinstance(values, list)


def _integers(values: object) -> TypeGuard[list[int]]:
    return isinstance(values, list)


def _numbers(values: object) -> TypeGuard[list[Number]]:
    return isinstance(values, list)
