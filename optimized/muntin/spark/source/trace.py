"""Traces: rows in their order of arrival, and any range can be read again."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol

import numpy as np
from pyspark.sql.types import LongType, StructField, StructType, TimestampType

from muntin.spark.execution.arrow import ArrowBatch, arrow_schema, pa, spark_types
from muntin.spec.errors import InvalidInputError

parquet = import_module("pyarrow.parquet")


@dataclass(frozen=True)
class Generated:
    """Rows made from a seed: times rise by `step` on average, and some come late, by up to `delay`.

    Values are small integers; `n` numbers the rows. A row depends on the seed and its number only.
    """

    rows: int = 100_000
    keys: int = 100
    step: int = 1000
    disorder: float = 0.2
    delay: int = 2_000_000
    seed: int = 0
    begin: int = 1_700_000_000_000_000

    def __post_init__(self) -> None:
        """Refuse times that no timestamp holds: they would overflow."""
        first, last = self.begin - self.delay, self.begin + self.rows * self.step
        if first < -(2**63) or last > 2**63:
            raise InvalidInputError(
                f"begin={self.begin}, rows={self.rows}, step={self.step} and delay={self.delay} "
                f"make times from {first} to {last} microseconds, and timestamps have 64 bits: "
                "choose smaller numbers"
            )

    def schema(self) -> StructType:
        """The columns."""
        long = LongType()
        types = {"key": long, "ts": TimestampType(), "v": long, "n": long}
        return StructType([StructField(name, kind) for name, kind in types.items()])

    def read(self, begin: int, end: int) -> Iterator[ArrowBatch]:
        """The rows from one number up to another, a block at a time."""
        for block in range(begin // BLOCK, -(-end // BLOCK)):
            first = block * BLOCK
            yield self._block(block, max(begin - first, 0), min(end - first, BLOCK))

    def _block(self, block: int, low: int, high: int) -> ArrowBatch:
        random = np.random.default_rng([self.seed, block])
        n = np.arange(block * BLOCK, (block + 1) * BLOCK)
        is_late = random.random(BLOCK) < self.disorder
        delay = np.where(is_late, random.integers(0, self.delay + 1, BLOCK), 0)
        columns = {
            "key": random.integers(0, self.keys, BLOCK),
            "ts": self.begin + n * self.step + random.integers(0, self.step, BLOCK) - delay,
            "v": random.integers(-99, 1000, BLOCK),
            "n": n,
        }
        arrays = [pa.array(column[low:high]) for column in columns.values()]
        arrays[1] = arrays[1].cast(pa.timestamp("us", "UTC"))
        rows: ArrowBatch = pa.RecordBatch.from_arrays(arrays, schema=arrow_schema(self.schema()))
        return rows


BLOCK = 10_000
"""The rows that one generator of random numbers makes."""


@dataclass(frozen=True)
class Recorded:
    """The rows of a Parquet file, in their order."""

    path: str

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self._file().metadata.num_rows)

    def _file(self) -> "File":
        if not Path(self.path).is_file():
            raise InvalidInputError(f"there is no file {self.path!r} to replay")
        try:
            file: File = parquet.ParquetFile(self.path)
        except (ValueError, OSError) as cause:
            problem = f"{self.path!r} is no Parquet file to replay: {cause}"
            raise InvalidInputError(problem) from cause
        return file

    def schema(self) -> StructType:
        """The columns."""
        return StructType([self._field(field) for field in self._file().schema_arrow])

    def _field(self, field: "Field") -> StructField:
        try:
            schema: StructType = spark_types.from_arrow_schema([field])
            arrow_schema(schema)
        except (TypeError, ValueError) as cause:
            raise InvalidInputError(
                f"the column {field.name!r} of {self.path!r} is of {field.type}, which Spark has "
                "no type for: cast it, say to int64, when you write the trace"
            ) from cause
        return schema.fields[0]

    def read(self, begin: int, end: int) -> Iterator[ArrowBatch]:
        """The rows from one number up to another."""
        file, first = self._file(), 0
        schema = arrow_schema(self.schema())
        for group in range(file.num_row_groups):
            n = file.metadata.row_group(group).num_rows
            low, high = max(begin - first, 0), min(end - first, n)
            if low < high:
                rows = self._group(file, group, schema).slice(low, high - low)
                yield from rows.combine_chunks().to_batches()
            first += n

    def _group(self, file: "File", index: int, schema: object) -> ArrowBatch:
        try:
            rows = file.read_row_group(index)
        except (ValueError, OSError) as cause:
            raise InvalidInputError(f"{self.path!r} can't be replayed: {cause}") from cause
        try:
            return rows.cast(schema)
        except ValueError as cause:
            raise InvalidInputError(
                f"rows of {self.path!r} hold values that no Spark type holds, such as timestamps "
                f"that are no whole microseconds: {cause}; round them when you write the trace"
            ) from cause


class Field(Protocol):
    """The members of an Arrow field that a trace uses."""

    name: str
    type: object


class Metadata(Protocol):
    """The metadata of a Parquet file, or of a row group."""

    num_rows: int

    def row_group(self, index: int, /) -> "Metadata": ...  # noqa: D102 - as in Arrow


class File(Protocol):
    """The members of a Parquet file that a trace uses."""

    metadata: Metadata
    num_row_groups: int
    schema_arrow: Iterable[Field]

    def read_row_group(self, index: int, /) -> ArrowBatch: ...  # noqa: D102 - as in Arrow


Trace = Generated | Recorded
"""The rows that a source reads."""
