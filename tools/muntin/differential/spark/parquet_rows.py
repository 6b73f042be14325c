"""Rows of Parquet files as traces; rows that no trace can hold are left out and counted, by reason.

Rows are in the order of the files' names, and of each file. Files need not have the same columns or
types: each file is cast on its own.
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
from pyspark.sql import functions as F  # noqa: N812 - the usual name

from muntin.differential.spark.parquet_footers import ColumnNames, Footer, footers
from muntin.kernels.slicing.arrays import FARTHEST
from muntin.registry.dataframes.traces import Frame
from muntin.spark.execution.repartition import in_backticks
from muntin.spec.errors import InvalidInputError

MAX_INTEGER = 2**53
"""The greatest integer value, so that the sums of all traces fit into 64 bits."""

INTEGER_TYPES = ("tinyint", "smallint", "int", "bigint")
FLOATING_TYPES = ("float", "double")
TEMPORAL_TYPES = ("timestamp", "timestamp_ntz", "date")
NANOSECONDS = "nanoseconds"
"""The type of timestamps that Spark reads as `bigint`."""
OUT_OF_RANGE = "the time is beyond 62 bits"
READ_ERRORS = (
    AnalysisException,
    IllegalArgumentException,
    import_module("py4j.protocol").Py4JJavaError,
)
"""The errors that mean Spark can't read a file."""


@dataclass(frozen=True)
class ReadableRows:
    """The rows that traces can hold, in the order of `file` and `row`; the count of the others."""

    rows: Frame
    good: int
    bad: Mapping[str, int]
    value_type: str


def read(spark: SparkSession, path: Path, columns: ColumnNames) -> ReadableRows:
    """Read a file, or all files of a folder."""
    parts = [
        _read_file(spark, footer, columns).withColumn("file", F.lit(index))
        for index, footer in enumerate(footers(path, columns))
    ]
    has_doubles = any(dict(part.dtypes)["v"] == "double" for part in parts)
    value_type = "double" if has_doubles else "bigint"
    cast = [part.withColumn("v", F.col("v").cast(value_type)) for part in parts]
    rows = reduce(DataFrame.unionByName, cast)
    with _read_errors(path):
        counts = {row["bad"]: row["count"] for row in rows.groupBy("bad").count().collect()}
    good = counts.pop("", 0)
    bad = dict(sorted(counts.items()))
    return ReadableRows(rows.where("bad = ''").drop("bad"), good, bad, value_type)


def _read_file(spark: SparkSession, footer: Footer, columns: ColumnNames) -> DataFrame:
    with _read_errors(footer.file):
        return _cast_columns(spark.read.parquet(literal(footer.file.absolute())), footer, columns)


@contextmanager
def _read_errors(path: Path) -> Generator[None]:
    """Raise an error of Spark as ours, with the deepest cause that it names."""
    try:
        yield
    except READ_ERRORS as error:
        first, *others = str(error).splitlines()
        causes = [line for line in others if line.startswith("Caused by: ")]
        why = causes[-1].removeprefix("Caused by: ") if causes else first
        raise InvalidInputError(f"Spark can't read {path}: {why}") from error


def literal(path: Path) -> str:
    r"""A path with escapes: to Spark `[1]` and `*` are patterns that match other files.

    >>> print(literal(Path("c[1].parquet")))
    c\[1\].parquet
    """
    return re.sub(r"[\\\[\]{}*?]", r"\\\g<0>", str(path))


def _cast_columns(frame: DataFrame, footer: Footer, columns: ColumnNames) -> DataFrame:
    """The rows of one file, and for each the reason to leave it out, if there is one."""
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
    """The first reason whose condition holds, or null."""
    return F.coalesce(*(F.when(condition, F.lit(reason)) for condition, reason in reasons))


def _time(name: str, types: Mapping[str, str]) -> tuple[Column, Column]:
    if name not in types:
        return F.lit(0).cast("bigint"), F.lit(f"no column {name}")
    column, kind = F.col(in_backticks(name)), types[name]
    if kind == NANOSECONDS:  # accepted times are multiples of 1000, so `div` rounds none
        return F.expr(f"{in_backticks(name)} div 1000"), _first(
            (column.isNull(), "the time is null"),
            (column % 1000 != 0, "the time is no whole microsecond"),
        )
    micros = F.unix_micros(column.try_cast("timestamp")) if kind in TEMPORAL_TYPES else column
    is_numeric = kind in (*INTEGER_TYPES, *FLOATING_TYPES)
    number = micros.cast("double") if is_numeric else micros.try_cast("double")
    time = micros.try_cast("bigint")
    is_decimal = kind.startswith("decimal")  # a double may have lost the digits after the point
    is_fraction = micros % 1 != 0 if is_decimal else number != F.floor(number)
    return time, _first(
        (column.isNull(), "the time is null"),
        (number.isNull(), OUT_OF_RANGE if kind in TEMPORAL_TYPES else "the time is no number"),
        (F.isnan(number), "the time is NaN"),
        (F.abs(number) > float(FARTHEST), OUT_OF_RANGE),
        (time.isNull() | is_fraction, "the time is no integer"),
        (~time.between(1 - FARTHEST, FARTHEST - 1), OUT_OF_RANGE),
    )


def _value(name: str, types: Mapping[str, str]) -> tuple[Column, Column]:
    if name not in types:
        return F.lit(None).cast("bigint"), F.lit(f"no column {name}")
    column, kind = F.col(in_backticks(name)), types[name]
    if kind in FLOATING_TYPES:
        return column.cast("double"), F.lit(None).cast("string")
    if kind in INTEGER_TYPES:
        is_too_great = ~column.between(-MAX_INTEGER, MAX_INTEGER)
        return column.cast("bigint"), _first((is_too_great, "the value is beyond 53 bits"))
    number = column.try_cast("double")
    return number, _first((column.isNotNull() & number.isNull(), "the value is no number"))


def _key(name: str | None, types: Mapping[str, str]) -> tuple[Column, Column]:
    if name is None:
        return F.lit("all"), F.lit(None).cast("string")
    if name not in types:
        return F.lit(""), F.lit(f"no column {name}")
    column = F.col(in_backticks(name))
    return column.cast("string"), _first((column.isNull(), "the key is null"))


def key_traces(rows: Frame, longest: int) -> Frame:
    """The rows as traces of one key and at most `longest` rows: `key`, `number`, `t` and `v`."""
    order = Window.partitionBy("key").orderBy("file", "row")
    piece = F.floor((F.row_number().over(order) - 1) / longest)
    parts = rows.withColumn("piece", piece).groupBy("key", "piece")
    listed = parts.agg(F.array_sort(F.collect_list(F.struct("file", "row", "t", "v"))).alias("l"))
    name = F.concat_ws(" piece ", "key", "piece")
    return listed.select(
        name.alias("key"),
        F.pmod(F.xxhash64("key", "piece"), F.lit(2**40)).alias("number"),
        F.col("l.t").alias("t"),
        F.col("l.v").alias("v"),
    )
