"""Spans and edges of periodic windows, against the specification, in every dialect."""

import pytest

from muntin.optimized.scotty.schedules.fixed import schedule_for
from muntin.optimized.scotty.schedules.spans import ScheduledWindow, span
from muntin.spec.dialect import Dialect
from muntin.spec.stream import END, AcceptedEvent, Event
from muntin.spec.windows.measure import TIME, Timeline, build_timeline
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding

TIMES = range(-14, 15)
KINDS: list[ScheduledWindow] = [
    *(Sliding(size, slide, at) for size in (1, 2, 5) for slide in (1, 2, 3, 5) for at in (0, 1)),
    *(Cumulate(size, step, at) for size, step in [(1, 1), (4, 2), (6, 2), (3, 3)] for at in (0, 1)),
    Landmark(-4, 3),
    Landmark(2, 1),
    Band(-3, 4),
]
DIALECTS = [
    Dialect(),
    Dialect(edges="right"),
    Dialect(edges="both"),
    Dialect(alignment="truncate"),
    Dialect(alignment="truncate", edges="right"),
    Dialect(alignment="truncate", edges="both"),
]


def line(dialect: Dialect) -> Timeline:
    history = [AcceptedEvent(Event(time, time), nth) for nth, time in enumerate(TIMES)]
    return build_timeline(history, TIME, -END, dialect)


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda one: f"{one.edges}-{one.alignment}")
@pytest.mark.parametrize("kind", KINDS, ids=lambda one: one.name)
def test_a_span_is_what_a_window_holds(kind: ScheduledWindow, dialect: Dialect) -> None:
    laid_out = line(dialect)
    for one in kind.intervals(laid_out):
        low, high = span(kind, one, dialect)
        held = {at.time for at in laid_out.events if kind.holds(one, at, dialect)}
        assert held == {time for time in TIMES if low <= time < high}


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda one: f"{one.edges}-{one.alignment}")
@pytest.mark.parametrize("kind", KINDS, ids=lambda one: one.name)
def test_edges_are_those_of_spans_and_the_reverse(kind: ScheduledWindow, dialect: Dialect) -> None:
    known = schedule_for(kind, dialect, -END)
    assert known
    spans = [known.span(one) for one in kind.intervals(line(dialect))]
    within = range(-6, 7)
    wanted = {edge for low, high in spans for edge in (low, high) if edge in within}
    found = [time for time in within if any(e.after(time - 1) == time for e in known.edges())]
    assert found == sorted(wanted)
