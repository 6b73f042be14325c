"""Which groups store tuples, and why: Figure 4 of paper 000 and our deviations from it."""

from collections import defaultdict

import pytest

from complexity.test_scotty_ordered import stored_tuples
from extending.test_new_window_type import Timetable
from muntin.conformance.machines.random_choices import BAGS, THIRDS, WORDS, Letter
from muntin.optimized.scotty.opaque_windows import as_opaque_if_derived
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.query_plan import ScottyPlan, deviation_from_figure_4, plan_for
from muntin.optimized.scotty.workload import stores_tuples
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event
from muntin.spec.windows.data_driven import (
    LastNEvery,
    Punctuation,
    Rolling,
    Session,
    slide_by_tuple,
)
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import WindowType


class Derived(Sliding):
    """A type derived from a built-in one: it may have changed anything."""


WINDOWS: list[WindowType] = [
    *(Sliding(99, 33, 3, measure) for measure in (TIME, COUNT, THIRDS)),
    *(Cumulate(99, 33, 0, measure) for measure in (TIME, COUNT, THIRDS)),
    *(Landmark(0, 99, measure) for measure in (TIME, COUNT, THIRDS)),
    *(Band(0, 99, measure) for measure in (TIME, COUNT, THIRDS)),
    *(Session(5, measure) for measure in (TIME, COUNT, THIRDS)),
    *(Punctuation(measure=measure) for measure in (TIME, COUNT, THIRDS)),
    *(Rolling(99, 1, measure) for measure in (TIME, COUNT, THIRDS)),
    *(State(), Delta(5), Threshold(0), slide_by_tuple(99, 3), LastNEvery(99, 33)),
    UserWindow(lambda state, _: (1, int(state is None), 0)),
    UserTrigger(lambda state, _: (state, 0, 1)),
    *(Timetable((99, 5)), Timetable((99, 5), THIRDS), Derived(99, 33)),
]
DIALECTS = [
    *(OURS, Dialect(lateness="window"), Dialect(lateness="never")),
    *(Dialect(late_update="next_watermark"), Dialect(late_update="none")),
    *(Dialect(alignment="truncate"), Dialect(count_order="arrival"), Dialect(ties="rows")),
    *(Dialect(edges="right"), Dialect(edges="both"), Dialect(closing=1), Dialect(closing=-1)),
    *(Dialect(first_window="nonnegative"), Dialect(first_window="floor_first")),
    *(Dialect(session_merge="le"), Dialect(session_end="last")),
]
SETTINGS = [
    *(Settings(999, dialect=one, in_order=order) for one in DIALECTS for order in (False, True)),
    *(Settings(999, "discard", in_order=order) for order in (False, True)),
    *(Settings(999, "final", in_order=order) for order in (False, True)),
]
EVENTS = {False: (1, 0, 3, 2, 5, 4), True: (0, 1, 2, 3, 4, 5)}

CONTEXT_FREE = {
    f"{kind} thirds" for kind in ("sliding", "cumulate", "landmark", "band", "timetable")
}
CUT_BY_CUTTY = {
    *(CONTEXT_FREE - {"timetable thirds"}),
    *("cumulate count", "landmark count", "band count", "session count", "session thirds"),
    *("punctuation time", "punctuation count", "punctuation thirds", "state time", "delta time"),
    "user-defined count",
}
"""Windows that Cutty cuts where it can, and that are cut from tuples where it cannot."""
OPAQUE = {"timetable time", "timetable thirds"}
TRUNCATED = {"count count", "sliding thirds", "cumulate count", "cumulate thirds"}
BOTH = ("bag", "word")
DEVIATIONS = {
    (False, "only the neighbours of a late event determine whether thirds", ("bag",)): CONTEXT_FREE,
    (False, "nothing is known beforehand of where timetable", ("bag",)): {"timetable time"},
    (False, "ranks in order of arrival never move", BOTH): {"count count"},
    (True, "slicing in order supports lateness by event, not ", BOTH): CUT_BY_CUTTY | OPAQUE,
    (True, "slicing in order emits late updates at once, not ", BOTH): CUT_BY_CUTTY | OPAQUE,
    (True, "slicing aligns ", BOTH): TRUNCATED,
    (True, "slicing does not know the windows ", BOTH): OPAQUE,
}
"""In order or not, the reason, the aggregates: the windows that deviate from Figure 4.

Tuples are stored though the figure does not require it; for ranks of arrivals it is the reverse.
"""


@pytest.mark.parametrize(
    "window", WINDOWS, ids=lambda window: f"{window.name} {window.measure.name}"
)
def test_a_running_group_stores_tuples_where_its_plan_does(window: WindowType) -> None:
    for settings in SETTINGS:
        for aggregate in (BAGS, WORDS):
            operator, query = Scotty(settings), Query("q", window, aggregate)
            operator.add(query)
            for time in EVENTS[settings.in_order]:
                operator.step([Event(time, Letter(time % 3, time))], time - 5)
            (group,) = operator.groups
            plan, opaque_query = plan_of(query, settings)
            assert (stored_tuples(group) > 0) == plan.tuples_stored, settings
            reason = deviation_from_figure_4(plan, opaque_query, settings)
            assert (reason is None) == (
                plan.tuples_stored == stores_tuples(plan.characteristics)
            ), settings
            decision = "tuples are stored" if plan.tuples_stored else "tuples are not stored"
            lines = [line.strip() for line in operator.explain().splitlines()]
            assert (f"{decision}: {reason}" if reason else decision) in lines


def plan_of(query: Query, settings: Settings) -> tuple[ScottyPlan, Query]:
    """The plan of a query, and the query as the operator sees it."""
    opaque_query = as_opaque_if_derived(query, settings)
    return plan_for(opaque_query, settings, -END, ()), opaque_query


def test_all_deviations_from_figure_4_are_tabulated() -> None:
    deviations = defaultdict[tuple[bool, str], set[tuple[str, str]]](set)
    for window in WINDOWS:
        for settings in SETTINGS:
            for aggregate in (BAGS, WORDS):
                plan, opaque_query = plan_of(Query("q", window, aggregate), settings)
                reason = deviation_from_figure_4(plan, opaque_query, settings) or ""
                pair = (aggregate.name, f"{window.name} {window.measure.name}")
                deviations[settings.in_order, table_key(reason)].add(pair)
    tabulated = {
        (in_order, key): {(name, pair) for name in names for pair in windows}
        for (in_order, key, names), windows in DEVIATIONS.items()
    }
    assert {at: pair for at, pair in deviations.items() if at[1]} == tabulated


def table_key(reason: str) -> str:
    """How a reason begins in the table; one that is not there is left as it is."""
    return next((key for _, key, _ in DEVIATIONS if reason.startswith(key)), reason)
