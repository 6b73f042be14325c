"""Pathway: `windowby` with `exactly_once_behavior`; each step is a batch at a time of its own.

A window is emitted once, when the greatest time so far has reached its end.
"""

import os
from collections.abc import Iterator

os.environ["PATHWAY_TELEMETRY_SERVER"] = ""
os.environ.setdefault("PATHWAY_DISABLE_PROGRESS", "1")

import pathway as pw

from muntin.wire import (
    EngineDescription,
    UnsupportedTraceError,
    WireTrace,
    result,
    serve,
)
from muntin.wire.messages import Row


def window(trace: WireTrace) -> pw.temporal.Window:
    """The window of a trace; with an origin no window begins before it, so offsets have none."""
    if trace.window == "tumbling":
        return pw.temporal.tumbling(trace.parameter("size"))
    if trace.window == "sliding":
        size, slide = trace.parameter("size"), trace.parameter("slide")
        if slide > size:
            raise UnsupportedTraceError("the slide of Pathway is at most the size")
        return pw.temporal.sliding(slide, size)
    raise UnsupportedTraceError(f"the adapter of Pathway has no {trace.window} windows")


def replay(trace: WireTrace) -> Iterator[Row]:
    """Run the steps as batches."""
    pw.internals.parse_graph.G.clear()
    rows = [
        (event.time, event.key or "", event.value, 2 * (number + 1), 1)
        for number, step in enumerate(trace.steps)
        for event in step.events
    ]
    schema = pw.schema_from_types(t=int, k=str, v=int)
    table = pw.debug.table_from_rows(schema, rows, is_stream=True)
    windows = table.windowby(
        table.t,
        window=window(trace),
        instance=table.k,
        behavior=pw.temporal.exactly_once_behavior(),
    )
    emitted = windows.reduce(
        k=pw.this._pw_instance,  # noqa: SLF001 - the names that Pathway gives
        s=pw.this._pw_window_start,  # noqa: SLF001 - the same
        e=pw.this._pw_window_end,  # noqa: SLF001 - the same
        vs=pw.reducers.tuple(pw.this.v),
    )
    times = {event.value: event.time for event in trace.events}
    for update in pw.debug._compute_tables(emitted)[0]:  # noqa: SLF001 - it alone has every update
        key, start, end, values = update.values
        ordered = sorted(values, key=lambda value: (times[value], value))
        kind = "new" if update.diff > 0 else "retracted"
        yield result(start, end, ordered, key or None, kind=kind)


serve(
    EngineDescription(
        "pathway",
        pw.__version__,
        ["tumbling", "sliding"],
        clock="greatest",
        kinds=True,
        min_time=-(2**40),
        max_time=2**40,
    ),
    replay,
)
