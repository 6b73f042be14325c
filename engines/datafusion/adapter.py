"""DataFusion: `date_bin` with an origin of its own, and `RANGE` frames."""

from collections.abc import Iterator

import datafusion
import pyarrow as pa
from datafusion import SessionContext

from muntin.wire import EngineDescription, UnsupportedTraceError, WireTrace, result, serve
from muntin.wire.messages import Row

TUMBLING = """
    select k, cast(b as bigint) / 1000000000 s, array_agg(v order by t, i) vs from (
        select *, date_bin(interval '{size} seconds', t, to_timestamp_nanos({origin})) b from e)
    group by k, b"""
ROLLING = """
    select k, cast(t as bigint) / 1000000000 s, array_agg(v) over (
        partition by k order by t range between interval '{before} seconds' preceding
        and current row) vs from (select * from e order by t, i)"""
"""The origin is said; the default one is 1970-01-01."""


def replay(trace: WireTrace) -> Iterator[Row]:
    """All events as one table; `i` is their order of arrival."""
    context, events = SessionContext(), trace.events
    columns = {
        "i": list(range(len(events))),
        "t": pa.array([event.time * 10**9 for event in events], pa.timestamp("ns")),
        "k": pa.array([event.key for event in events], pa.string()),
        "v": [event.value for event in events],
    }
    context.from_arrow(pa.table(columns), name="e")
    if trace.window not in ("tumbling", "rolling"):
        raise UnsupportedTraceError(f"DataFusion has no {trace.window} windows")
    size = trace.parameter("size")
    if trace.window == "tumbling":
        origin = trace.parameter("offset", 0) * 10**9
        for row in context.sql(TUMBLING.format(size=size, origin=origin)).to_pylist():
            yield result(row["s"], row["s"] + size, row["vs"], row["k"])
    else:
        for row in context.sql(ROLLING.format(before=size - 1)).to_pylist():
            yield result(row["s"] - size + 1, row["s"] + 1, row["vs"], row["k"])


serve(
    EngineDescription(
        "datafusion",
        datafusion.__version__,
        ["tumbling", "rolling"],
        offsets=True,
        min_time=-9_000_000_000,
        max_time=9_000_000_000,
    ),
    replay,
)
