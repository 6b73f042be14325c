"""Rows of Parquet files as traces; what no trace can hold is left out and counted, by reason.

Rows are taken in the order of the files' names, and of each file. Files need not have the same
columns or types: each row is read as far as it can be.
"""

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from pathlib import Path

from pyspark.errors import AnalysisException, IllegalArgumentException
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from muntin.differential.spark.parquet_footers import Columns, Footer, footers
from muntin.kernels.slicing.arrays import FARTHEST
from muntin.registry.dataframes.traces import Frame
from muntin.spark.execution.repartition import in_backticks
from muntin.spec.errors import InvalidInputError

GREATEST = 2**53
"""The greatest integer value: so that the sums of all traces fit into 64 bits."""

WHOLE = ("tinyint", "smallint", "int", "bigint")
REAL = ("float", "double")
MOMENTS = ("timestamp", "timestamp_ntz", "date")
NANOSECONDS = "nanoseconds"
"""What Spark takes for `bigint`, and is a timestamp."""
BEYOND = "the time is beyond 62 bits"
FAILED = (
    AnalysisException,
    IllegalArgumentException,
    import_module("py4j.protocol").Py4JJavaError,
)
"""What is raised where Spark can't read a file."""


@dataclass(frozen=True)
class Input:
    """The rows that can be judged, in the order of `file` and `row`, and how many others."""

    rows: Frame
    good: int
    bad: Mapping[str, int]
    number: str


def read(spark: SparkSession, path: Path, columns: Columns) -> Input:
    """Read a file, or all files of a folder."""
    parts = [
        _typed(spark, one, columns).withColumn("file", F.lit(nth))
        for nth, one in enumerate(footers(path, columns))
    ]
    number = "double" if any(dict(part.dtypes)["v"] == "double" for part in parts) else "bigint"
    cast = [part.withColumn("v", F.col("v").cast(number)) for part in parts]
    rows = reduce(DataFrame.unionByName, cast)
    with _readable(path):
        counts = {row["bad"]: row["count"] for row in rows.groupBy("bad").count().collect()}
    good = counts.pop("", 0)
    return Input(rows.where("bad = ''").drop("bad"), good, dict(sorted(counts.items())), number)


def _typed(spark: SparkSession, footer: Footer, columns: Columns) -> DataFrame:
    """Return the rows of one file in our types, or say why Spark can't."""
    with _readable(footer.file):
        return _chosen(spark.read.parquet(literal(footer.file.absolute())), footer, columns)


@contextmanager
def _readable(path: Path) -> Generator[None]:
    """Say why Spark can't read a file, if it can't: the deepest cause that it names."""
    try:
        yield
    except FAILED as error:
        first, *others = str(error).splitlines()
        causes = [line for line in others if line.startswith("Caused by: ")]
        why = causes[-1].removeprefix("Caused by: ") if causes else first
        raise InvalidInputError(f"Spark can't read {path}: {why}") from error


def literal(path: Path) -> str:
    r"""Return a path as Spark takes it at its word: it looks for others that match `[1]`, or `*`.

    >>> print(literal(Path("c[1].parquet")))
    c\[1\].parquet
    """
    return re.sub(r"[\\\[\]{}*?]", r"\\\g<0>", str(path))


def _chosen(frame: DataFrame, footer: Footer, columns: Columns) -> DataFrame:
    """Return the rows of one file with what is bad about each."""
    types = dict(frame.dtypes)
    kinds = types | dict.fromkeys(footer.nanoseconds & types.keys(), NANOSECONDS)
    time, time_bad = _time(columns.time, kinds)
    value, value_bad = _value(columns.value, types)
    key, key_bad = _key(columns.key, types)
    return frame.select(
        F.col("_metadata.row_index").alias("row"),
        key.alias("key"),
        time.alias("t"),
        value.alias("v"),
        F.coalesce(time_bad, key_bad, value_bad, F.lit("")).alias("bad"),
    )


def _first(*reasons: tuple[Column, str]) -> Column:
    """Return the first reason whose condition holds, or null."""
    return F.coalesce(*(F.when(condition, F.lit(reason)) for condition, reason in reasons))


def _time(name: str, types: Mapping[str, str]) -> tuple[Column, Column]:
    if name not in types:
        return F.lit(0).cast("bigint"), F.lit(f"no column {name}")
    given, kind = F.col(in_backticks(name)), types[name]
    if kind == NANOSECONDS:  # `div` has nothing to round in those that are taken
        return F.expr(f"{in_backticks(name)} div 1000"), _first(
            (given.isNull(), "the time is null"),
            (given % 1000 != 0, "the time is no whole microsecond"),
        )
    column = F.unix_micros(given.try_cast("timestamp")) if kind in MOMENTS else given
    number = column.cast("double") if kind in (*WHOLE, *REAL) else column.try_cast("double")
    whole = column.try_cast("bigint")
    exact = kind.startswith("decimal")  # a double may have lost what lies behind the point
    broken = column % 1 != 0 if exact else number != F.floor(number)
    return whole, _first(
        (given.isNull(), "the time is null"),
        (number.isNull(), BEYOND if kind in MOMENTS else "the time is no number"),
        (F.isnan(number), "the time is NaN"),
        (F.abs(number) > float(FARTHEST), BEYOND),
        (whole.isNull() | broken, "the time is no integer"),
        (~whole.between(1 - FARTHEST, FARTHEST - 1), BEYOND),
    )


def _value(name: str, types: Mapping[str, str]) -> tuple[Column, Column]:
    if name not in types:
        return F.lit(None).cast("bigint"), F.lit(f"no column {name}")
    column, kind = F.col(in_backticks(name)), types[name]
    if kind in REAL:
        return column.cast("double"), F.lit(None).cast("string")
    if kind in WHOLE:
        beyond = ~column.between(-GREATEST, GREATEST)
        return column.cast("bigint"), _first((beyond, "the value is beyond 53 bits"))
    number = column.try_cast("double")
    return number, _first((column.isNotNull() & number.isNull(), "the value is no number"))


def _key(name: str | None, types: Mapping[str, str]) -> tuple[Column, Column]:
    if name is None:
        return F.lit("all"), F.lit(None).cast("string")
    if name not in types:
        return F.lit(""), F.lit(f"no column {name}")
    column = F.col(in_backticks(name))
    return column.cast("string"), _first((column.isNull(), "the key is null"))


def traces(rows: Frame, longest: int) -> Frame:
    """Return the rows as traces of one key each, in pieces: `key`, `nth`, `t` and `v`."""
    order = Window.partitionBy("key").orderBy("file", "row")
    piece = F.floor((F.row_number().over(order) - 1) / longest)
    parts = rows.withColumn("piece", piece).groupBy("key", "piece")
    listed = parts.agg(F.array_sort(F.collect_list(F.struct("file", "row", "t", "v"))).alias("l"))
    name = F.concat_ws(" piece ", "key", "piece")
    return listed.select(
        name.alias("key"),
        F.pmod(F.xxhash64("key", "piece"), F.lit(2**40)).alias("nth"),
        F.col("l.t").alias("t"),
        F.col("l.v").alias("v"),
    )
