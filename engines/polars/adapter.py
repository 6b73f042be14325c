"""Polars: `group_by_dynamic` and `rolling` over a column of integers."""

from collections.abc import Iterator

import polars as pl

from muntin.wire import EngineDescription, UnsupportedTraceError, WireTrace, result, serve
from muntin.wire.messages import Row

SCHEMA = {"t": pl.Int64, "key": pl.String, "v": pl.Int64}


def replay(trace: WireTrace) -> Iterator[Row]:
    """All events as one frame, sorted by time: Polars keeps the order of ties."""
    rows = [(event.time, event.key, event.value) for event in trace.events]
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row").sort("t", maintain_order=True)
    if trace.window in ("tumbling", "sliding"):
        size = trace.parameter("size")
        grouped = frame.group_by_dynamic(
            "t",
            every=f"{trace.parameter('slide', size)}i",
            period=f"{size}i",
            offset=f"{trace.parameter('offset', 0)}i",
            closed="left",
            group_by="key",
            include_boundaries=True,
        )
        for row in grouped.agg("v").to_dicts():
            yield result(row["_lower_boundary"], row["_upper_boundary"], row["v"], row["key"])
    elif trace.window == "rolling":
        size = trace.parameter("size")
        rolled = frame.rolling("t", period=f"{size}i", closed="right", group_by="key")
        for row in rolled.agg("v").to_dicts():
            yield result(row["t"] - size + 1, row["t"] + 1, row["v"], row["key"])
    else:
        raise UnsupportedTraceError(f"Polars has no {trace.window} windows")


serve(
    EngineDescription("polars", pl.__version__, ["tumbling", "sliding", "rolling"], offsets=True),
    replay,
)
