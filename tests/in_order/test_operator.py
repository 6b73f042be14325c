"""Slicing operators beyond lockstep: errors leave no trace, queries share, state is released."""

import pytest

from muntin.conformance.machines.random_choices import WORDS, Letter
from muntin.optimized.in_order.operator import InOrderSlicer
from muntin.optimized.in_order.technique import CUTTY_EAGER, CUTTY_LAZY, PAIRS, PANES, Technique
from muntin.reference.specification import SpecificationOperator
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Meter
from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError, UnsupportedError, UserCodeError
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Event, Step
from muntin.spec.windows.data_driven import Punctuation, Rolling, Session
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.measure import Measure
from muntin.spec.windows.periodic import Cumulate, Landmark, Sliding, count, tumbling
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import WindowType

IN_ORDER = Settings(in_order=True)
TECHNIQUES = [PANES, PAIRS, CUTTY_LAZY, CUTTY_EAGER]


def refuse_seven(value: object) -> object:
    """A part of a user's code that fails."""
    if value == 7:
        raise ZeroDivisionError
    return value


def summing(where: str) -> Aggregate[object, object, object]:
    """A sum that fails somewhere at 7."""

    def combine(left: int, right: int) -> int:
        refuse_seven(right if where == "combine" else 0)
        return left + right

    def lift(value: int) -> int:
        refuse_seven(value if where == "lift" else 0)
        return value

    def lower(total: int) -> int:
        refuse_seven(total if where == "lower" else 0)
        return total

    monoid = Monoid(0, combine)
    return Aggregate(
        "sum", lift, monoid, lower, commutative=True, kind="distributive"
    ).erase_types()


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("where", ["lift", "combine", "lower"])
def test_a_step_that_fails_leaves_no_trace(technique: Technique, where: str) -> None:
    running, twin = InOrderSlicer(technique, IN_ORDER), InOrderSlicer(technique, IN_ORDER)
    for operator in (running, twin):
        operator.add(Query("totals", tumbling(10), summing(where)))
        operator.step([Event(0, 0)])
    bad = [Event(3, 1), Event(4, 7), Event(12, 1)]
    bad = [Event(4, 7), Event(12, 1)] if where == "lower" else bad
    with pytest.raises(UserCodeError, match=r"query 'totals', .*ZeroDivisionError"):
        running.step(bad)
    for events in ([Event(1, 1)], [Event(2, 3), Event(2, 1)], [Event(15, 2)], [Event(30, 1)]):
        assert running.step(events) == twin.step(events)


def fails(_: object, event: Event) -> tuple[object, int, int]:
    """A machine that fails at 7."""
    return refuse_seven(event.value), 1, 0


def doubled(event: Event) -> int:
    """A measure that fails at 7."""
    refuse_seven(event.value)
    return 2 * event.time


KINDS: list[tuple[WindowType, str]] = [
    (UserWindow(fails), "failed: ZeroDivisionError"),
    (UserTrigger(fails), "failed: ZeroDivisionError"),
    (UserTrigger(lambda state, event: (state, -int(event.value == 7), 0)), "evicts -1 records"),
    (UserWindow(lambda state, event: (state, -int(event.value == 7), 0)), "counts -1 and 0"),
    (Punctuation(lambda event: refuse_seven(event.value) == 0), "raised ZeroDivisionError"),
    (
        Sliding(
            3,
            1,
            measure=Measure("m", doubled),
        ),
        ": ZeroDivisionError",
    ),
]


@pytest.mark.parametrize(("kind", "message"), KINDS)
def test_a_window_that_fails_is_named_and_leaves_no_trace(kind: WindowType, message: str) -> None:
    running, twin = InOrderSlicer(CUTTY_EAGER, IN_ORDER), InOrderSlicer(CUTTY_EAGER, IN_ORDER)
    for operator in (running, twin):
        operator.add(Query("other", Session(2), WORDS))
        operator.add(Query("bad", kind, WORDS))
        operator.step([Event(0, Letter(0, 0))])
    with pytest.raises(UserCodeError, match=f"query 'bad'.*Event.time=5.*{message}"):
        running.step([Event(4, Letter(0, 1)), Event(5, Letter(7, 2))])
    for time in range(4, 12):
        event = Event(time, Letter(1 + time % 3, time))
        assert running.step([event]) == twin.step([event])


@pytest.mark.parametrize(
    ("kind", "bad"),
    [
        (Delta(1), Event(5, "x")),
        (Sliding(2, 1, measure=Measure("odometer", lambda event: -event.time)), Event(5, 1)),
        (State(), Event(3, 1)),
    ],
)
def test_bad_input_is_refused_before_any_change(kind: WindowType, bad: Event) -> None:
    running, twin = InOrderSlicer(CUTTY_LAZY, IN_ORDER), InOrderSlicer(CUTTY_LAZY, IN_ORDER)
    for operator in (running, twin):
        operator.add(Query("q", kind, WORDS))
        operator.step([Event(4, Letter(0, 1))])
    with pytest.raises(InvalidInputError):
        running.step([bad])
    assert running.take(Step((), 50)) == twin.take(Step((), 50))


