"""Run one operator in lockstep with the denotation, over the free monoid; compare every output."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from hypothesis.strategies import SearchStrategy

from muntin.conformance.machines.random_choices import (
    BAGS,
    WORDS,
    EdgeCaseTimes,
    EventDraft,
    Letter,
)
from muntin.conformance.machines.strategies import (
    BASES,
    NARROW_BASES,
    corners,
    drafts,
    periodic,
    settings,
    window_types,
)
from muntin.conformance.output_comparison import Response, response_difference
from muntin.reference.specification import SpecificationOperator
from muntin.spec.algebra.aggregate import AnyAggregate
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.window import WindowType

StateTransfer = Callable[[Operator, Operator], None]
"""Moves the state of the first operator to the second, new one of the same settings and queries."""
Kinds = Callable[[int], SearchStrategy[WindowType]]
"""The window types to test, given where the times of a run lie."""


class OperatorMachine(RuleBasedStateMachine):
    """Random steps and queries, given to an operator and to the denotation."""

    accepted: ClassVar[int] = 0
    """Over all runs, the queries that the target supports: none would prove nothing."""
    answered: ClassVar[int] = 0
    """Over all runs, the results on which both agree."""

    bases: ClassVar[SearchStrategy[int]] = BASES
    """Where the times of a run lie."""

    def __init__(
        self,
        build: Callable[[Settings], Operator],
        transfer: StateTransfer | None = None,
        *,
        ordered: bool = False,
        kinds: Kinds = window_types,
        aggregates: Sequence[AnyAggregate] = (WORDS, BAGS),
    ) -> None:
        """Test what `build` makes; `transfer` moves its state; `ordered` makes streams in order.

        Each query has the first of the aggregates that the operator supports with its window type.
        Values are small integers.
        """
        super().__init__()
        self.build, self.transfer, self.ordered = build, transfer, ordered
        self.kinds, self.aggregates = kinds, aggregates
        self.letters = self.names = 0
        self.base = 0
        self.moved = False
        self.oracle = SpecificationOperator()
        self.target: Operator = SpecificationOperator()

    @initialize(data=st.data())
    def start(self, data: st.DataObject) -> None:
        """Draw the settings of the run, and its first queries."""
        base = data.draw(self.bases)
        chosen = data.draw(settings(ordered=self.ordered))
        self.base = base
        self.oracle, self.target = SpecificationOperator(chosen), self.build(chosen)
        note(f"settings {chosen}")
        for _ in range(data.draw(st.integers(1, 3))):
            self.add_query(data)

    def try_add(self, kind: WindowType) -> bool:
        """Add a query with the strongest aggregate that the target supports, if any."""
        for aggregate in self.aggregates:
            query = Query(f"q{self.names}", kind, aggregate)
            try:
                self.target.add(query)
            except UnsupportedError:
                continue
            self.names += 1
            type(self).accepted += 1
            self.oracle.add(query)
            self.moved = True
            note(f"add {query.id} = {kind} of {aggregate.name}")
            return True
        return False

    def value(self, number: int) -> object:
        """A value that windows may look at, different for each event."""
        return Letter(number, self.letters)

    def time_at(self, corner: EdgeCaseTimes) -> int:
        """The time that a corner stands for in the present state."""
        history = self.oracle.history
        return corner.at(self.base, history.watermark, history.limit, history.latest_time)

    def event(self, draft: EventDraft) -> Event:
        """Make an event with a letter of its own."""
        self.letters += 1
        value = self.value(draft.number)
        return Event(self.time_at(draft.corner), value, draft.key, draft.gap, draft.punctuation)

    def compare_step(self, events: list[Event], watermark: float | None) -> None:
        """Process a step on both sides, and compare the outputs, or the errors."""
        if self.oracle.history.settings.in_order and events:
            events = sorted(map(self.mostly_in_order, events), key=lambda event: event.time)
        step = Step(tuple(events), watermark)
        note(f"step {step}")
        expected, actual = self.response(self.oracle, step), self.response(self.target, step)
        self.moved = True
        difference = response_difference(expected, actual)
        assert not difference, difference
        type(self).answered += len(expected.results) if isinstance(expected, Output) else 0

    def mostly_in_order(self, event: Event) -> Event:
        """Delay most events that would break the order: the others are errors on both sides."""
        latest = self.oracle.history.latest_time
        breaks = event.time < latest and self.letters % 8
        return replace(event, time=int(latest) + event.time % 3) if breaks else event

    @staticmethod
    def response(operator: Operator, step: Step) -> Response:
        """The output, or the kind of error."""
        try:
            return operator.take(step)
        except InvalidInputError as error:
            return type(error).__name__

    @rule(draft=drafts())
    def take_event(self, draft: EventDraft) -> None:
        """Process a tuple at a time."""
        self.compare_step([self.event(draft)], None)

    @rule(batch=st.lists(drafts(), max_size=6), corner=st.one_of(st.none(), corners()))
    def take_batch(self, batch: list[EventDraft], corner: EdgeCaseTimes | None) -> None:
        """Process a micro-batch, with or without a watermark."""
        watermark = self.time_at(corner) if corner else None
        self.compare_step([self.event(draft) for draft in batch], watermark)

    @rule(corner=corners())
    def take_watermark(self, corner: EdgeCaseTimes) -> None:
        """Raise the watermark, or try to lower it."""
        self.compare_step([], self.time_at(corner))

    @rule(data=st.data())
    def add_query(self, data: st.DataObject) -> None:
        """Add a query, perhaps in mid-stream; if it is not supported, a periodic one.

        An operator must support, under default settings, what it is tested for.
        """
        kind = data.draw(self.kinds(self.base))
        if not self.try_add(kind):
            if self.kinds is not window_types:
                plain = Settings(in_order=self.ordered)
                self.build(plain).add(Query("plain", kind, self.aggregates[-1]))
            self.try_add(data.draw(periodic(self.base)))

    @precondition(lambda self: self.oracle.history.queries)
    @rule(pick=st.integers(0, 100))
    def remove_query(self, pick: int) -> None:
        """Remove some query."""
        queries = self.oracle.history.queries
        name = queries[pick % len(queries)].query.id
        note(f"remove {name}")
        self.oracle.remove(name)
        self.target.remove(name)
        self.moved = True

    @precondition(lambda self: self.transfer and self.moved)
    @rule(times=st.sampled_from([1, 1, 1, 1, 1, 2]))
    def transfer_state(self, times: int) -> None:
        """Replace the operator under test by a new one that has its state, say from a snapshot.

        Seldom twice: an operator that was just restored can be restored too.
        """
        if self.transfer:
            for _ in range(times):
                self.target = self.successor(self.transfer)
        self.moved = False

    def successor(self, transfer: StateTransfer) -> Operator:
        """A new operator that has the state of the one under test."""
        new = self.build(self.oracle.history.settings)
        for registered in self.oracle.history.queries:
            new.add(registered.query)
        note("transfer the state")
        transfer(self.target, new)
        return new

    def teardown(self) -> None:
        """End the stream."""
        self.compare_step([], END)


def operator_machine(  # noqa: PLR0913 - each is one choice about the machine
    build: Callable[[Settings], Operator],
    transfer: StateTransfer | None = None,
    *,
    ordered: bool = False,
    kinds: Kinds = window_types,
    aggregates: Sequence[AnyAggregate] = (WORDS, BAGS),
    narrow: bool = False,
) -> type[OperatorMachine]:
    """The machine for one operator, ready for Hypothesis to run.

    It tests every window type over the free monoid, unless `kinds` or `aggregates` say otherwise.
    If it is narrow, all times fit into 64 bits.
    """

    class OperatorMachineUnderTest(OperatorMachine):
        bases = NARROW_BASES if narrow else BASES

        def __init__(self) -> None:
            super().__init__(build, transfer, ordered=ordered, kinds=kinds, aggregates=aggregates)

    return OperatorMachineUnderTest
