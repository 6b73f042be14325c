"""Spans and edges of periodic windows, against the specification, in every dialect."""

import pytest

from muntin.optimized.scotty.schedules.fixed_schedules import schedule_for
from muntin.optimized.scotty.schedules.periodic_edges import ScheduledWindow, span
from muntin.spec.dialect import Dialect
from muntin.spec.stream import END, AcceptedEvent, Event
from muntin.spec.windows.measure import TIME, Timeline, build_timeline
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding

TIMES = range(-14, 15)
WINDOWS: list[ScheduledWindow] = [
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


def timeline_in(dialect: Dialect) -> Timeline:
    history = [AcceptedEvent(Event(time, time), arrival) for arrival, time in enumerate(TIMES)]
    return build_timeline(history, TIME, -END, dialect)


@pytest.mark.parametrize(
    "dialect", DIALECTS, ids=lambda interval: f"{interval.edges}-{interval.alignment}"
)
@pytest.mark.parametrize("window", WINDOWS, ids=lambda interval: interval.name)
def test_a_span_is_what_a_window_holds(window: ScheduledWindow, dialect: Dialect) -> None:
    timeline = timeline_in(dialect)
    for interval in window.intervals(timeline):
        low, high = span(window, interval, dialect)
        times = {event.time for event in timeline.events if window.holds(interval, event, dialect)}
        assert times == {time for time in TIMES if low <= time < high}


@pytest.mark.parametrize(
    "dialect", DIALECTS, ids=lambda interval: f"{interval.edges}-{interval.alignment}"
)
@pytest.mark.parametrize("window", WINDOWS, ids=lambda interval: interval.name)
def test_edges_are_those_of_spans_and_the_reverse(
    window: ScheduledWindow, dialect: Dialect
) -> None:
    schedule = schedule_for(window, dialect, -END)
    assert schedule
    spans = [schedule.span(interval) for interval in window.intervals(timeline_in(dialect))]
    within = range(-6, 7)
    expected = {edge for low, high in spans for edge in (low, high) if edge in within}
    edges = [
        time
        for time in within
        if any(progression.after(time - 1) == time for progression in schedule.edges())
    ]
    assert edges == sorted(expected)
