"""A call that is cut short is taken whole, not at all, or is noticed by the next call."""

import pickle
import threading
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from functools import partial
from random import Random

import numpy as np
import pytest

from muntin.atomicity import ConcurrentCallError, InterruptedStateError
from muntin.columnar.operator import ColumnarOperator
from muntin.conformance.machines.line_injection import LineInjection
from muntin.kernels.slicing.answered import Answered
from muntin.optimized.scotty.operator import Scotty
from muntin.registry.implementations import OPERATORS, STRUCTURES, OperatorEntry, StructureEntry
from muntin.snapshot import restore, snapshot
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.catalogue import named
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.errors import UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.structure import OutOfOrder
from muntin.spec.windows.data_driven import Punctuation, Session
from muntin.spec.windows.measure import COUNT
from muntin.spec.windows.periodic import Sliding, count, tumbling

LINES = 12
"""Lines of each call at which an exception is raised, drawn from all that it runs."""

SUM = Monoid(0, int.__add__, int.__sub__, int.__sub__)
SPECIAL = 7777
WINDOWS = [tumbling(4), Sliding(6, 3), Session(2), count(3), Session(2, COUNT), Punctuation()]
QUERIES = [Query(f"{window}", window, named("sum")) for window in WINDOWS]
STEPS = [
    Step((Event(1, 1), Event(2, 2, "b"), Event(2, 4)), 1),
    Step((Event(5, 8), Event(9, 16, punctuation=True)), 7),
    Step((Event(9, 32, "b"), Event(12, 64)), 11),
    Step((Event(15, 128), Event(19, 256, punctuation=True)), 18),
    Step((), END),
]


def operator_with_queries(entry: OperatorEntry) -> Operator:
    """An operator with those queries that it supports."""
    operator = entry.build(Settings(allowed_lateness=2, in_order=entry.in_order_only))
    for query in QUERIES:
        with suppress(UnsupportedError):
            operator.add(query)
    return operator


def drawn_lines(count: int, seed: int) -> list[int]:
    """Some of the lines of a call, its first and last among them."""
    few = Random(seed).sample(range(count), min(LINES, count))  # noqa: S311 - no secret
    return sorted({0, count - 2, count - 1, *few})


def outputs_after(operator: Operator, steps: list[Step]) -> list[Output]:
    """The outputs of further steps."""
    return [operator.take(step) for step in steps]


@pytest.mark.parametrize("entry", OPERATORS, ids=lambda entry: entry.name)
@pytest.mark.parametrize("at", range(len(STEPS)))
def test_a_step_that_is_cut_short_is_whole_or_noticed(entry: OperatorEntry, at: int) -> None:
    expected = outputs_after(operator_with_queries(entry), STEPS)
    counting, operator = LineInjection(-1), operator_with_queries(entry)
    outputs_after(operator, STEPS[:at])
    counting.run(lambda: operator.take(STEPS[at]))
    noticed = 0
    for line in drawn_lines(counting.count, at):
        operator = operator_with_queries(entry)
        outputs_after(operator, STEPS[:at])
        with pytest.raises(KeyboardInterrupt):
            LineInjection(line).run(partial(operator.take, STEPS[at]))
        try:
            assert outputs_after(operator, STEPS[at:]) == expected[at:], line
        except InterruptedStateError:
            noticed += 1
            with pytest.raises(InterruptedStateError, match="KeyboardInterrupt cut short a call"):
                snapshot(operator)
    assert noticed, "the last line of a call comes when its state is new"


def interrupt_last_line(call: Callable[[], object], again: Callable[[], object]) -> None:
    """Cut a call short at its last line; an equal one counts its lines."""
    counting = LineInjection(-1)
    counting.run(again)
    with pytest.raises(KeyboardInterrupt):
        LineInjection(counting.count - 1).run(call)


@pytest.mark.parametrize("entry", OPERATORS, ids=lambda entry: entry.name)
def test_a_restored_operator_goes_on(entry: OperatorEntry) -> None:
    operator, twin, other = (operator_with_queries(entry) for _ in range(3))
    before = snapshot(operator)
    interrupt_last_line(lambda: operator.take(STEPS[0]), lambda: other.take(STEPS[0]))
    with pytest.raises(InterruptedStateError, match="restore a snapshot"):
        operator.take(STEPS[0])
    restore(operator, before)
    assert outputs_after(operator, STEPS) == outputs_after(twin, STEPS)


Call = Callable[[OutOfOrder[int]], object]


def inserting(*pairs: tuple[int, int]) -> Call:
    """A call that inserts a pair, or several in one batch."""

    def call(structure: OutOfOrder[int]) -> object:
        if len(pairs) == 1:
            structure.insert(*pairs[0])
        else:
            structure.bulk_insert(pairs)
        return None

    return call


def evicting(time: int, *, bulk: bool = False) -> Call:
    """A call that evicts a time, or all up to it."""

    def call(structure: OutOfOrder[int]) -> object:
        if bulk:
            structure.bulk_evict(time)
        else:
            structure.evict(time)
        return None

    return call


def query(structure: OutOfOrder[int]) -> object:
    """Read all that every structure shows."""
    return structure.query(), list(structure.items()), len(structure), structure.youngest()


def in_order_calls() -> list[Call]:
    """Calls that every structure takes, in order and first-in-first-out."""
    inserts = [inserting((time, 1 << time)) for time in range(1, 10)]
    queried = [call for insert in inserts for call in (insert, query)]
    evicts = [evicting(1), query, evicting(4, bulk=True)]
    return [
        *queried,
        *evicts,
        inserting((10, 1), (11, 2), (12, 4)),
        query,
        evicting(11, bulk=True),
        query,
    ]


