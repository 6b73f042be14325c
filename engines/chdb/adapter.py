"""ClickHouse in this process (chDB): `tumble` over a column `DateTime`, which begins in 1970."""

import json
from collections.abc import Iterator

import chdb
from chdb.session import Session

from muntin.wire import EngineDescription, UnsupportedTraceError, WireTrace, result, serve
from muntin.wire.messages import Row

SESSION = Session()
SCHEMA = "i Int64, t DateTime(\\'UTC\\'), k Nullable(String), v Int64"
TUMBLING = """
    select k, toInt64(toUnixTimestamp(tumbleStart(w))) s, toInt64(toUnixTimestamp(tumbleEnd(w))) e,
        groupArray(v) vs
    from (select *, tumble(t, interval '{size}' second, 'UTC') w
          from (select * from values('{schema}', {rows})) order by t, i)
    group by k, w"""


def replay(trace: WireTrace) -> Iterator[Row]:
    """All events as one table; `i` is their order of arrival."""
    if trace.window != "tumbling" or trace.parameter("offset", 0):
        raise UnsupportedTraceError("the adapter of chDB has tumbling windows without an offset")
    rows = ", ".join(
        f"({i}, toDateTime({event.time}, 'UTC'), {key_text(event.key)}, {event.value})"
        for i, event in enumerate(trace.events)
    )
    query = TUMBLING.format(size=trace.parameter("size"), schema=SCHEMA, rows=rows)
    for key, start, end, values in json.loads(SESSION.query(query, "JSONCompact").data())["data"]:
        yield result(int(start), int(end), [int(value) for value in values], key)


def key_text(key: str | None) -> str:
    """A key as a literal of SQL."""
    return "NULL" if key is None else f"'{key}'"


serve(
    EngineDescription("chdb", chdb.__version__, ["tumbling"], min_time=0, max_time=4_000_000_000),
    replay,
)