REFUSED: list[tuple[WindowType, Settings, str]] = [
    (tumbling(3), Settings(), "declared in order"),
    (tumbling(3), Settings(0, "final", True, Dialect(lateness="window")), "by event"),  # noqa: FBT003
    (tumbling(3), Settings(in_order=True, dialect=Dialect(late_update="none")), "at once"),
    (tumbling(3), Settings(in_order=True, dialect=Dialect(alignment="truncate")), "floor"),
    (Cumulate(6, 3), Settings(in_order=True, dialect=Dialect(alignment="truncate")), "floor"),
    (
        Rolling(3, measure=Measure("m", doubled)),
        Settings(in_order=True, dialect=Dialect(ties="rows")),
        "ties: rows",
    ),
]


@pytest.mark.parametrize(("kind", "settings", "message"), REFUSED)
def test_what_is_not_served_is_refused_by_name(
    kind: WindowType, settings: Settings, message: str
) -> None:
    with pytest.raises(UnsupportedError, match="query 'q': .*" + message):
        InOrderSlicer(CUTTY_LAZY, settings).add(Query("q", kind, WORDS))


@pytest.mark.parametrize("kind", [Session(3), count(3)])
def test_panes_and_pairs_need_periodic_windows_of_time(kind: WindowType) -> None:
    with pytest.raises(UnsupportedError, match="panes and pairs need periodic windows of time"):
        InOrderSlicer(PAIRS, IN_ORDER).add(Query("q", kind, WORDS))


BOTH_EDGES = Settings(in_order=True, dialect=Dialect(edges="both"))
RUNS: list[tuple[str, Settings, WindowType, str]] = [
    ("at the end of a window that grows", BOTH_EDGES, Cumulate(6, 3), "1 3 6 6 7 12 15 30"),
    ("low beside what makes a run long", IN_ORDER, Threshold(1, 2), "1:1 2:1 2:0 5:1 6:1 9:0"),
    ("high beside what ends a run", IN_ORDER, Threshold(1), "1:1 2:0 2:1 3:1 4:1 9:0"),
    ("removed after a run", IN_ORDER, Threshold(1), "1:1 2:0 3:0 -other 7:1"),
    ("removed before its landmark", IN_ORDER, Landmark(50, 5), "1 -other 7 60"),
    ("removed before it sees an event", IN_ORDER, Session(2), "1 -other +other -other 7"),
]


@pytest.mark.parametrize("technique", [CUTTY_LAZY, CUTTY_EAGER])
@pytest.mark.parametrize(
    ("settings", "kind", "run"), [run[1:] for run in RUNS], ids=[run[0] for run in RUNS]
)
def test_a_run_is_answered_as_the_denotation_does(
    technique: Technique, settings: Settings, kind: WindowType, run: str
) -> None:
    both = InOrderSlicer(technique, settings), SpecificationOperator(settings)
    for operator in both:
        operator.add(Query("fives", tumbling(5), WORDS))
        operator.add(Query("other", kind, WORDS))
    for index, action in enumerate([*run.split(), "90"]):
        time, _, number = action.partition(":")
        for operator in both if action.startswith("-") else ():
            operator.remove(action[1:])
        for operator in both if action.startswith("+") else ():
            operator.add(Query(action[1:], kind, WORDS))
        if action[0].isdigit():
            output, expected = (
                operator.step([Event(int(time), Letter(int(number or 0), index))])
                for operator in both
            )
            assert output == expected


def test_queries_of_one_aggregate_share_slices_whatever_their_measure() -> None:
    meter = Meter()
    running, aggregate = InOrderSlicer(CUTTY_EAGER, IN_ORDER), meter.watch_aggregate(WORDS)
    for number, kind in enumerate([tumbling(10), count(4, 2), Session(3), Punctuation()]):
        running.add(Query(f"q{number}", kind, aggregate))
    for time in range(30):
        running.step([Event(time, Letter(0, time))])
    assert meter.lifts == 30
    assert len(list(running.key_states())) == 1


def test_what_only_a_removed_query_needed_is_released() -> None:
    running = InOrderSlicer(CUTTY_EAGER, IN_ORDER)
    running.add(Query("long", Sliding(100, 2), WORDS))
    running.add(Query("short", tumbling(5), WORDS))
    for time in range(60):
        running.step([Event(time, Letter(0, time))])
    assert running.slice_count() > 25
    running.remove("long")
    assert running.slice_count() <= 2
    running.remove("short")
    assert list(running.key_states()) == []
    with pytest.raises(InvalidInputError, match="no query 'short' to remove"):
        running.remove("short")
