"""Spark's own `window()` and `session_window` over traces: an oracle that shares no code with us.

Times are microseconds to Spark. Its sessions merge at exactly the gap. Ours, which do not, are
asked for with a gap that is one less, and end one later: for integers that is the same.
"""

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from muntin.registry.dataframes.native_queries import NativeQuery


def answers(traces: DataFrame, queries: Sequence[NativeQuery], *, merge_at_gap: bool) -> DataFrame:
    """Return the traces with a column more: what Spark says of each, as a list of windows.

    A trace has a `key`, and arrays `t`, `v` and `ok`, which says what is on time.
    """
    rows = traces.select("key", F.inline(F.arrays_zip("t", "v", "ok"))).where("ok")
    listed = (
        windows_of(rows, queries, merge_at_gap=merge_at_gap)
        .groupBy("key")
        .agg(F.collect_list(F.struct("query", "start", "end", "exact", "real")).alias("native"))
    )
    return traces.join(listed, "key", "left")


def windows_of(rows: DataFrame, queries: Sequence[NativeQuery], *, merge_at_gap: bool) -> DataFrame:
    """Return what Spark says of rows that have a `key`, `t` and `v`: a line for each window."""
    timed = rows.select("key", "v", F.timestamp_micros("t").alias("ts"))
    found = [_answer(timed, query, merge_at_gap=merge_at_gap) for query in queries]
    return reduce(DataFrame.unionByName, found)


def _answer(rows: DataFrame, query: NativeQuery, *, merge_at_gap: bool) -> DataFrame:
    """Return the windows of one query: `key`, `query`, `start`, `end`, `exact` and `real`."""
    later = 0 if query.slide or merge_at_gap else 1
    extent = window(query, less=later)
    value = F.expr(f"{query.function}(v)")
    counted = rows.groupBy("key", extent.alias("w")).agg(value.alias("value"))
    return counted.select(
        "key",
        F.lit(query.id).alias("query"),
        F.unix_micros("w.start").alias("start"),
        (F.unix_micros("w.end") + later).alias("end"),
        *_numbers(counted),
    )


def window(query: NativeQuery, *, less: int = 0) -> Column:
    """Return the windows of a query, over the column `ts`."""

    def span(size: int) -> str:
        return f"{size} microseconds"

    if query.slide:
        return F.window("ts", span(query.size), span(query.slide), span(query.offset))
    return F.session_window("ts", span(query.size - less))


def _numbers(counted: DataFrame) -> list[Column]:
    """Return the value as an exact number and as a float; one of them is null."""
    whole = dict(counted.dtypes)["value"] == "bigint"
    exact, real = ("value", None) if whole else (None, "value")
    return [
        (F.col(name) if name else F.lit(None)).cast(kind).alias(label)
        for name, kind, label in ((exact, "bigint", "exact"), (real, "double", "real"))
    ]
