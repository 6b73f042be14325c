"""User-defined windows in Scotty: right under disorder, and their tuples are evicted.

The machines here change the state that they are given, which is theirs while they run.
"""

import random
from dataclasses import dataclass
from typing import NoReturn

import pytest

from muntin.conformance.machines.random_choices import THIRDS, WORDS, Letter
from muntin.conformance.output_comparison import response_difference
from muntin.optimized.scotty.groups.in_order_group import InOrderGroup
from muntin.optimized.scotty.groups.tuple_group import TupleGroup
from muntin.optimized.scotty.operator import Scotty
from muntin.reference.specification import SpecificationOperator
from muntin.spec.dialect import Dialect
from muntin.spec.errors import UserCodeError
from muntin.spec.query import Mode, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.user_defined import UserTrigger, UserWindow


class EventCounter:
    """A state that machines change in place."""

    seen = 0


def counted(state: object) -> EventCounter:
    """Count an event in the state that was given."""
    counter = state if isinstance(state, EventCounter) else EventCounter()
    counter.seen += 1
    return counter


def by_threes(state: object, _: Event) -> tuple[object, int, int]:
    """Begin a window with the first of three events, and end it with the third."""
    counter = counted(state)
    return counter, int(counter.seen % 3 == 1), int(counter.seen % 3 == 0)


def by_pairs(state: object, _: Event) -> tuple[object, int, int]:
    """Begin a window with each event; it ends with the next but one."""
    counter = counted(state)
    return counter, 1, int(counter.seen > 2)


def evicting_machine(state: object, event: Event) -> tuple[object, int, int]:
    """Evict up to two events, sometimes more than there are; fire now and then."""
    number = event.value if isinstance(event.value, int) else 0
    return counted(state), number % 3, int(number % 4 == 0)


WINDOWS = [
    *(UserWindow(one, at) for one in (by_threes, by_pairs) for at in (COUNT, TIME, THIRDS)),
    UserTrigger(evicting_machine),
]
VARIANTS: list[tuple[int, Mode, Dialect]] = [
    (0, "accumulate-retract", Dialect()),
    (5, "discard", Dialect(closing=1)),
    (3, "final", Dialect(closing=-1)),
    (3, "accumulate", Dialect(count_order="arrival", late_update="next_watermark")),
    (2, "accumulate-retract", Dialect(lateness="window")),
]


def stream(rng: random.Random, ordered: int) -> list[Step]:
    """Steps of events of two keys, disordered unless ordered, and watermarks."""
    latest, letter, steps = 0, 0, list[Step]()
    for _ in range(25):
        events: list[Event] = []
        for _ in range(rng.choice([0, 1, 1, 3])):
            latest, letter = latest + rng.choice([0, 1, 2]), letter + 1
            time = latest - ordered * rng.choice([0, 0, 1, 4, 9])
            events.append(Event(time, Letter(rng.randint(0, 8), letter), rng.choice([None, "k"])))
        steps.append(Step(tuple(events), rng.choice([None, latest - rng.randint(-1, 5)])))
    return [*steps, Step((), END)]


@pytest.mark.parametrize(
    "window", WINDOWS, ids=lambda window: f"{window.name} of {window.measure.name}"
)
@pytest.mark.parametrize("ordered", [0, 1])
def test_windows_of_any_machine_are_those_of_the_denotation(
    window: UserWindow | UserTrigger, ordered: int
) -> None:
    evicted = result_count = sliced_in_order = 0
    for seed, (lateness, output, dialect) in enumerate(VARIANTS):
        settings = Settings(lateness, output, in_order=not ordered, dialect=dialect)
        both = Scotty(settings), SpecificationOperator(settings)
        for operator in both:
            operator.add(Query("q", window, WORDS))
        for step in stream(random.Random(seed), ordered):  # noqa: S311 - it need not be secret
            got, expected = (operator.take(step) for operator in both)
            assert not response_difference(expected, got)
            result_count += len(expected.results)
        (group,) = both[0].groups
        sliced_in_order += isinstance(group, InOrderGroup)  # then there is no tuple to evict
        if isinstance(group, TupleGroup):
            evicted += sum(
                operator.key_state.evicted_count for operator in group.key_groups.values()
            )
    assert result_count > 5
    assert evicted > 50 or (sliced_in_order and isinstance(window, UserWindow) and not ordered)


