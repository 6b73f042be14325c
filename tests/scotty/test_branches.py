"""Runs for the branches that random runs reach only by luck, compared with the specification."""

from dataclasses import replace
from typing import NamedTuple

import pytest

from extending.test_new_window_type import Timetable
from muntin.conformance.machines.random_choices import BAGS, DOUBLED, WORDS, Letter
from muntin.conformance.output_comparison import response_difference
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.slices.aggregate_store import (
    BuildStore,
    LazyStore,
    fiba_store,
    flatfat_store,
)
from muntin.optimized.scotty.slices.edges import EdgeInterval, Edges, Progression
from muntin.reference.specification import SpecificationOperator
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.dialect import Dialect
from muntin.spec.operator import Operator
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import COUNT, TIME, Timeline
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding, tumbling
from muntin.spec.windows.window import Interval, WindowType

BY_WINDOW = Dialect(lateness="window")
BY_NOTHING = Dialect(lateness="never")
FLOOR_FIRST = Dialect(first_window="floor_first")
HELD_BACK = Dialect(late_update="next_watermark")


class EvenTimes(WindowType):
    """A type without an eviction rule: a window for each even time that has an event."""

    context, type_name, measure = "FCF", "evens", TIME

    def intervals(self, timeline: Timeline, /) -> list[Interval]:
        """The even instants."""
        return [
            Interval(event.time, event.time + 1) for event in timeline.events if event.time % 2 == 0
        ]


class Run(NamedTuple):
    """The first queries, and then steps: events with gaps, watermarks, queries to add or remove."""

    name: str
    settings: Settings
    windows: list[WindowType]
    actions: list[tuple[int, int | None] | str | WindowType]


