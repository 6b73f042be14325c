"""DataFrames of random rows, and of rows with timestamps."""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import IntegerType, StringType, StructField, StructType, TimestampType

from muntin.columnar.windows import DurationWindow, TableWindow
from muntin.conformance.machines.random_choices import SeededSource
from muntin.optimized.common.window_traits import traits_of
from muntin.spec.windows.measure import TIME
from muntin.spec.windows.window import WindowType
from spark_support.tables import Row as Values
from spark_support.tables import collected, frame_of

SECOND = timedelta(seconds=1)
TIMED = StructType(
    [
        StructField("k", StringType()),
        StructField("ts", TimestampType()),
        StructField("v", IntegerType()),
    ]
)


def random_rows(seed: int, n: int) -> list[Values]:
    """Rows like those of Hypothesis, without it."""
    roll = SeededSource(seed)
    return [
        (
            roll.choice(["a", "b", None]),
            roll.choice([0, 1]),
            roll.integer(-20, 60),
            roll.choice([None, -2, 0, 1, 3]),
            roll.choice([None, -1.5, 0.5, 2.0]),
            roll.choice([None, "x", "y"]),
            roll.choice([None, 1, 4]),
            roll.choice([False, True]),
        )
        for _ in range(n)
    ]


def timed(spark: SparkSession, rows: Iterable[tuple[str, int, int]]) -> DataFrame:
    """Rows of a key, a time in seconds and a value, with timestamps."""
    start = datetime(2024, 1, 1, tzinfo=UTC)
    stamped = [(k, start + timedelta(seconds=s), v) for k, s, v in rows]
    return frame_of(spark, stamped, TIMED)


def compare(ours: DataFrame, theirs: DataFrame) -> None:
    """Check that two results have the same rows, and that there are some."""
    rows = Counter(map(repr, collected(ours)))
    assert rows
    assert rows == Counter(map(repr, collected(theirs)))


def streamed(answer: DataFrame, name: str) -> DataFrame:
    """The rows that a stream emits, as a table."""
    query = answer.writeStream.format("memory").queryName(name).outputMode("update")
    query.trigger(availableNow=True).start().awaitTermination()
    return answer.sparkSession.table(name)


def in_microseconds(kind: WindowType) -> TableWindow:
    """A window type beside timestamps, its integers as microseconds."""
    if kind.measure is not TIME:
        return kind
    traits = traits_of(kind)
    lengths = {name: timedelta(microseconds=n) for name, n in traits.lengths.items()}
    return DurationWindow(type(kind), lengths, {}, traits.counts)
