"""Bytewax 0.21.1: a window is emitted twice, each time with a part of its values.

Run with Bytewax alone: `pip install bytewax`, `python window_twice.py`. Tumbling windows of one
second, and nothing is waited for. When the system's time passes the end of the only window of a
key, the state of the key is discarded, its clock too; so an event of that window, which is late,
is on time again, and the window is emitted once more.
"""

from datetime import datetime, timedelta, timezone

import bytewax.operators as op
import bytewax.operators.windowing as win
from bytewax.dataflow import Dataflow
from bytewax.testing import TestingSink, TestingSource, run_main

ZERO = datetime(2000, 1, 1, tzinfo=timezone.utc)  # noqa: UP017 - Python 3.10 has no UTC
ITEMS = [("k", (0.0, "a")), ("other", (2.0, "-")), ("other", (2.1, "-")), ("k", (0.1, "b"))]
"""Events by their seconds. Those of the other key let the operator look at its timers."""
now = [0]


def system_time() -> datetime:
    """The time of the system: 0 at the first event, then 2 seconds."""
    return ZERO + timedelta(seconds=now[0])


def note(item: tuple[str, tuple[float, str]]) -> tuple[str, tuple[float, str]]:
    """Let two seconds pass after the first event."""
    now[0] = 0 if item[1][1] == "a" else 2
    return item


clock = win.EventClock(
    lambda event: ZERO + timedelta(seconds=event[0]),
    timedelta(0),
    now_getter=system_time,
    to_system_utc=lambda time: time,
)
flow, down, late = Dataflow("trace"), [], []
stream = op.map("note", op.input("in", flow, TestingSource(ITEMS, batch_size=1)), note)
windower = win.TumblingWindower(timedelta(seconds=1), ZERO)
out = win.collect_window("windows", stream, clock, windower)
op.output("down", out.down, TestingSink(down))
op.output("late", out.late, TestingSink(late))
run_main(flow)
print("windows", down)  # noqa: T201 - a program
print("late", late)  # noqa: T201 - a program
