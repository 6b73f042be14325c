"""A source of traces, recorded or generated, with exact offsets.

An offset is a number of rows, and the rows up to an offset never change: whatever is read again
after a failure is what was read before. It serves `readStream`, and `read` for the whole trace.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    InputPartition,
)
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from muntin.spark.execution.arrow import Table
from muntin.spark.source.trace import Generated, Recorded, Trace
from muntin.spec.errors import InvalidInputError

Offset = dict[str, int]
ROW = "row"
PACE = {"rows_per_trigger": 100_000, "parallelism": 2}
GENERATED = {field.name: field for field in fields(Generated)}
LEAST = {"rows": 0, "keys": 1, "step": 1, "delay": 0, "seed": 0, "begin": -(2**63)}
MOST = 2**63 - 1
"""The greatest number that a column holds; a seed is in none, and may be greater."""


@dataclass(frozen=True)
class RateLimits:
    """How many rows a micro-batch takes at most, and into how many partitions."""

    rows_per_trigger: int
    parallelism: int


class RowRange(InputPartition):
    """The rows from one number up to another."""

    def __init__(self, begin: int, end: int) -> None:
        """Say which."""
        self.begin, self.end = begin, end


def trace_of(options: Mapping[str, str]) -> tuple[Trace, RateLimits]:
    """Return what options describe, or say which of them is wrong."""
    for name in options:
        if name not in {"path", *GENERATED, *PACE}:
            known = ", ".join(["path", *GENERATED, *PACE])
            raise InvalidInputError(f"{name!r} is no option of the source of traces; {known} are")
    pace = {name: _whole(name, options.get(name, str(usual)), 1) for name, usual in PACE.items()}
    given = {name: options[name] for name in GENERATED if name in options}
    if "path" in options and given:
        raise InvalidInputError(f"a recorded trace has no {', '.join(given)}")
    if "path" in options:
        return Recorded(options["path"]), RateLimits(**pace)
    disorder = _share("disorder", given.pop("disorder", str(Generated.disorder)))
    numbers = {name: _whole(name, text, LEAST[name]) for name, text in given.items()}
    return Generated(disorder=disorder, **numbers), RateLimits(**pace)


def _whole(name: str, text: str, least: int) -> int:
    fits = True
    with suppress(ValueError):
        fits = name == "seed" or -MOST - 1 <= int(text) <= MOST
        if fits and int(text) >= least:
            return int(text)
    what = ("an integer" if fits else "an integer of 64 bits") + f" >= {least}" * (least >= 0)
    raise InvalidInputError(f"the option {name!r} must be {what}, not {text!r}")


def _share(name: str, text: str) -> float:
    with suppress(ValueError):
        if 0 <= float(text) <= 1:
            return float(text)
    raise InvalidInputError(f"the option {name!r} must be a number from 0 to 1, not {text!r}")


def stretches(begin: int, end: int, n: int) -> list[RowRange]:
    """Cut rows into stretches, in their order of arrival."""
    step = max(1, -(-(end - begin) // n))
    return [RowRange(at, min(end, at + step)) for at in range(begin, end, step)]


def rows_of(trace: Trace, partition: InputPartition) -> Iterator[Table]:
    """Yield the rows of a stretch."""
    return (
        trace.read(partition.begin, partition.end) if isinstance(partition, RowRange) else iter(())
    )


class TraceStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A trace as it arrives."""

    def __init__(self, trace: Trace, pace: RateLimits) -> None:
        """Say which trace, and how fast."""
        self._trace, self._pace = trace, pace

    def initialOffset(self) -> Offset:  # noqa: N802 - Spark's name
        """Begin before the first row."""
        return {ROW: 0}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802 - the same
        """Take so many rows a micro-batch."""
        return ReadMaxRows(self._pace.rows_per_trigger)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - the same
        """Do nothing: a trace does not grow."""

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:  # noqa: N802 - the same
        """Return the offset after the rows that may be read."""
        rows = self._trace.rows
        if isinstance(limit, ReadAllAvailable):
            return {ROW: rows}
        most = limit.max_rows if isinstance(limit, ReadMaxRows) else self._pace.rows_per_trigger
        return {ROW: min(rows, start[ROW] + most)}

    def reportLatestOffset(self) -> Offset:  # noqa: N802 - the same
        """Return the end of the trace."""
        return {ROW: self._trace.rows}

    def partitions(self, start: Offset, end: Offset) -> list[RowRange]:
        """Cut what is to be read."""
        return stretches(start[ROW], end[ROW], self._pace.parallelism)

    def read(self, partition: InputPartition) -> Iterator[Table]:
        """Yield rows."""
        return rows_of(self._trace, partition)


class TraceBatchReader(DataSourceReader):
    """A whole trace."""

    def __init__(self, trace: Trace, pace: RateLimits) -> None:
        """Say which trace, and into how many partitions."""
        self._trace, self._pace = trace, pace

    def partitions(self) -> list[RowRange]:
        """Cut the trace."""
        return stretches(0, self._trace.rows, self._pace.parallelism)

    def read(self, partition: InputPartition) -> Iterator[Table]:
        """Yield rows."""
        return rows_of(self._trace, partition)


class ReplaySource(DataSource):
    """The source `muntin-replay`: spark.dataSource.register(ReplaySource)."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "muntin-replay"

    def schema(self) -> StructType:
        """Return the columns."""
        return trace_of(self.options)[0].schema()

    def reader(self, schema: StructType) -> TraceBatchReader:
        """Read all of it."""
        del schema
        return TraceBatchReader(*trace_of(self.options))

    def streamReader(self, schema: StructType) -> TraceStreamReader:  # noqa: N802 - Spark's name
        """Read it as it arrives."""
        del schema
        return TraceStreamReader(*trace_of(self.options))