def answers(structure: OutOfOrder[int], calls: list[Call]) -> list[object]:
    """What the calls return."""
    return [call(structure) for call in calls]


@pytest.mark.parametrize("entry", STRUCTURES, ids=lambda entry: entry.name)
def test_a_call_of_a_structure_that_is_cut_short_is_whole_or_noticed(entry: StructureEntry) -> None:
    calls, noticed = in_order_calls(), 0
    expected = answers(entry.build(SUM), calls)
    for at in Random(7).sample(range(len(calls)), 9):  # noqa: S311 - no secret
        counting, counted = LineInjection(-1), entry.build(SUM)
        answers(counted, calls[:at])
        counting.run(partial(calls[at], counted))
        for line in drawn_lines(counting.count, at):
            structure = entry.build(SUM)
            answers(structure, calls[:at])
            with pytest.raises(KeyboardInterrupt):
                LineInjection(line).run(partial(calls[at], structure))
            try:
                assert answers(structure, calls[at:]) == expected[at:], (at, line)
            except InterruptedStateError:
                noticed += 1
    assert noticed


@pytest.mark.parametrize("entry", STRUCTURES, ids=lambda entry: entry.name)
@pytest.mark.parametrize("failing", range(1, 12))
def test_a_combine_that_raises_never_leads_to_a_wrong_answer(
    entry: StructureEntry, failing: int
) -> None:
    left = [failing]

    def combine(a: int, b: int) -> int:
        left[0] -= 1
        if not left[0]:
            raise ValueError("no")
        return a + b

    expected = answers(entry.build(SUM), in_order_calls())
    structure = entry.build(Monoid(0, combine, int.__sub__, int.__sub__))
    with suppress(InterruptedStateError):
        for call, value in zip(in_order_calls(), expected, strict=True):
            try:
                answer = call(structure)
            except ValueError:
                answer = call(structure)
            assert answer == value
    assert left[0] <= 0, "it has raised"


def test_another_thread_is_refused_during_a_call() -> None:
    operator, inside, refusals = Scotty(), threading.Event(), list[BaseException]()
    finished = threading.Event()

    def lift(value: int) -> int:
        if value == SPECIAL:
            inside.set()
            finished.wait(20)
        return value

    slow = Aggregate("slow", lift, Monoid(0, int.__add__), int, True, "distributive")  # noqa: FBT003
    operator.add(Query("w", tumbling(10), slow.erase_types()))

    def call() -> None:
        inside.wait(20)
        try:
            operator.take(Step((Event(2, 2),)))
        except ConcurrentCallError as error:
            refusals.append(error)
        finished.set()

    other = threading.Thread(target=call)
    other.start()
    operator.take(Step((Event(1, SPECIAL),)))
    other.join()
    assert [str(error) for error in refusals] == [
        "another thread is in a call of this Scotty; let one thread at a time call it"
    ]
    assert [result.value for result in operator.take(Step((), END)).results] == [SPECIAL]


def test_a_lack_of_memory_is_no_user_code_error() -> None:
    lacks_memory = [True]

    def lift(value: int) -> int:
        if lacks_memory[0] and value == SPECIAL:
            raise MemoryError
        return value

    operator = Scotty()
    greedy = Aggregate("greedy", lift, Monoid(0, int.__add__), int, True, "distributive")  # noqa: FBT003
    operator.add(Query("w", tumbling(10), greedy.erase_types()))
    with pytest.raises(MemoryError):
        operator.take(Step((Event(1, SPECIAL),)))
    lacks_memory[0] = False
    assert [result.value for result in operator.take(Step((Event(1, SPECIAL),), END)).results] == [
        SPECIAL
    ]


@pytest.mark.parametrize("entry", [e for e in OPERATORS if e.carry], ids=lambda entry: entry.name)
def test_a_deep_copy_and_its_original_are_independent(entry: OperatorEntry) -> None:
    operator, twin = operator_with_queries(entry), operator_with_queries(entry)
    assert outputs_after(operator, STEPS[:2]) == outputs_after(twin, STEPS[:2])
    copied = deepcopy(operator)
    expected = outputs_after(twin, STEPS[2:])
    assert outputs_after(operator, STEPS[2:]) == expected
    assert outputs_after(copied, STEPS[2:]) == expected


def test_a_pickle_is_refused_with_the_remedy() -> None:
    with pytest.raises(TypeError, match=r"a Scotty cannot be pickled: write operator.snapshot\(\)"):
        pickle.dumps(Scotty())


def test_a_step_of_columns_that_is_cut_short_is_whole_or_noticed() -> None:
    batches = [(np.array([1, 2, 2]), 1), (np.array([5, 9, 9, 12]), 11), (np.array([15, 19]), 30)]

    def build(at: int) -> ColumnarOperator:
        operator = ColumnarOperator(Settings(allowed_lateness=2))
        for query in (Query("w", tumbling(4), named("sum")), Query("s", Session(2), named("max"))):
            operator.add(query)
        for times, watermark in batches[:at]:
            operator.take_columns(times, times, None, watermark)
        return operator

    def take(operator: ColumnarOperator, at: int) -> Answered:
        times, watermark = batches[at]
        return operator.take_columns(times, times, None, watermark)

    def results_from(operator: ColumnarOperator, at: int) -> list[object]:
        return [take(operator, k).results() for k in range(at, len(batches))]

    for at in range(len(batches)):
        expected = results_from(build(at), at)
        counting, counted = LineInjection(-1), build(at)
        counting.run(partial(take, counted, at))
        for line in drawn_lines(counting.count, at):
            operator = build(at)
            with pytest.raises(KeyboardInterrupt):
                LineInjection(line).run(partial(take, operator, at))
            with suppress(InterruptedStateError):
                assert results_from(operator, at) == expected, (at, line)
