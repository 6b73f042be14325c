"""Table engines asked for the same windows: whole tables in order, and no late event."""

from collections.abc import Callable, Sequence
from importlib import import_module
from math import isclose

import numpy as np
from numpy.typing import NDArray

from muntin.columnar import aggregate
from muntin.spec.windows.periodic import tumbling

PANE = 1000
"""What all lengths of windows are multiples of."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Sums = dict[int, tuple[list[int], list[float]]]
"""For each length of windows, where they start, and what they sum up to."""
Ask = Callable[[Sequence[int]], Sums]


def polars(at: Ints, values: Floats, *, panes: bool) -> Ask:
    """Return what asks Polars, each length by itself; perhaps over panes that are summed first."""
    pl = import_module("polars")
    frame = pl.DataFrame({"t": at, "v": values}).set_sorted("t")

    def grouped(table: object, length: int) -> object:
        groups = getattr(table, "group_by_dynamic")("t", every=f"{length}i")  # noqa: B009 - not typed
        return groups.agg(pl.col("v").sum())

    def ask(lengths: Sequence[int]) -> Sums:
        table: object = grouped(frame, PANE) if panes else frame
        found = {length: grouped(table, length) for length in lengths}
        return {length: _columns(one, "to_list") for length, one in found.items()}

    return ask


def polars_unsorted(at: Ints, values: Floats) -> Ask:
    """Return what asks Polars where times are in no order: by the start of the window."""
    pl = import_module("polars")
    frame = pl.DataFrame({"t": at, "v": values})

    def ask(lengths: Sequence[int]) -> Sums:
        found: Sums = {}
        for length in lengths:
            start = (pl.col("t") - pl.col("t") % length).alias("t")
            table: object = frame.group_by(start).agg(pl.col("v").sum()).sort("t")
            found[length] = _columns(table, "to_list")
        return found

    return ask


def _columns(table: object, way: str) -> tuple[list[int], list[float]]:
    starts, sums = (getattr(table, "get_column")(name) for name in ("t", "v"))  # noqa: B009 - as above
    return getattr(starts, way)(), getattr(sums, way)()


def duckdb(at: Ints, values: Floats, *, panes: bool) -> Ask:
    """Return what asks DuckDB in the same way, on one thread."""
    database = import_module("duckdb").connect()
    database.execute("set threads = 1")
    database.register("given", import_module("pyarrow").table({"t": at, "v": values}))
    database.execute("create table events as select * from given")

    def grouped(table: str, length: int) -> str:
        start = f"t - t % {length}"  # no time is negative here
        return f"select {start} as t, sum(v) as v from {table} group by {start}"  # noqa: S608 - names of ours

    def ask(lengths: Sequence[int]) -> Sums:
        table = "events"
        if panes:
            database.execute(f"create or replace temp table panes as {grouped(table, PANE)}")
            table = "panes"
        found: Sums = {}
        for length in lengths:
            columns = database.execute(grouped(table, length)).fetchnumpy()
            order = np.argsort(columns["t"])
            found[length] = columns["t"][order].tolist(), columns["v"][order].tolist()
        return found

    return ask


def in_one_call(at: Ints, values: Floats) -> Ask:
    """Return what asks `muntin.columnar.aggregate`."""

    def ask(lengths: Sequence[int]) -> Sums:
        windows = {f"{length}": tumbling(length) for length in lengths}
        table = {"t": at, "v": values}
        found = aggregate(table, time="t", windows=windows, aggregates={"s": ("sum", "v")})
        column = getattr(found, "column")  # noqa: B009 - Arrow is not typed
        names, starts, sums = (np.asarray(column(name)) for name in ("window", "start", "s"))
        picked = {length: names == f"{length}" for length in lengths}
        return {k: (starts[at].tolist(), sums[at].tolist()) for k, at in picked.items()}

    return ask


def alike(a: Sums, b: Sums) -> bool:
    """Whether two have the same windows, and sums that differ by roundings only."""
    return a.keys() == b.keys() and all(
        a[length][0] == b[length][0]
        and all(
            isclose(x, y, rel_tol=1e-9) for x, y in zip(a[length][1], b[length][1], strict=True)
        )
        for length in a
    )
