"""A source of traces, recorded or generated, with exact offsets.

An offset is a number of rows, and the rows up to an offset never change: a read after a failure
repeats the one before. It serves `readStream`, and `read` for the whole trace.
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

from muntin.spark.execution.arrow import ArrowBatch
from muntin.spark.source.trace import Generated, Recorded, Trace
from muntin.spec.errors import InvalidInputError

Offset = dict[str, int]
ROW = "row"
PACE = {"rows_per_trigger": 100_000, "parallelism": 2}
GENERATED = {field.name: field for field in fields(Generated)}
MINIMA = {"rows": 0, "keys": 1, "step": 1, "delay": 0, "seed": 0, "begin": -(2**63)}
GREATEST = 2**63 - 1
"""The greatest number that a column holds; a seed is in no column, and may be greater."""


@dataclass(frozen=True)
class RateLimits:
    """The most rows of a micro-batch, and the number of its partitions."""

    rows_per_trigger: int
    parallelism: int


class RowRange(InputPartition):
    """The rows from one number up to another."""

    def __init__(self, begin: int, end: int) -> None:
        """Begin at one row number, and end before another."""
        self.begin, self.end = begin, end


def trace_of(options: Mapping[str, str]) -> tuple[Trace, RateLimits]:
    """The trace that options describe, or an error that names the wrong option."""
    for name in options:
        if name not in {"path", *GENERATED, *PACE}:
            names = ", ".join(["path", *GENERATED, *PACE])
            raise InvalidInputError(f"{name!r} is no option of the source of traces; {names} are")
    pace = {name: _integer(name, options.get(name, str(n)), 1) for name, n in PACE.items()}
    generated = {name: options[name] for name in GENERATED if name in options}
    if "path" in options and generated:
        raise InvalidInputError(
            f"a recorded trace has no {', '.join(generated)}; leave these options out, or 'path'"
        )
    if "path" in options:
        return Recorded(options["path"]), RateLimits(**pace)
    disorder = _share("disorder", generated.pop("disorder", str(Generated.disorder)))
    numbers = {name: _integer(name, text, MINIMA[name]) for name, text in generated.items()}
    return Generated(disorder=disorder, **numbers), RateLimits(**pace)


def _integer(name: str, text: str, minimum: int) -> int:
    fits = True
    with suppress(ValueError):
        fits = name == "seed" or -GREATEST - 1 <= int(text) <= GREATEST
        if fits and int(text) >= minimum:
            return int(text)
    kind = "an integer" if fits else "an integer of 64 bits"
    expected = kind + f" >= {minimum}" * (minimum >= 0)
    raise InvalidInputError(f"the option {name!r} must be {expected}, not {text!r}")


def _share(name: str, text: str) -> float:
    with suppress(ValueError):
        if 0 <= float(text) <= 1:
            return float(text)
    raise InvalidInputError(f"the option {name!r} must be a number from 0 to 1, not {text!r}")


def split_rows(begin: int, end: int, n: int) -> list[RowRange]:
    """At most n ranges of rows, in their order of arrival."""
    step = max(1, -(-(end - begin) // n))
    return [RowRange(first, min(end, first + step)) for first in range(begin, end, step)]


class TraceReader:
    """A trace, of which any range of rows can be read."""

    def __init__(self, trace: Trace, pace: RateLimits) -> None:
        """Read a trace at a pace, in a number of partitions."""
        self._trace, self._pace = trace, pace

    def read(self, partition: InputPartition) -> Iterator[ArrowBatch]:
        """The rows of a partition."""
        if not isinstance(partition, RowRange):
            return iter(())
        return self._trace.read(partition.begin, partition.end)


class TraceStreamReader(TraceReader, DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A trace as it arrives."""

    def initialOffset(self) -> Offset:  # noqa: N802 - Spark's name
        """Begin before the first row."""
        return {ROW: 0}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802 - the same
        """The rows of a micro-batch, at most."""
        return ReadMaxRows(self._pace.rows_per_trigger)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - the same
        """Do nothing: a trace does not grow."""

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:  # noqa: N802 - the same
        """The offset after the rows that may be read."""
        rows = self._trace.rows
        if isinstance(limit, ReadAllAvailable):
            return {ROW: rows}
        n = limit.max_rows if isinstance(limit, ReadMaxRows) else self._pace.rows_per_trigger
        return {ROW: min(rows, start[ROW] + n)}

    def reportLatestOffset(self) -> Offset:  # noqa: N802 - the same
        """The end of the trace."""
        return {ROW: self._trace.rows}

    def partitions(self, start: Offset, end: Offset) -> list[RowRange]:
        """The partitions of a micro-batch."""
        return split_rows(start[ROW], end[ROW], self._pace.parallelism)


class TraceBatchReader(TraceReader, DataSourceReader):
    """A complete trace, in batch."""

    def partitions(self) -> list[RowRange]:
        """The partitions of the trace."""
        return split_rows(0, self._trace.rows, self._pace.parallelism)


class ReplaySource(DataSource):
    """The source `muntin-replay`: spark.dataSource.register(ReplaySource)."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return "muntin-replay"

    def schema(self) -> StructType:
        """The columns of the trace."""
        return trace_of(self.options)[0].schema()

    def reader(self, schema: StructType) -> TraceBatchReader:
        """Read the complete trace."""
        del schema
        return TraceBatchReader(*trace_of(self.options))

    def streamReader(self, schema: StructType) -> TraceStreamReader:  # noqa: N802 - Spark's name
        """Read it as it arrives."""
        del schema
        return TraceStreamReader(*trace_of(self.options))