def test_a_machine_resumes_behind_evicted_tuples() -> None:
    operator = Scotty(Settings(10))
    operator.add(Query("time", UserWindow(by_threes, TIME), WORDS))
    operator.add(Query("ranks", UserWindow(by_pairs), WORDS))
    operator.add(Query("buffer", UserTrigger(last_five), WORDS))
    retained: list[int] = []
    for time in range(400):
        results = operator.step([Event(time, Letter(0, time))], time).results
        groups = [group for group in operator.groups if isinstance(group, TupleGroup)]
        retained += [len(group.key_groups[None].key_state.entries) for group in groups]
        if time > 20:
            assert [result.query for result in results if result.query != "buffer"] == (
                ["time", "ranks"] if time % 3 == 2 else ["ranks"]
            )
    assert len(retained) == 3 * 400
    assert max(retained) <= 10 + 1 + 5 + 1  # lateness, watermark, open windows, the event


def last_five(state: object, _: Event) -> tuple[object, int, int]:
    """Keep five events, and fire with each."""
    counter = counted(state)
    return counter, int(counter.seen > 5), 1


def test_a_tuple_stays_while_others_may_come_to_its_coordinate() -> None:
    both = Scotty(), SpecificationOperator()
    for operator in both:
        operator.add(Query("q", UserWindow(by_threes, THIRDS), WORDS))
    result_count = 0
    for time in (0, 4, 15, 17, 20, 24, 30, 31):
        got, expected = (
            operator.step([Event(time, Letter(0, time))], time + 1) for operator in both
        )
        assert not response_difference(expected, got)
        result_count += len(got.results)
    assert result_count == 2


def test_a_window_that_never_ends_needs_all_its_tuples() -> None:
    operator = Scotty(Settings())
    operator.add(Query("q", UserWindow(lambda state, _: (1, int(state is None), 0)), WORDS))
    for time in range(50):
        operator.step([Event(time, Letter(0, time))], time)
    (result,) = operator.step([], END).results
    assert result.value == tuple(range(50))


@pytest.mark.parametrize("window", [UserWindow, UserTrigger])
def test_a_machine_that_fails_behind_evicted_tuples_leaves_no_trace(
    window: type[UserWindow] | type[UserTrigger],
) -> None:
    def failing(state: object, event: Event) -> tuple[object, int, int]:
        counter = counted(state)
        if event.value == "bad":
            raise ZeroDivisionError
        return counter, 1, int(counter.seen > 1)

    operator, twin = Scotty(Settings(2)), Scotty(Settings(2))
    for target in (operator, twin):
        target.add(Query("q", window(failing), WORDS))
        for time in range(30):
            target.step([Event(time, Letter(0, time))], time)
    with pytest.raises(UserCodeError, match=r"query 'q', .*a user-defined window at Event.time=31"):
        operator.step([Event(30, Letter(0, 30)), Event(31, "bad")], 40)
    for step in (Step((Event(29, Letter(0, 99)), Event(33, Letter(0, 33))), 34), Step((), END)):
        assert not response_difference(twin.take(step), operator.take(step))


def test_an_end_without_a_window_is_numbered_from_the_first_window_on() -> None:
    def hasty(state: object, event: Event) -> tuple[object, int, int]:
        counter = counted(state)
        return counter, 1, 3 if event.value == "bad" else int(counter.seen > 1)

    operator = Scotty()
    operator.add(Query("q", UserWindow(hasty), WORDS))
    for time in range(40):
        operator.step([Event(time, Letter(0, time))], time)
    with pytest.raises(UserCodeError, match=r"window 41 ends at Event.time=40, .* not begun"):
        operator.step([Event(40, "bad")])
    (result,) = operator.step([Event(40, Letter(0, 40))], 41).results
    assert result.value == (39,)


@dataclass
class Pinned:
    """A state that holds something that exists once."""

    nth: int

    def __deepcopy__(self, _: object) -> NoReturn:
        """Refuse, as a lock or an open file does."""
        raise TypeError


def test_a_machine_whose_state_cannot_be_copied_sees_all_tuples_again() -> None:
    def pinned(state: object, _: Event) -> tuple[object, int, int]:
        nth = state.nth if isinstance(state, Pinned) else 0
        return Pinned(nth + 1), int(nth % 2 == 0), int(nth % 2 == 0 and nth > 0)

    both = Scotty(), SpecificationOperator()
    for operator in both:
        operator.add(Query("q", UserWindow(pinned), WORDS))
    for time in range(20):
        got, expected = (operator.step([Event(time, Letter(0, time))], time) for operator in both)
        assert not response_difference(expected, got)
    (group,) = both[0].groups
    assert isinstance(group, TupleGroup)
    assert len(group.key_groups[None].key_state.entries) == 20
