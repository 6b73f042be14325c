"""Bytewax: its windowing operators with `EventClock`, whose system time stands still.

The watermark of a key follows the greatest time of its events.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from importlib.metadata import version

import bytewax.operators as op
import bytewax.operators.windowing as win
from bytewax.dataflow import Dataflow
from bytewax.testing import TestingSink, TestingSource, run_main

from muntin.wire import EngineDescription, UnsupportedTraceError, WireTrace, result, serve
from muntin.wire.messages import Row, WireEvent

ZERO = datetime(2000, 1, 1, tzinfo=timezone.utc)  # noqa: UP017 - Python 3.10 has no UTC
NONE = ""
"""The key of events that have none: Bytewax wants one."""


@dataclass
class Listed(win.WindowLogic):
    """The values of a window, in the order in which Bytewax gives them."""

    values: list[int] = field(default_factory=list)

    def on_value(self, value: WireEvent) -> list[list[int]]:
        """Add a value."""
        self.values.append(value.value)
        return []

    def on_merge(self, original: "Listed") -> list[list[int]]:
        """Add the values of another session."""
        self.values += original.values
        return []

    def on_close(self) -> list[list[int]]:
        """Emit the values."""
        return [list(self.values)]

    def snapshot(self) -> None:
        """Nothing is resumed."""


def windower(trace: WireTrace) -> win.Windower:
    """The window of a trace."""
    at = ZERO + timedelta(seconds=trace.parameter("offset", 0))
    if trace.window == "tumbling":
        return win.TumblingWindower(timedelta(seconds=trace.parameter("size")), at)
    if trace.window == "sliding":
        size, slide = (timedelta(seconds=trace.parameter(name)) for name in ("size", "slide"))
        if slide > size:
            raise UnsupportedTraceError("Bytewax has no windows whose slide exceeds their size")
        return win.SlidingWindower(size, slide, at)
    if trace.window == "session":
        return win.SessionWindower(timedelta(seconds=trace.parameter("gap")))
    raise UnsupportedTraceError(f"Bytewax has no {trace.window} windows")


def seconds(time: datetime) -> int:
    """A time of Bytewax as an integer."""
    return round((time - ZERO).total_seconds())


def replay(trace: WireTrace) -> Iterator[Row]:
    """Run a dataflow of one worker."""
    items = [(event.key or NONE, event) for event in trace.events]
    flow, down, about = Dataflow("trace"), [], []
    clock = win.EventClock(
        lambda event: ZERO + timedelta(seconds=event.time),
        timedelta(0),
        now_getter=lambda: ZERO,
        to_system_utc=lambda _: None,
    )
    stream = op.input("in", flow, TestingSource(items, batch_size=1))
    out = win.window("windows", stream, clock, windower(trace), lambda _: Listed())
    op.output("down", out.down, TestingSink(down))
    op.output("about", out.meta, TestingSink(about))
    run_main(flow)
    bounds: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for key, (window, meta) in about:
        last = seconds(meta.close_time) + (trace.window == "session")
        bounds.setdefault((key, window), []).append((seconds(meta.open_time), last))
    for key, (window, values) in down:
        start, end = bounds[key, window].pop(0)
        yield result(start, end, values, key or None)


serve(
    EngineDescription(
        "bytewax",
        version("bytewax"),
        ["tumbling", "sliding", "session"],
        clock="greatest",
        offsets=True,
        min_time=-50_000_000_000,
        max_time=200_000_000_000,
    ),
    replay,
)
