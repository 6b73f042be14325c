"""The sources of rows: a seed, Parquet files, or the flights that left New York in 2013."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from muntin.conformance.datasets.flights import departures
from muntin.differential.plan import MIXED_DISORDER, DiffPlan
from muntin.differential.spark.driver import generated_trace_row, row_of, trace_of
from muntin.differential.spark.parquet_footers import ColumnNames, files_identity
from muntin.differential.spark.parquet_rows import key_traces, read
from muntin.registry.dataframes.generated_rows import GeneratedRows
from muntin.registry.dataframes.traces import SCHEMA, Row, generate, map_rows

if TYPE_CHECKING:
    from muntin.registry.dataframes.session import Session
    from muntin.registry.dataframes.traces import Frame

CHUNK_ROWS = 250_000
"""Rows that one job of Spark compares; then the progress bar moves."""
DATAFRAME_CHUNK_ROWS, DATAFRAME_TASK_ROWS = 10_000_000, 1_250_000
"""Rows of a chunk that is evaluated as a whole DataFrame, and of one of its tasks."""
MIN_TASK_ROWS, MAX_TASKS = 5000, 8
"""The fewest rows of a task, and the most tasks of a job."""


@dataclass(frozen=True)
class Source:
    """Rows in chunks of traces, and the number of rows left out, by reason.

    `run` is all that the answers depend on: a journal recognizes chunks by it.
    """

    name: str
    rows: int
    chunks: Callable[[], Iterator["Frame"]]
    bad: Mapping[str, int] = field(default_factory=dict[str, int])
    run: str = ""


def task_count(rows: int) -> int:
    """The number of tasks for a job over these rows.

    >>> task_count(100), task_count(12_000), task_count(10**6)
    (1, 2, 8)
    """
    return max(1, min(MAX_TASKS, rows // MIN_TASK_ROWS))


def generated_traces(spark: "Session", plan: DiffPlan) -> Source:
    """Traces that executors generate from the seed, one for each key."""

    def chunks() -> Iterator["Frame"]:
        for keys in key_ranges(plan):
            tasks = task_count(len(keys) * plan.max_rows_per_key())
            spark.conf.set("spark.sql.shuffle.partitions", str(tasks))
            yield generate(spark, keys, partial(generated_trace_row, plan), tasks)

    run = f"{plan} key by key, {CHUNK_ROWS} rows a chunk"
    return Source(f"made from seed {plan.seed}", plan.rows, chunks, run=run)


def generated_dataframes(spark: "Session", plan: DiffPlan) -> Source:
    """Rows that Spark itself generates from the seed, as DataFrames."""

    def chunks() -> Iterator["Frame"]:
        for keys in key_ranges(plan, DATAFRAME_CHUNK_ROWS):
            first, last = (plan.rows * key // plan.keys for key in (keys.start, keys.stop))
            tasks = max(2, (last - first) // DATAFRAME_TASK_ROWS)
            spark.conf.set("spark.sql.shuffle.partitions", str(tasks))
            yield GeneratedRows(last - first, keys, plan.seed, plan.disorder).frame(spark, tasks)

    run = f"{plan} all at once, {DATAFRAME_CHUNK_ROWS} rows a chunk"
    return Source(f"made from seed {plan.seed}, all at once", plan.rows, chunks, run=run)


def key_ranges(plan: DiffPlan, chunk_rows: int = 0) -> Iterator[range]:
    """Yield the keys of each chunk.

    >>> list(key_ranges(DiffPlan(rows=600_000, keys=6)))
    [range(0, 2), range(2, 4), range(4, 6)]
    """
    chunk_keys = max(1, (chunk_rows or CHUNK_ROWS) // plan.max_rows_per_key())
    for first in range(0, plan.keys, chunk_keys):
        yield range(first, min(first + chunk_keys, plan.keys))


@dataclass(frozen=True)
class ParquetInput:
    """A Parquet file or a folder of them, its columns, and the greatest length of a trace."""

    path: Path
    columns: ColumnNames
    longest: int
    name: str = ""

    def run(self, plan: DiffPlan) -> str:
        """All that the answers depend on: neither the seed nor other options of generated rows.

        A file with a name of its own is written anew for each run, at any path: its content counts.
        """
        options = replace(plan, rows=0, keys=1, seed=0, disorder=MIXED_DISORDER)
        path, sizes = self.path, f"{self.longest} a trace, {CHUNK_ROWS} a chunk"
        files = sha256(path.read_bytes()).hexdigest() if self.name else files_identity(path)
        return f"{options} {self.columns} of files {files}, {sizes}"


def parquet_traces(spark: "Session", plan: DiffPlan, parquet: ParquetInput) -> Source:
    """The rows of Parquet files, in traces of one key each."""
    run = parquet.run(plan)
    readable = read(spark, parquet.path, parquet.columns)

    def with_on_time(rows: Iterable[Row]) -> Iterator[Row]:
        return (row_of(plan, trace) for trace in map(trace_of, rows))

    def chunks() -> Iterator["Frame"]:
        spark.conf.set("spark.sql.shuffle.partitions", str(task_count(readable.good)))
        schema = SCHEMA.format(value_type=readable.value_type)
        traces = key_traces(readable.rows, parquet.longest)
        persisted = map_rows(traces, with_on_time, schema).persist()
        parts = -(-readable.good // CHUNK_ROWS)
        for part in range(parts):
            yield persisted.where(f"number % {parts} = {part}")
        persisted.unpersist()

    name = parquet.name or f"of {parquet.path}"
    return Source(name, readable.good, chunks, readable.bad, run)


def write_flights(folder: Path, limit: int | None = None) -> Path:
    """Write the departures in the order of landing: `origin`, `left` in minutes, `delay`."""
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    events = departures(limit)
    columns = {
        "origin": [event.key for event in events],
        "left": [event.time for event in events],
        "delay": [event.value for event in events],
    }
    path = folder / "flights.parquet"
    parquet.write_table(pyarrow.table(columns), path)
    return path