RUNS = [
    Run(
        "an own gap, within a slice, reaches the next",
        Settings(100),
        [Session(3)],
        [(0, None), (2, None), (10, None), (1, 20), "W50"],
    ),
    Run(
        "the gap of a tuple reaches over others, across edges",
        Settings(100),
        [Session(2), tumbling(5)],
        [(0, 30), (7, None), (14, 1), "W16", (8, None), "W40"],
    ),
    Run(
        "the gap of a tuple ends before that of an earlier one",
        Settings(100),
        [Session(5), Session(2)],
        ["W25", (14, None), (11, None), (13, 1), (18, None)],
    ),
    Run(
        "late in the longest of cumulating windows, by window",
        Settings(0, dialect=BY_WINDOW),
        [Cumulate(10, 5)],
        [(1, None), "W7", (2, None), (6, None), "W12", (4, None), "W30"],
    ),
    Run(
        "late by window, with a gap that reaches over several slices",
        Settings(5, dialect=BY_WINDOW),
        [Session(3)],
        [*((at, None) for at in (10, 14, 18, 22, 26)), "W12", (6, 14), "W40"],
    ),
    Run(
        "cumulating windows that are added when events have come",
        Settings(10),
        [tumbling(3)],
        [(5, None), Cumulate(6, 2), (12, None), (9, None), "W20"],
    ),
    Run(
        "tuples by a measure, where the first event determines the first window",
        Settings(5, dialect=FLOOR_FIRST),
        [Sliding(4, 2, 0, DOUBLED)],
        [(3, None), (6, None), "W8", (5, None), "W20"],
    ),
    Run(
        "late in a band, and outside",
        Settings(0, dialect=BY_WINDOW),
        [Band(0, 10), Band(20, 30)],
        [(1, None), "W7", (2, None), "W12", (4, None), (-3, None), (25, None), "W26", (22, None)],
    ),
    Run(
        "late after a landmark, and before",
        Settings(0, dialect=BY_WINDOW),
        [Landmark(0, 10)],
        [(1, None), "W7", (2, None), "W22", (4, None), (-3, None)],
    ),
    Run(
        "final sessions with a landmark",
        Settings(1),
        [Landmark(0, 4), Session(2), Session(30)],
        [
            *((time, None) for time in range(0, 40, 3)),
            "W20",
            *((time, None) for time in range(40, 70, 3)),
            *("W40", "W60", "W99"),
        ],
    ),
    Run(
        "added after the end",
        Settings(dialect=BY_NOTHING),
        [tumbling(5), Session(4)],
        [(1, None), "END", tumbling(5), Session(4), (3, None), (9, None)],
    ),
    Run(
        "added when the first event is late",
        Settings(20, dialect=FLOOR_FIRST),
        [Sliding(6, 2)],
        [(10, None), "W12", Sliding(6, 2), (5, None), (14, None), (3, None), "W40"],
    ),
    Run(
        "held back until the watermark rises",
        Settings(20, dialect=HELD_BACK),
        [tumbling(5), Session(4)],
        [(1, None), (30, None), "W12", (3, None), (7, None), "W12", (8, None), "W13", "W40"],
    ),
    Run(
        "discarded and updated",
        Settings(20, "discard"),
        [tumbling(5), tumbling(10)],
        [(1, None), (30, None), "W12", (3, None), (2, None), (7, None), "W40"],
    ),
    Run(
        "discarded sessions merge with one that had not ended",
        Settings(40, "discard"),
        [Session(3), Session(8), tumbling(5)],
        [(0, None), "W20", (22, None), *((at, None) for at in (2, 4, 17, 9, 14, 20)), "W25", "W40"],
    ),
    Run(
        "discarded sessions are held back while the query that separates their slices goes",
        Settings(20, "discard", dialect=HELD_BACK),
        [Session(3), tumbling(4)],
        [(0, None), "W12", (2, None), (4, None), "-w1", "W12", "W13", "W60"],
    ),
    Run(
        "discarded sessions are held back while final slices might be merged",
        Settings(5, "discard", dialect=replace(HELD_BACK, lateness="window")),
        [Session(10)],
        [(0, None), "W12", (-3, None), "W12", "W13", "W60"],
    ),
    Run(
        "discarded sessions are held back, and the gap of a tuple reaches over tuples on time",
        Settings(40, "discard", dialect=HELD_BACK),
        [Session(3)],
        [(0, None), (30, 20), "W32", (40, None), "W32", (2, 40), "W60", "W80"],
    ),
    Run(
        "sessions after a tuple whose gap reaches over them, where slices are merged",
        Settings(),
        [Session(4), Band(90, 99)],
        [
            *((11, None), "W10", Session(6), (15, None), (12, None), (10, None), (11, 19), (17, 7)),
            *("W21", (24, None), "W28", "-w1", (30, None), "W30", "W41"),
        ],
    ),
    Run(
        "discarded sessions after a tuple whose gap reaches over them, with slices kept separate",
        Settings(0, "discard"),
        [Session(4), Band(90, 99)],
        [
            *((11, None), "W10", Session(6), (15, None), (12, None), (10, None), (11, 19), (17, 7)),
            *("W21", (24, None), "W28", (30, None), "W30", "W41"),
        ],
    ),
    Run(
        "a slice before the others, on time",
        Settings(),
        [tumbling(5), Session(2)],
        [(12, None), "W1", (3, None), "W4", "W7", "W13", "W40"],
    ),
    Run(
        "retractions that are not emitted",
        Settings(20, "accumulate"),
        [Session(4)],
        [(1, None), (7, None), "W12", (4, None), "W40"],
    ),
    Run(
        "only new windows are emitted",
        Settings(20, dialect=Dialect(late_update="none")),
        [Session(4), tumbling(5)],
        [(1, None), (9, None), "W12", (4, None), (10, None), "W13", (2, None), "W40"],
    ),
    Run(
        "final under two closings",
        Settings(3, "final", dialect=Dialect(closing={"session": 1})),
        [tumbling(5), Session(2), Session(5)],
        [(1, None), (3, None), "W4", (6, None), "W9", (4, None), "W12", "W20", (18, None), "W30"],
    ),
    Run(
        "removed before its windows were final",
        Settings(20),
        [tumbling(5), tumbling(10)],
        [(1, None), (12, None), (2, None), "W12", "-w0", (3, None), "W20", "W25", (24, None)],
    ),
    Run(
        "added too late for an event that is late, by window",
        Settings(0, dialect=BY_WINDOW),
        [tumbling(10)],
        [(1, None), "W5", tumbling(4), (3, None), (6, None), (9, None), "W9", (4, None), "W30"],
    ),
    Run(
        "a type of the user's, which holds both its edges",
        Settings(9, dialect=Dialect(edges="both")),
        [Timetable((5, 3))],
        [(1, None), (5, None), (8, None), (13, None), "W11", (4, None), (8, None), "W22"],
    ),
    Run(
        "a user's type without an eviction rule",
        Settings(2),
        [EvenTimes()],
        [(1, None), (2, None), (4, None), "W4", (2, None), (6, None), "W7", (5, None), (6, None)],
    ),
    Run(
        "tuples that a late one shifts over edges of rank",
        Settings(20),
        [Landmark(0, 2, COUNT), Cumulate(4, 2, 0, COUNT)],
        [*((time, None) for time in (4, 5, 6, 8, 9, 11)), "W12", (3, None), (7, None), "W20"],
    ),
]


