"""What fails half-way in a slicing operator: a step, an interruption, a query that goes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations

import pytest

from muntin.conformance.machines.random_choices import WORDS, Letter
from muntin.conformance.output_comparison import response_difference
from muntin.optimized.in_order.operator import InOrderSlicer
from muntin.optimized.in_order.technique import CUTTY_EAGER, CUTTY_LAZY, PAIRS, PANES, Technique
from muntin.reference.specification import SpecificationOperator
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.dialect import Dialect
from muntin.spec.errors import UnsupportedError, UserCodeError
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Rolling
from muntin.spec.windows.frames import Delta
from muntin.spec.windows.periodic import Sliding, tumbling
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import WindowType

IN_ORDER = Settings(in_order=True)


def but_seven(value: int) -> int:
    """Lift a value; it fails at 7."""
    if value == 7:
        raise ZeroDivisionError
    return value


SUM = Aggregate(
    "sum", but_seven, Monoid(0, int.__add__), int, commutative=True, kind="distributive"
).erase_types()


@pytest.mark.parametrize("technique", [PANES, PAIRS, CUTTY_LAZY, CUTTY_EAGER])
def test_a_step_that_fails_is_not_where_a_key_was_first_seen(technique: Technique) -> None:
    running, twin = InOrderSlicer(technique, IN_ORDER), SpecificationOperator(IN_ORDER)
    for operator in (running, twin):
        operator.add(Query("totals", tumbling(10), SUM))
    with pytest.raises(UserCodeError):
        running.step([Event(0, 1, "a"), Event(0, 7, "b")])
    for events in ([Event(1, 2, "b")], [Event(2, 3, "a")], [Event(10, 0)]):
        assert running.step(events) == twin.step(events)


def test_a_row_for_each_event_is_refused() -> None:
    by_event = Settings(in_order=True, dialect=Dialect(rows="event"))
    running = InOrderSlicer(CUTTY_EAGER, by_event)
    with pytest.raises(UnsupportedError, match=r"one window for the events of an instant.*rows"):
        running.add(Query("moving", Rolling(3), SUM))
    running.add(Query("totals", tumbling(10), SUM))


def test_a_value_far_from_the_first_of_its_own_instant_cuts_no_frame() -> None:
    running, twin = InOrderSlicer(CUTTY_EAGER, IN_ORDER), SpecificationOperator(IN_ORDER)
    for operator in (running, twin):
        operator.add(Query("frames", Delta(1), SUM))
    for events in ([Event(0, 0), Event(0, 9)], [Event(5, 0)], [Event(6, 9)]):
        assert running.step(events) == twin.step(events)


class Interruption(BaseException):
    """What is no Exception, such as Ctrl-C."""


def test_a_step_that_is_interrupted_leaves_no_trace() -> None:
    armed = [False]

    def combine(left: tuple[object, ...], right: tuple[object, ...]) -> tuple[object, ...]:
        if armed[0]:
            raise Interruption
        return left + right

    running, twin = InOrderSlicer(CUTTY_LAZY, IN_ORDER), SpecificationOperator(IN_ORDER)
    for operator in (running, twin):
        operator.add(Query("pairs", Sliding(6, 3), tuples_of(combine)))
        operator.step([Event(0, 1, "a"), Event(4, 2, "a")])
    armed[0] = True
    with pytest.raises(Interruption):
        running.step([Event(30, 3, "b")], 31)
    armed[0] = False
    for events in ([Event(4, 4, "a")], [Event(30, 5, "b")], [Event(60, 6)]):
        assert running.step(events) == twin.step(events)


Words = tuple[object, ...]


def one_word(value: object) -> Words:
    """Lift a value."""
    return (value,)


def tuples_of(combine: Callable[[Words, Words], Words]) -> Aggregate[object, object, object]:
    """Words that are combined in this way."""
    monoid = Monoid[Words]((), combine)
    words = Aggregate(
        "word", one_word, monoid, tuple[object, ...], commutative=False, kind="holistic"
    )
    return words.erase_types()


class FailingCombine:
    """A number of combines, behind which each one fails."""

    left = 10**9

    def combine(self, left: tuple[object, ...], right: tuple[object, ...]) -> tuple[object, ...]:
        self.left -= 1
        if self.left < 0:
            raise ZeroDivisionError
        return left + right

    def running(self, technique: Technique) -> InOrderSlicer:
        words = tuples_of(self.combine)
        self.left, operator = 10**9, InOrderSlicer(technique, IN_ORDER)
        for name, kind in (
            ("long", Sliding(100, 7)),
            ("short", Rolling(4)),
            ("third", Sliding(9, 3)),
        ):
            operator.add(Query(name, kind, words))
        for time in range(40):
            operator.step([Event(time, time)])
        return operator


@pytest.mark.parametrize("technique", [CUTTY_LAZY, CUTTY_EAGER])
@pytest.mark.parametrize("calls", [0, 1, 2, 4, 7])
def test_slices_that_cannot_be_joined_stay_as_they_are(technique: Technique, calls: int) -> None:
    fuse, other = FailingCombine(), FailingCombine()
    running, twin = fuse.running(technique), other.running(technique)
    fuse.left = calls
    with pytest.raises(UserCodeError, match=r"query '.*', .*: raised ZeroDivisionError"):
        running.take(Step((), 60))
    fuse.left = 10**9
    assert running.take(Step((), 60)) == twin.take(Step((), 60))


@pytest.mark.parametrize("technique", [CUTTY_LAZY, CUTTY_EAGER])
@pytest.mark.parametrize("names", [*permutations(["long", "short", "third"])])
def test_a_query_whose_slices_cannot_be_joined_can_be_removed(
    technique: Technique, names: Sequence[str]
) -> None:
    fuse, other = FailingCombine(), FailingCombine()
    running, twin = fuse.running(technique), other.running(technique)
    for last, name in enumerate(names, 61):
        fuse.left = 0
        for operator in (running, twin):
            operator.remove(name)
        fuse.left = 10**9
        step = Step((Event(last, 0), Event(last, 1)), last)
        assert not response_difference(twin.take(step), running.take(step))
    assert running.take(Step((Event(150, 1),), END)) == twin.take(Step((Event(150, 1),), END))


@pytest.mark.parametrize("name", ["long", "short", "third"])
@pytest.mark.parametrize("calls", range(3))
@pytest.mark.parametrize("technique", [CUTTY_LAZY, CUTTY_EAGER])
def test_what_only_a_removed_query_held_goes_though_it_could_not_be_joined(
    technique: Technique, calls: int, name: str
) -> None:
    fuse, other = FailingCombine(), FailingCombine()
    running, twin = fuse.running(technique), other.running(technique)
    fuse.left = calls
    for operator in (running, twin):
        operator.remove(name)
    fuse.left = 10**9
    for time in range(61, 400):
        step = Step((Event(time, 1),))
        assert not response_difference(twin.take(step), running.take(step))
    assert running.slice_count() == twin.slice_count()


@dataclass
class Seen:
    """How many events a machine has seen."""

    events: int = 0


def counting(state: object, event: Event) -> tuple[object, int, int]:
    """A machine that changes its state in place: every other event begins a window."""
    del event
    seen = state if isinstance(state, Seen) else Seen()
    seen.events += 1
    return seen, seen.events % 2, int(seen.events > 1 and seen.events % 2)


@pytest.mark.parametrize("kind", [UserWindow(counting), UserTrigger(counting)])
def test_what_a_machine_has_changed_in_place_is_put_back(kind: WindowType) -> None:
    running, twin = InOrderSlicer(CUTTY_LAZY, IN_ORDER), SpecificationOperator(IN_ORDER)
    for operator in (running, twin):
        operator.add(Query("turns", kind, SUM))
        operator.step([Event(1, 1)])
    with pytest.raises(UserCodeError):
        running.step([Event(3, 7)])
    for time in (4, 5, 6, 8):
        assert running.step([Event(time, time)]) == twin.step([Event(time, time)])


def test_a_state_that_cannot_be_copied_is_used_as_it_is() -> None:
    def machine(state: object, event: Event) -> tuple[object, int, int]:
        del event
        first = state is None
        return (iter(lambda: 0, 1) if first else state), 1, int(not first)

    running, twin = InOrderSlicer(CUTTY_LAZY, IN_ORDER), SpecificationOperator(IN_ORDER)
    for operator in (running, twin):
        operator.add(Query("turns", UserWindow(machine), WORDS))
    for time in range(4):
        events = [Event(time, Letter(0, time))]
        assert running.step(events) == twin.step(events)
