"""DuckDB: `time_bucket` with an origin of its own, and `RANGE` frames."""

from collections.abc import Iterator

import duckdb

from muntin.wire import EngineDescription, UnsupportedTraceError, WireTrace, result, serve
from muntin.wire.messages import Row

CONNECTION = duckdb.connect()
TUMBLING = """
    select key, epoch(bucket)::bigint, epoch(bucket)::bigint + $size, list(v order by t, i)
    from (select *, time_bucket(to_seconds($size), make_timestamp(t * 1000000),
                                timestamp '1970-01-01' + to_seconds($offset)) bucket from events)
    group by key, bucket"""
ROLLING = """
    select key, t - $size + 1, t + 1, list(v) over (
        partition by key order by t range between $size - 1 preceding and current row)
    from (select * from events order by t, i)"""
"""The time zone is none, and the origin is said: the default one is 2000-01-03."""


def replay(trace: WireTrace) -> Iterator[Row]:
    """All events as one table; `i` is their order of arrival."""
    rows = [(i, event.time, event.key, event.value) for i, event in enumerate(trace.events)]
    CONNECTION.execute(
        "create or replace temp table events(i bigint, t bigint, key varchar, v bigint)"
    )
    CONNECTION.executemany("insert into events values (?, ?, ?, ?)", rows)
    if trace.window not in ("tumbling", "rolling"):
        raise UnsupportedTraceError(f"DuckDB has no {trace.window} windows")
    size: dict[str, int] = {"size": trace.parameter("size")}
    if trace.window == "tumbling":
        answer = CONNECTION.execute(TUMBLING, {**size, "offset": trace.parameter("offset", 0)})
    else:
        answer = CONNECTION.execute(ROLLING, size)
    for key, start, end, values in answer.fetchall():
        yield result(start, end, values, key)


serve(
    EngineDescription("duckdb", duckdb.__version__, ["tumbling", "rolling"], offsets=True), replay
)
