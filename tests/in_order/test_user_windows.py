"""Windows that users program, through the shared discretiser: correct, shared, safe if they fail.

Deterministic ones share slices with all others; those of trigger and eviction store records.
"""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from typing import get_args

import pytest

from muntin.conformance.machines.random_choices import WORDS, Letter
from muntin.conformance.output_comparison import response_difference
from muntin.optimized.in_order.operator import InOrderSlicer
from muntin.optimized.in_order.technique import CUTTY_EAGER, CUTTY_LAZY, Technique
from muntin.reference.specification import SpecificationOperator
from muntin.spec.cost import Meter
from muntin.spec.errors import UnsupportedError, UserCodeError
from muntin.spec.query import Mode, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import LastNEvery
from muntin.spec.windows.measure import COUNT, TIME, Measure, Timeline
from muntin.spec.windows.periodic import Sliding, tumbling
from muntin.spec.windows.user_defined import Machine, UserTrigger, UserWindow
from muntin.spec.windows.window import Interval, WindowType

IN_ORDER = Settings(in_order=True)
COARSE = Measure("thirds", lambda event: event.time // 3)
LOOSE = json.loads('{"none": null, "half": 0.5, "text": "1", "true": true}')
"""Values that no type checker has seen."""


def digit(event: Event) -> int:
    """The number that the value of an event is."""
    return event.value if isinstance(event.value, int) else 0


def at_will(state: object, event: Event) -> tuple[object, int, int]:
    """Begin up to two windows with an event, and end up to three, but never one too many."""
    held = state if isinstance(state, int) else 0
    ends = min(digit(event) // 3, held)
    begins = digit(event) % 3
    return held + begins - ends, begins, ends


def evicting(state: object, event: Event) -> tuple[object, int, int]:
    """Evict some records, sometimes more than there are, and fire now and then."""
    return state, digit(event) % 3, int(digit(event) % 4 == 0)


KINDS: list[WindowType] = [
    UserWindow(at_will),
    UserWindow(at_will, TIME),
    UserWindow(at_will, COARSE),
    UserTrigger(evicting),
    LastNEvery(3, 4),
    tumbling(5, 0, COARSE),
]


def trace(rng: random.Random, length: int = 30) -> list[Step]:
    """Steps of events in order, with ties, two keys, and watermarks ahead of them."""
    time, letter, steps = 0, 0, list[Step]()
    for _ in range(length):
        events: list[Event] = []
        for _ in range(rng.choice([0, 1, 1, 1, 3])):
            time, letter = time + rng.choice([0, 0, 1, 1, 3]), letter + 1
            events.append(Event(time, Letter(rng.randint(0, 11), letter), rng.choice([None, "k"])))
        steps.append(Step(tuple(events), rng.choice([None, None, None, time + 1, time + 4])))
    return [*steps, Step((), END)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.name} of {kind.measure.name}")
def test_windows_of_any_machine_and_measure_are_those_of_the_denotation(kind: WindowType) -> None:
    counts: dict[str, int] = {}
    for seed in range(20):
        rng = random.Random(seed)  # noqa: S311 - it need not be secret
        settings = Settings(rng.choice([0, 2, 9]), rng.choice(get_args(Mode)), in_order=True)
        running = [
            SpecificationOperator(settings),
            InOrderSlicer(CUTTY_LAZY, settings),
            InOrderSlicer(CUTTY_EAGER, settings),
        ]
        for operator in running:
            operator.add(Query("it", kind, WORDS))
            operator.add(Query("sliding", Sliding(6, 2), WORDS))
        for number, step in enumerate(trace(rng)):
            for operator in running if number == 8 else []:
                operator.add(Query("late", kind, WORDS))
            expected, *got = [operator.take(step) for operator in running]
            assert not any(response_difference(expected, output) for output in got)
            for result in expected.results:
                name = f"{result.query} {result.kind}"
                counts[name] = counts.get(name, 0) + 1
    assert counts["it new"] > 60
    assert counts["late new"] > 30


def raising_at_punctuation(state: object, event: Event) -> tuple[object, int, int]:
    """Fail at a punctuation."""
    if event.punctuation:
        raise ZeroDivisionError
    return state, 1, int(state is not None)


@pytest.mark.parametrize("technique", [CUTTY_LAZY, CUTTY_EAGER])
def test_a_step_that_fails_at_its_end_leaves_no_trace_of_its_beginning(
    technique: Technique,
) -> None:
    kinds = [*KINDS, Sliding(12, 1), Sliding(9, 4), UserWindow(raising_at_punctuation)]
    failed = 0
    for seed in range(6):
        settings = Settings(100, in_order=True)  # so that no event is late
        running, twin = InOrderSlicer(technique, settings), InOrderSlicer(technique, settings)
        for operator in (running, twin):
            for number, kind in enumerate(kinds):
                operator.add(Query(f"q{number}", kind, WORDS))
        for step in trace(random.Random(seed)):  # noqa: S311 - it need not be secret
            if step.events:
                last = replace(step.events[-1], punctuation=True)
                with pytest.raises(UserCodeError, match="query 'q8'"):
                    running.step([*step.events, last], step.watermark)
                failed += 1
            assert not response_difference(twin.take(step), running.take(step))
    assert failed > 100


def test_deterministic_windows_share_slices_and_the_others_store_records() -> None:
    meter = Meter()
    aggregate, sizes = meter.watch_aggregate(WORDS), list[int]()
    for kind in (UserWindow(every_tenth), UserTrigger(evicting_none)):
        running = InOrderSlicer(CUTTY_LAZY, IN_ORDER)
        running.add(Query("time", tumbling(10), aggregate))
        running.add(Query("own", kind, aggregate))
        for time in range(40):
            running.step([Event(time, Letter(0, time))])
        sizes.append(running.slice_count())
        assert len(list(running.key_states())) == 1
    assert meter.lifts == 2 * 40
    assert sizes == [1, 40]


def every_tenth(state: object, _: Event) -> tuple[object, int, int]:
    """Begin a window with every tenth event, and end the one before."""
    n = state if isinstance(state, int) else 0
    return n + 1, int(n % 10 == 0), int(n > 0 and n % 10 == 0)


def evicting_none(state: object, _: Event) -> tuple[object, int, int]:
    """Keep all, and never fire."""
    return state, 0, 0


def answering(answer: object, time: int = 7) -> Machine:
    """A machine that does nothing, but gives this answer at one event."""
    outputs: dict[bool, tuple[object, int, int]] = {False: (None, 0, 0), True: answer}  # type: ignore[dict-item]  # pyright: ignore[reportAssignmentType]  # nonsense is the point
    return lambda _, event: outputs[event.time == time]


NONSENSE: list[tuple[object, str]] = [
    (LOOSE["none"], "TypeError"),
    ((None, 1), "ValueError"),
    ((None, 1, 0, 0), "ValueError"),
    ((None, LOOSE["half"], 0), "a count must be an integer, not 0.5"),
    ((None, 0, LOOSE["text"]), "a count must be an integer, not '1'"),
    ((None, LOOSE["none"], 0), "a count must be an integer, not None"),
    ((None, LOOSE["true"], 0), "a count must be an integer, not True"),
]
WORSE: list[tuple[Callable[[Machine], WindowType], object, str]] = [
    (UserWindow, (None, -1, 0), "counts -1 and 0, below 0"),
    (UserWindow, (None, 0, -1), "counts 0 and -1, below 0"),
    (UserWindow, (None, 0, 1), "window 1 ends at Event"),
    (UserTrigger, (None, -1, 0), "evicts -1 records, below 0"),
    *((make, *row) for make in (UserWindow, UserTrigger) for row in NONSENSE),
]


@pytest.mark.parametrize("technique", [CUTTY_LAZY, CUTTY_EAGER])
@pytest.mark.parametrize(("make", "answer", "message"), WORSE)
def test_nonsense_of_a_machine_is_named_and_leaves_no_trace(
    technique: Technique, make: Callable[[Machine], WindowType], answer: object, message: str
) -> None:
    running, twin = InOrderSlicer(technique, IN_ORDER), InOrderSlicer(technique, IN_ORDER)
    for operator in (running, twin):
        operator.add(Query("good", Sliding(4, 2), WORDS))
        operator.add(Query("bad", make(answering(answer)), WORDS))
        operator.step([Event(3, Letter(0, 0))])
    with pytest.raises(UserCodeError) as raised:
        running.step([Event(6, Letter(0, 1)), Event(7, Letter(0, 2)), Event(8, Letter(0, 3))])
    assert "query 'bad'" in str(raised.value)
    assert "Event(time=7" in str(raised.value)
    assert message in str(raised.value)
    answers = 0
    for time in (6, 8, 9, 15):
        expected = twin.step([Event(time, Letter(0, time))])
        assert running.step([Event(time, Letter(0, time))]) == expected
        answers += len(expected.results)
    assert answers >= 4


class Odd(WindowType):
    """A type that slicing does not know."""

    context, type_name, measure = "FCF", "odd", COUNT

    def intervals(self, line: Timeline, /) -> list[Interval]:
        """One interval for each odd rank."""
        return [Interval(event.rank, event.rank + 1) for event in line.events if event.rank % 2]


class Wider(Sliding):
    """A type that is not quite what it is derived from."""


@pytest.mark.parametrize("kind", [Odd(), Wider(4, 2)])
def test_an_unknown_type_is_refused_and_the_operator_goes_on(kind: WindowType) -> None:
    running = InOrderSlicer(CUTTY_LAZY, IN_ORDER)
    running.add(Query("good", tumbling(5), WORDS))
    running.step([Event(1, Letter(0, 1))])
    with pytest.raises(UnsupportedError, match=r"query 'odd': slicing does not know the windows"):
        running.add(Query("odd", kind, WORDS))
    (result,) = running.step([Event(6, Letter(0, 6))]).results
    assert (result.query, result.value) == ("good", (1,))
    running.add(Query("odd", tumbling(5), WORDS))
