"""Drive one operator beside the denotation, over the free monoid, and compare every answer."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from hypothesis.strategies import SearchStrategy

from muntin.conformance.machines.strategies import (
    BAGS,
    BASES,
    NARROW_BASES,
    WORDS,
    EdgeCaseTimes,
    Letter,
    QueryDraft,
    corners,
    drafts,
    periodic,
    settings,
    window_types,
)
from muntin.reference.specification import SpecificationOperator
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.window import WindowType

Carry = Callable[[Operator, Operator], None]
"""Let a new operator, made alike and asking the same queries, go on where an old one is."""
Kinds = Callable[[int], SearchStrategy[WindowType]]
"""Given where the times of a run lie, the window types to ask for."""


class OperatorMachine(RuleBasedStateMachine):
    """Random steps and queries, taken by an operator and by the denotation."""

    accepted: ClassVar[int] = 0
    """Over all runs, the queries that the target took on: none would prove nothing."""
    answered: ClassVar[int] = 0
    """Over all runs, the results on which both agree."""

    bases: ClassVar[SearchStrategy[int]] = BASES
    """Where the times of a run lie."""

    def __init__(
        self,
        build: Callable[[Settings], Operator],
        carry: Carry | None = None,
        *,
        ordered: bool = False,
        kinds: Kinds = window_types,
        aggregates: Sequence[Aggregate[object, object, object]] = (WORDS, BAGS),
    ) -> None:
        """Say what is tested, how it is carried over, and whether it needs streams in order.

        Each query takes the first of the aggregates that the operator accepts with it. Values are
        small integers.
        """
        super().__init__()
        self.build, self.carry, self.ordered = build, carry, ordered
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

    def ask(self, kind: WindowType) -> bool:
        """Ask a query in the strongest aggregate that the target accepts; it may accept none."""
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
        """Return a value that windows may look at, and that tells its event from all others."""
        return Letter(number, self.letters)

    def at(self, corner: EdgeCaseTimes) -> int:
        """Resolve a corner."""
        world = self.oracle.world
        return corner.at(self.base, world.watermark, world.limit, world.seen)

    def event(self, draft: QueryDraft) -> Event:
        """Make an event with a letter of its own."""
        self.letters += 1
        value = self.value(draft.number)
        return Event(self.at(draft.corner), value, draft.key, draft.gap, draft.punctuation)

    def both(self, events: list[Event], watermark: float | None) -> None:
        """Take a step on both sides, and compare: also the errors."""
        if self.oracle.world.settings.in_order and events:
            events = sorted(map(self.in_order, events), key=lambda event: event.time)
        step = Step(tuple(events), watermark)
        note(f"step {step}")
        wanted, got = self.answer(self.oracle, step), self.answer(self.target, step)
        self.moved = True
        assert got == wanted, f"\n got {got}\nwant {wanted}"
        type(self).answered += len(wanted.results) if isinstance(wanted, Output) else 0

    def in_order(self, event: Event) -> Event:
        """Delay most events that would break the order: the others are errors on both sides."""
        seen = self.oracle.world.seen
        breaks = event.time < seen and self.letters % 8
        return replace(event, time=int(seen) + event.time % 3) if breaks else event

    @staticmethod
    def answer(operator: Operator, step: Step) -> Output | str:
        """Return the output, or the kind of error."""
        try:
            return operator.take(step)
        except InvalidInputError as error:
            return type(error).__name__

    @rule(draft=drafts())
    def take_event(self, draft: QueryDraft) -> None:
        """Process a tuple at a time."""
        self.both([self.event(draft)], None)

    @rule(batch=st.lists(drafts(), max_size=6), corner=st.one_of(st.none(), corners()))
    def take_batch(self, batch: list[QueryDraft], corner: EdgeCaseTimes | None) -> None:
        """Process a micro-batch, with or without a watermark."""
        watermark = self.at(corner) if corner else None
        self.both([self.event(draft) for draft in batch], watermark)

    @rule(corner=corners())
    def take_watermark(self, corner: EdgeCaseTimes) -> None:
        """Raise the watermark, or try to lower it."""
        self.both([], self.at(corner))

    @rule(data=st.data())
    def add_query(self, data: st.DataObject) -> None:
        """Ask a query, perhaps in the middle of the stream: if it is refused, a plainer one."""
        kind = data.draw(self.kinds(self.base))
        if not self.ask(kind):
            if self.kinds is not window_types:
                self.must_take(kind)
            self.ask(data.draw(periodic(self.base)))

    def must_take(self, kind: WindowType) -> None:
        """Fail if an operator refuses what it is tested for under plain settings."""
        plain = self.build(Settings(in_order=self.ordered))
        plain.add(Query("plain", kind, self.aggregates[-1]))

    @precondition(lambda self: self.oracle.world.asked)
    @rule(pick=st.integers(0, 100))
    def remove_query(self, pick: int) -> None:
        """Ask some query no more."""
        asked = self.oracle.world.asked
        name = asked[pick % len(asked)].query.id
        note(f"remove {name}")
        self.oracle.remove(name)
        self.target.remove(name)
        self.moved = True

    @precondition(lambda self: self.carry and self.moved)
    @rule(times=st.sampled_from([1, 1, 1, 1, 1, 2]))
    def carry_over(self, times: int) -> None:
        """Let a new operator take the place of the one under test, say by way of a snapshot.

        Seldom at once again: who was just restored may be restored too.
        """
        if self.carry:
            for _ in range(times):
                self.target = self.renewed(self.carry)
        self.moved = False

    def renewed(self, carry: Carry) -> Operator:
        """Return a new operator that goes on where the one under test is."""
        new = self.build(self.oracle.world.settings)
        for asked in self.oracle.world.asked:
            new.add(asked.query)
        note("carry over")
        carry(self.target, new)
        return new

    def teardown(self) -> None:
        """End the stream."""
        self.both([], END)


def operator_machine(  # noqa: PLR0913 - each says one thing of the machine
    build: Callable[[Settings], Operator],
    carry: Carry | None = None,
    *,
    ordered: bool = False,
    kinds: Kinds = window_types,
    aggregates: Sequence[Aggregate[object, object, object]] = (WORDS, BAGS),
    narrow: bool = False,
) -> type[OperatorMachine]:
    """Return the machine for one operator, ready for Hypothesis to run.

    It asks for every window type over the free monoid, or for what one would rather have tested.
    If it is narrow, all times fit into 64 bits.
    """

    class Machine(OperatorMachine):
        bases = NARROW_BASES if narrow else BASES

        def __init__(self) -> None:
            super().__init__(build, carry, ordered=ordered, kinds=kinds, aggregates=aggregates)

    return Machine
