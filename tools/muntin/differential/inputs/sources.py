"""Where rows come from: a seed, Parquet files, or the flights that left New York in 2013."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from muntin.conformance.datasets.flights import departures
from muntin.differential.plan import REAL, DiffPlan
from muntin.differential.spark.remote import Row, row_of, trace_of, trace_row

if TYPE_CHECKING:
    from muntin.differential.spark.parquet_footers import Columns
    from muntin.registry.dataframes.session import Session
    from muntin.registry.dataframes.traces import Frame

CHUNK = 250_000
"""How many rows are judged by one job of Spark; then the progress bar moves."""
WHOLE_CHUNK, WHOLE_TASK = 10_000_000, 1_250_000
"""How many rows are answered at once where they are whole DataFrames, and by one task."""
FEW, TASKS = 5000, 8
"""How many rows a task has at least, and how many tasks a job has at most."""


@dataclass(frozen=True)
class Source:
    """Rows by the name of where they are from, in chunks of traces; and those that are bad.

    What is judged of a chunk follows from `run`: a journal knows chunks by it.
    """

    name: str
    rows: int
    chunks: Callable[[], Iterator["Frame"]]
    bad: Mapping[str, int] = field(default_factory=dict[str, int])
    run: str = ""


def tasks_for(rows: int) -> int:
    """Return how many tasks so many rows are worth.

    >>> tasks_for(100), tasks_for(12_000), tasks_for(10**6)
    (1, 2, 8)
    """
    return max(1, min(TASKS, rows // FEW))


def generated(spark: "Session", plan: DiffPlan) -> Source:
    """Return rows that are made from the seed."""
    from muntin.registry.dataframes.traces import generated as made  # noqa: PLC0415 - it is an extra

    def chunks() -> Iterator["Frame"]:
        for keys in key_ranges(plan):
            tasks = tasks_for(len(keys) * plan.most_rows())
            spark.conf.set("spark.sql.shuffle.partitions", str(tasks))
            yield made(spark, keys, partial(trace_row, plan), tasks)

    run = f"{plan} key by key, {CHUNK} rows a chunk"
    return Source(f"made from seed {plan.seed}", plan.rows, chunks, run=run)


def made_whole(spark: "Session", plan: DiffPlan) -> Source:
    """Return rows that Spark makes from the seed, as DataFrames of rows."""
    from muntin.registry.dataframes.generated_rows import GeneratedRows  # noqa: PLC0415 - it is an extra

    def chunks() -> Iterator["Frame"]:
        for keys in key_ranges(plan, WHOLE_CHUNK):
            first, last = (plan.rows * key // plan.keys for key in (keys.start, keys.stop))
            tasks = max(2, (last - first) // WHOLE_TASK)
            spark.conf.set("spark.sql.shuffle.partitions", str(tasks))
            yield GeneratedRows(last - first, keys, plan.seed, plan.disorder).frame(spark, tasks)

    run = f"{plan} all at once, {WHOLE_CHUNK} rows a chunk"
    return Source(f"made from seed {plan.seed}, all at once", plan.rows, chunks, run=run)


def key_ranges(plan: DiffPlan, chunk: int = 0) -> Iterator[range]:
    """Yield the keys of each chunk.

    >>> list(key_ranges(DiffPlan(rows=600_000, keys=6)))
    [range(0, 2), range(2, 4), range(4, 6)]
    """
    together = max(1, (chunk or CHUNK) // plan.most_rows())
    for first in range(0, plan.keys, together):
        yield range(first, min(first + together, plan.keys))


@dataclass(frozen=True)
class Files:
    """A Parquet file or a folder of them, what is read of it, and how long its traces are."""

    path: Path
    columns: "Columns"
    longest: int
    name: str = ""

    def run(self, plan: DiffPlan) -> str:
        """Return what the answers follow from; the seed, and what else rows are made of, do not.

        A file with a name of its own is written anew for each run, and lies anywhere.
        """
        from muntin.differential.spark.parquet_footers import identity  # noqa: PLC0415 - it is an extra

        asked = replace(plan, rows=0, keys=1, seed=0, disorder=REAL)
        which = sha256(self.path.read_bytes()).hexdigest() if self.name else identity(self.path)
        return f"{asked} {self.columns} of files {which}, {self.longest} a trace, {CHUNK} a chunk"


def from_parquet(spark: "Session", plan: DiffPlan, files: Files) -> Source:
    """Return the rows of Parquet files."""
    from muntin.differential.spark.parquet_rows import read, traces  # noqa: PLC0415 - it is an extra
    from muntin.registry.dataframes.traces import SCHEMA, mapped  # noqa: PLC0415 - it is an extra

    run = files.run(plan)
    found = read(spark, files.path, files.columns)

    def flagged(rows: Iterable[Row]) -> Iterator[Row]:
        return (row_of(plan, trace_of(row)) for row in rows)

    def chunks() -> Iterator["Frame"]:
        spark.conf.set("spark.sql.shuffle.partitions", str(tasks_for(found.good)))
        number = SCHEMA.format(number=found.number)
        kept = mapped(traces(found.rows, files.longest), flagged, number).persist()
        parts = -(-found.good // CHUNK)
        for nth in range(parts):
            yield kept.where(f"nth % {parts} = {nth}")
        kept.unpersist()

    return Source(files.name or f"of {files.path}", found.good, chunks, found.bad, run)


def flights_file(folder: Path, limit: int | None = None) -> Path:
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
