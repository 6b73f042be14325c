"""Table engines that compute the same windows, over whole tables in order without late events."""

from collections.abc import Callable, Sequence
from importlib import import_module
from math import isclose

import numpy as np
from numpy.typing import NDArray

from muntin.columnar import aggregate
from muntin.spec.windows.periodic import tumbling

PANE = 1000
"""The greatest common divisor of all lengths of windows."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Sums = dict[int, tuple[list[int], list[float]]]
"""The starts and sums of windows, by their length."""
SumQuery = Callable[[Sequence[int]], Sums]


def polars(at: Ints, values: Floats, *, panes: bool) -> SumQuery:
    """A query to Polars for each length, perhaps over panes that are summed first."""
    pl = import_module("polars")
    frame = pl.DataFrame({"t": at, "v": values}).set_sorted("t")

    def grouped(table: object, length: int) -> object:
        groups = getattr(table, "group_by_dynamic")("t", every=f"{length}i")  # noqa: B009 - not typed
        return groups.agg(pl.col("v").sum())

    def query(lengths: Sequence[int]) -> Sums:
        table: object = grouped(frame, PANE) if panes else frame
        sums_by_length = {length: grouped(table, length) for length in lengths}
        return {length: _columns(table, "to_list") for length, table in sums_by_length.items()}

    return query


def polars_unsorted(at: Ints, values: Floats) -> SumQuery:
    """A query to Polars over unsorted times: a group-by of the start of the window."""
    pl = import_module("polars")
    frame = pl.DataFrame({"t": at, "v": values})

    def query(lengths: Sequence[int]) -> Sums:
        sums_by_length: Sums = {}
        for length in lengths:
            start = (pl.col("t") - pl.col("t") % length).alias("t")
            table: object = frame.group_by(start).agg(pl.col("v").sum()).sort("t")
            sums_by_length[length] = _columns(table, "to_list")
        return sums_by_length

    return query


def _columns(table: object, method: str) -> tuple[list[int], list[float]]:
    starts, sums = (getattr(table, "get_column")(name) for name in ("t", "v"))  # noqa: B009 - as above
    return getattr(starts, method)(), getattr(sums, method)()


def duckdb(at: Ints, values: Floats, *, panes: bool) -> SumQuery:
    """The same query to DuckDB, on one thread."""
    database = import_module("duckdb").connect()
    database.execute("set threads = 1")
    database.register("source", import_module("pyarrow").table({"t": at, "v": values}))
    database.execute("create table events as select * from source")

    def grouped(table: str, length: int) -> str:
        start = f"t - t % {length}"  # no time is negative here
        return f"select {start} as t, sum(v) as v from {table} group by {start}"  # noqa: S608 - our own names

    def query(lengths: Sequence[int]) -> Sums:
        table = "events"
        if panes:
            database.execute(f"create or replace temp table panes as {grouped(table, PANE)}")
            table = "panes"
        sums_by_length: Sums = {}
        for length in lengths:
            columns = database.execute(grouped(table, length)).fetchnumpy()
            order = np.argsort(columns["t"])
            sums_by_length[length] = columns["t"][order].tolist(), columns["v"][order].tolist()
        return sums_by_length

    return query


def in_one_call(at: Ints, values: Floats) -> SumQuery:
    """The same query to `muntin.columnar.aggregate`, in one call."""

    def query(lengths: Sequence[int]) -> Sums:
        windows = {f"{length}": tumbling(length) for length in lengths}
        table = {"t": at, "v": values}
        sums_by_length = aggregate(table, time="t", windows=windows, aggregates={"s": ("sum", "v")})
        names, starts, sums = (sums_by_length[name] for name in ("window", "start", "s"))
        picked = {length: names == f"{length}" for length in lengths}
        return {k: (starts[at].tolist(), sums[at].tolist()) for k, at in picked.items()}

    return query


def are_equal(a: Sums, b: Sums) -> bool:
    """Whether two results have the same windows, and sums that differ by rounding only."""
    return a.keys() == b.keys() and all(
        a[length][0] == b[length][0]
        and all(
            isclose(x, y, rel_tol=1e-9) for x, y in zip(a[length][1], b[length][1], strict=True)
        )
        for length in a
    )
