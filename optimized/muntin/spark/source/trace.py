"""Traces: rows in their order of arrival, of which any stretch can be had again, the same."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol

import numpy as np
from pyspark.sql.types import LongType, StructField, StructType, TimestampType

from muntin.spark.execution.arrow import Table, arrow_schema, pa, pieces, spark_types
from muntin.spec.errors import InvalidInputError

parquet = import_module("pyarrow.parquet")


class Trace(Protocol):
    """What a source reads from."""

    @property
    def rows(self) -> int:
        """How many rows there are."""
        ...

    def schema(self) -> StructType:
        """Return the columns."""
        ...

    def read(self, begin: int, end: int) -> Iterator[Table]:
        """Yield the rows from one number up to another."""
        ...


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
        """Refuse times that no timestamp holds: they would wrap."""
        first, last = self.begin - self.delay, self.begin + self.rows * self.step
        if first < -(2**63) or last > 2**63:
            raise InvalidInputError(
                f"begin={self.begin}, rows={self.rows}, step={self.step} and delay={self.delay} "
                f"make times from {first} to {last} microseconds, and timestamps have 64 bits: "
                "take less"
            )

    def schema(self) -> StructType:
        """Return the columns."""
        whole = LongType()
        names = {"key": whole, "ts": TimestampType(), "v": whole, "n": whole}
        return StructType([StructField(name, kind) for name, kind in names.items()])

    def read(self, begin: int, end: int) -> Iterator[Table]:
        """Yield the rows from one number up to another, a block at a time."""
        for block in range(begin // BLOCK, -(-end // BLOCK)):
            first = block * BLOCK
            yield self._block(block, max(begin - first, 0), min(end - first, BLOCK))

    def _block(self, block: int, low: int, high: int) -> Table:
        chance = np.random.default_rng([self.seed, block])
        n = np.arange(block * BLOCK, (block + 1) * BLOCK)
        back = np.where(
            chance.random(BLOCK) < self.disorder, chance.integers(0, self.delay + 1, BLOCK), 0
        )
        columns = {
            "key": chance.integers(0, self.keys, BLOCK),
            "ts": self.begin + n * self.step + chance.integers(0, self.step, BLOCK) - back,
            "v": chance.integers(-99, 1000, BLOCK),
            "n": n,
        }
        arrays = [pa.array(one[low:high]) for one in columns.values()]
        arrays[1] = arrays[1].cast(pa.timestamp("us", "UTC"))
        found: Table = pa.RecordBatch.from_arrays(arrays, schema=arrow_schema(self.schema()))
        return found


BLOCK = 10_000
"""Rows that are made with one generator of random numbers."""


@dataclass(frozen=True)
class Recorded:
    """The rows of a Parquet file, in their order."""

    path: str

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self._file().metadata.num_rows)

    def _file(self) -> "File":
        if not Path(self.path).is_file():
            raise InvalidInputError(f"there is no file {self.path!r} to replay")
        try:
            found: File = parquet.ParquetFile(self.path)
        except (ValueError, OSError) as cause:
            raise InvalidInputError(
                f"{self.path!r} is no Parquet file to replay: {cause}"
            ) from cause
        return found

    def schema(self) -> StructType:
        """Return the columns."""
        return StructType([self._field(one) for one in self._file().schema_arrow])

    def _field(self, one: "Field") -> StructField:
        try:
            found: StructType = spark_types.from_arrow_schema([one])
            arrow_schema(found)
        except (TypeError, ValueError) as cause:
            raise InvalidInputError(
                f"the column {one.name!r} of {self.path!r} is of {one.type}, which Spark has no "
                "type for: cast it, say to int64, when you write the trace"
            ) from cause
        return found.fields[0]

    def read(self, begin: int, end: int) -> Iterator[Table]:
        """Yield the rows from one number up to another."""
        whole, first = self._file(), 0
        schema = arrow_schema(self.schema())
        for group in range(whole.num_row_groups):
            n = whole.metadata.row_group(group).num_rows
            low, high = max(begin - first, 0), min(end - first, n)
            if low < high:
                rows = self._group(whole, group, schema).slice(low, high - low)
                yield from pieces(rows.combine_chunks())
            first += n

    def _group(self, whole: "File", nth: int, schema: object) -> "ReadTable":
        try:
            rows = whole.read_row_group(nth)
        except (ValueError, OSError) as cause:
            raise InvalidInputError(f"{self.path!r} can't be replayed: {cause}") from cause
        try:
            return rows.cast(schema)
        except ValueError as cause:
            raise InvalidInputError(
                f"rows of {self.path!r} hold what Spark has no place for, such as timestamps that "
                f"are no whole microseconds: {cause}; round them when you write the trace"
            ) from cause


class Field(Protocol):
    """What is used here of a column of Arrow."""

    name: str
    type: object


class RowGroup(Protocol):
    """What is used here of what Parquet says of a group of rows."""

    num_rows: int


class Metadata(Protocol):
    """What is used here of what Parquet says of a file."""

    num_rows: int

    def row_group(self, nth: int, /) -> RowGroup: ...  # noqa: D102 - as in Arrow


class ReadTable(Protocol):
    """What is used here of a table that was read."""

    def cast(self, schema: object, /) -> "ReadTable": ...  # noqa: D102 - as in Arrow
    def slice(self, begin: int, length: int, /) -> "ReadTable": ...  # noqa: D102 - the same
    def combine_chunks(self) -> Table: ...  # noqa: D102 - the same


class File(Protocol):
    """What is used here of a Parquet file."""

    metadata: Metadata
    num_row_groups: int
    schema_arrow: Iterable[Field]

    def read_row_group(self, nth: int, /) -> ReadTable: ...  # noqa: D102 - as in Arrow
