"""Spark's own `window()` and `session_window` over traces: an oracle that shares no code with us.

Times are microseconds to Spark. Its sessions merge at exactly the gap; sessions that do not are
computed with a gap that is one less, and end one later: for integers that is the same.
"""

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the usual name

from muntin.optimized.common.window_traits import has_row
from muntin.spec.query import Query
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import TIME
from muntin.spec.windows.periodic import Sliding

AGGREGATES = {"sum": "sum", "count": "count", "min": "min", "max": "max", "mean": "avg"}
"""Our names of aggregates, and Spark's functions that mean the same."""


class NativeQuery(NamedTuple):
    """The arguments of `window()` or `session_window`, in microseconds."""

    id: str
    function: str
    size: int
    slide: int = 0  # a session has none
    offset: int = 0


def native_query(query: Query) -> NativeQuery | str:
    """The query for Spark, or the reason why Spark's windows do not support it.

    >>> from muntin.spec.algebra.catalogue import named
    >>> native_query(Query("q", Sliding(60, 15), named("mean")))
    NativeQuery(id='q', function='avg', size=60, slide=15, offset=0)
    >>> native_query(Query("q", Session(20), named("median")))
    'Spark has no median as exact as ours'
    """
    window, function = query.window, AGGREGATES.get(query.aggregate.name)
    if window.measure is not TIME or not isinstance(window, Sliding | Session):
        return f"Spark has no {window.name} windows by {window.measure.name}"
    if not has_row(window):
        return f"Spark does not know what {type(window).__name__} makes of {window.name} windows"
    if function is None:
        return f"Spark has no {query.aggregate.name} as exact as ours"
    if isinstance(window, Session):
        return NativeQuery(query.id, function, window.gap)
    if window.slide > window.size:
        return "Spark refuses windows with gaps between them (a slide greater than the size)"
    return NativeQuery(query.id, function, window.size, window.slide, window.offset % window.slide)


def with_native_windows(
    traces: DataFrame, queries: Sequence[NativeQuery], *, merge_at_gap: bool
) -> DataFrame:
    """The traces with one more column, `native`: the list of Spark's windows of each.

    A trace has a `key`, and arrays `t`, `v` and `ok`, which is true for a row on time.
    """
    rows = traces.select("key", F.inline(F.arrays_zip("t", "v", "ok"))).where("ok")
    windows = native_windows(rows, queries, merge_at_gap=merge_at_gap).groupBy("key")
    window = F.struct("query", "start", "end", "exact", "real")
    listed = windows.agg(F.collect_list(window).alias("native"))
    return traces.join(listed, "key", "left")


def native_windows(
    rows: DataFrame, queries: Sequence[NativeQuery], *, merge_at_gap: bool
) -> DataFrame:
    """Spark's windows over rows with `key`, `t` and `v`, one row each."""
    timed = rows.select("key", "v", F.timestamp_micros("t").alias("ts"))
    frames = [_query_windows(timed, query, merge_at_gap=merge_at_gap) for query in queries]
    return reduce(DataFrame.unionByName, frames)


def _query_windows(rows: DataFrame, query: NativeQuery, *, merge_at_gap: bool) -> DataFrame:
    """The windows of one query: `key`, `query`, `start`, `end`, `exact` and `real`."""
    shift = 0 if query.slide or merge_at_gap else 1
    window = window_column(query._replace(size=query.size - shift)).alias("w")
    value = F.expr(f"{query.function}(v)")
    windows = rows.groupBy("key", window).agg(value.alias("value"))
    return windows.select(
        "key",
        F.lit(query.id).alias("query"),
        F.unix_micros("w.start").alias("start"),
        (F.unix_micros("w.end") + shift).alias("end"),
        *_values(windows),
    )


def window_column(query: NativeQuery, unit: str = "microseconds") -> Column:
    """The windows of a query over the column `ts`, whose times are in this unit."""
    sizes = [f"{size} {unit}" for size in (query.size, query.slide, query.offset)]
    return F.window("ts", *sizes) if query.slide else F.session_window("ts", sizes[0])


def _values(windows: DataFrame) -> list[Column]:
    """The value as an exact number and as a float; one of them is null."""
    value, null = F.col("value"), F.lit(None)
    is_integer = dict(windows.dtypes)["value"] == "bigint"
    exact, real = (value, null) if is_integer else (null, value)
    return [exact.cast("bigint").alias("exact"), real.cast("double").alias("real")]