def change_queries(operator: Operator, action: str | WindowType, query: Query) -> None:
    """Remove a query, or add one of this type."""
    if isinstance(action, str):
        operator.remove(action[1:])
    else:
        operator.add(replace(query, window=action))


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
@pytest.mark.parametrize("aggregate", [WORDS, BAGS], ids=lambda aggregate: aggregate.name)
@pytest.mark.parametrize("batch", [1, 3])
def test_a_run_is_answered_as_the_denotation_does(
    run: Run, aggregate: Aggregate[object, object, object], batch: int
) -> None:
    both = Scotty(run.settings), SpecificationOperator(run.settings)
    queries = [Query(f"w{index}", window, aggregate) for index, window in enumerate(run.windows)]
    events: list[Event] = []
    for query in queries:
        for operator in both:
            operator.add(query)

    def step(watermark: float | None) -> None:
        got, expected = (operator.take(Step(tuple(events), watermark)) for operator in both)
        assert not response_difference(expected, got)
        events.clear()

    for index, action in enumerate(run.actions):
        if isinstance(action, tuple):
            events.append(Event(action[0], Letter(1, index), gap=action[1]))
            if len(events) == batch:
                step(None)
        elif isinstance(action, str) and not action.startswith("-"):
            step(END if action == "END" else int(action[1:]))
        else:
            step(None)
            for operator in both:
                change_queries(operator, action, Query(f"v{index}", Session(1), aggregate))
    step(END)


def test_edges_drop_the_oldest_stored_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Edges, "interval_limit", 8)
    edges = Edges([Progression(0, 10)])
    intervals = [EdgeInterval(low, low + 10) for low in range(0, 300, 10)]
    assert [edges.interval_at(int(interval.low) + 3) for interval in intervals] == intervals
    assert edges.computed_count == len(intervals)
    assert [edges.interval_at(int(interval.high) - 1) for interval in intervals[-4:]] == intervals[
        -4:
    ]
    assert edges.computed_count == len(intervals)
    assert [edges.interval_at(int(interval.low)) for interval in intervals[:4]] == intervals[:4]
    assert edges.computed_count == len(intervals) + 4


@pytest.mark.parametrize("leap", [1, 30, 400, 5000])
def test_intervals_that_time_has_passed_are_those_of_fresh_edges(leap: int) -> None:
    progressions = [Progression(0, 7), Progression(3, 11), Progression(5, 40, 45, 2000)]
    edges = Edges(progressions)
    for now in (0, leap, 2 * leap):
        edges.interval_at(now)
    for time in range(-20, 2 * leap + 20):
        assert edges.interval_at(time) == Edges(progressions).interval_at(time)


@pytest.mark.parametrize("store", [LazyStore, flatfat_store, fiba_store])
def test_the_gap_of_a_tuple_within_a_slice_reaches_over_later_slices(store: BuildStore) -> None:
    both: list[Operator] = [SpecificationOperator(Settings(100)), Scotty(Settings(100), store)]
    for operator in both:
        operator.add(Query("s", Session(5), WORDS))
    steps = [
        Step(tuple(Event(time, Letter(0, time)) for time in (0, 10, 20)), 60),
        Step((Event(0, Letter(1, 0), gap=50),)),
        Step((Event(20, Letter(1, 20)),)),
    ]
    for step in steps:
        expected, got = (operator.take(step) for operator in both)
        assert not response_difference(expected, got)
