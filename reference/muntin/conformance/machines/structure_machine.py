"""Run one structure in lockstep with the plain value that it stands for, over the free monoid.

Each inserted value is a letter never used before, so that agreement here implies agreement in
every monoid. Each fact of the simulation relation and each bound is checked after every call.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from muntin.spec.algebra.monoid import FREE, Monoid, Word
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.structure import OutOfOrder, TimedWindow

Build = Callable[[Monoid[Word], Meter], OutOfOrder[Word]]
Arrival = Literal["any order", "in-order inserts", "fifo"]

ANY = st.integers(0, 10**6)
"""A number, taken modulo the number of options."""

FLAGS = ("evict any", "evict youngest", "again", "far", "bulk")
"""Features drawn once for each run: leaving some out lets the others reach further."""


class Alphabet(NamedTuple):
    """The inserted values: letters of a monoid in which different words are different."""

    monoid: Monoid[Word]
    letter: Callable[[int], Word]


def _letter(number: int) -> Word:
    return (number,)


LETTERS = Alphabet(FREE, _letter)
"""The free monoid. A structure of numbers is given another, which distinguishes words by hash."""


class StructureMachine(RuleBasedStateMachine):
    """Random calls on a structure, checked against a TimedWindow."""

    def __init__(
        self,
        build: Build,
        arrival: Arrival = "any order",
        *,
        worst_case: bool,
        alphabet: Alphabet = LETTERS,
    ) -> None:
        """Test what `build` makes with the calls it accepts; a worst case bounds each call."""
        super().__init__()
        self.meter, self.alphabet = Meter(), alphabet
        self.target = build(self.meter.watch(alphabet.monoid), self.meter)
        self.window = TimedWindow(alphabet.monoid)
        self.arrival, self.worst_case = arrival, worst_case
        self.letters, self.features = 0, dict.fromkeys(FLAGS, True)
        self.total_cost, self.total_bound = Cost(0, 0), Cost(0, 0)

    @property
    def times(self) -> list[int]:
        """The times in the window, oldest first."""
        return [time for time, _ in self.window.pairs]

    @property
    def out_of_order(self) -> bool:
        """Whether the target accepts inserts anywhere."""
        return self.arrival == "any order"

    @property
    def fifo(self) -> bool:
        """Whether the target can evict its oldest item only."""
        return self.arrival == "fifo"

    @initialize(
        on=st.fixed_dictionaries({flag: st.booleans() for flag in FLAGS}),
        warm=st.sampled_from([0, 0, 4, 8, 20, 40, 70]),
    )
    def start(self, on: dict[str, bool], warm: int) -> None:
        """Draw the features of this run, and how large the window is at first."""
        self.features = on
        for k in range(warm):
            self.insert_at(10 * k)

    def letter(self) -> Word:
        """A letter never used before."""
        self.letters += 1
        return self.alphabet.letter(self.letters)

    def distance(self, time: int) -> int:
        """How many items lie between this time and the nearer end of the window."""
        return min(sum(t < time for t in self.times), sum(t > time for t in self.times))

    def describe_call(self, name: str, *places: int, items: int = 1) -> Operation:
        """Describe a call that is about to be made."""
        return Operation(name, len(self.times), items, tuple(self.distance(t) for t in places))

    def check_cost(self, operation: Operation) -> None:
        """Compare the cost of the call with its bound."""
        now, bound = self.meter.cost(), self.target.bound(operation)
        cost = Cost(now.combines - self.total_cost.combines, now.visits - self.total_cost.visits)
        self.total_bound = Cost(
            self.total_bound.combines + bound.combines, self.total_bound.visits + bound.visits
        )
        if self.worst_case:
            assert cost.is_within(bound), (operation, cost, bound)
        assert now.is_within(self.total_bound), (operation, now, self.total_bound)
        counts = self.meter.combines, self.meter.visits
        self.check()
        self.meter.combines, self.meter.visits = counts
        self.total_cost = now

    def check(self) -> None:
        """Compare all observable state and every invariant, without counting the cost."""
        for fact, holds in self.target.invariants(self.window.pairs):
            assert holds, fact
        assert len(self.target) == len(self.times)
        assert self.target.oldest() == self.window.oldest()
        assert self.target.youngest() == self.window.youngest()
        assert list(self.target.items()) == list(self.window.pairs)

    def insert_at(self, time: int) -> None:
        """Insert a new letter on both sides."""
        operation, letter = self.describe_call("insert", time), self.letter()
        self.target.insert(time, letter)
        self.window = self.window.insert(time, letter)
        self.check_cost(operation)

    def evict_at(self, time: int) -> None:
        """Evict on both sides."""
        operation = self.describe_call("evict", time)
        self.target.evict(time)
        self.window = self.window.evict(time)
        self.check_cost(operation)

    @rule(step=st.integers(1, 3))
    def insert_youngest(self, step: int) -> None:
        """Insert in order."""
        self.insert_at(max(self.times, default=0) + step)

    @precondition(lambda self: self.out_of_order)
    @rule(back=st.integers(-3, 30))
    def insert_near(self, back: int) -> None:
        """Insert a little out of order."""
        self.insert_at(max(self.times, default=0) - back)

    @precondition(lambda self: self.out_of_order and self.features["far"])
    @rule(time=st.integers(-50, 800))
    def insert_far(self, time: int) -> None:
        """Insert anywhere."""
        self.insert_at(time)

    @precondition(lambda self: not self.fifo and self.features["again"] and self.times)
    @rule(pick=ANY)
    def insert_again(self, pick: int) -> None:
        """Insert at a time that is already there; in order, at the youngest."""
        self.insert_at(self.times[pick % len(self.times) if self.out_of_order else -1])

    @precondition(lambda self: self.times)
    @rule()
    def evict_oldest(self) -> None:
        """Evict in order."""
        self.evict_at(self.times[0])

    @precondition(lambda self: not self.fifo and self.features["evict any"] and self.times)
    @rule(pick=ANY)
    def evict_any(self, pick: int) -> None:
        """Evict out of order."""
        self.evict_at(self.times[pick % len(self.times)])

    @precondition(lambda self: not self.fifo and self.features["evict youngest"] and self.times)
    @rule()
    def evict_youngest(self) -> None:
        """Evict what came last."""
        self.evict_at(self.times[-1])

    @rule(time=st.integers(-60, 900))
    def evict_nothing(self, time: int) -> None:
        """Evict a time that is not there."""
        if time not in self.times:
            self.evict_at(time)

    @precondition(lambda self: self.features["bulk"])
    @rule(steps=st.lists(st.integers(0, 4), max_size=40), back=st.integers(0, 200))
    def bulk_insert(self, steps: list[int], back: int) -> None:
        """Insert a sorted batch, in part onto times that are already there."""
        if not self.out_of_order:
            back, steps = -1, [step + 1 for step in steps]
        first = max(self.times, default=0) - back
        batch = [(first + sum(steps[:k]), self.letter()) for k in range(1, len(steps) + 1)]
        operation = self.describe_call("bulk_insert", *(t for t, _ in batch), items=len(batch))
        self.target.bulk_insert(batch)
        self.window = self.window.bulk_insert(batch)
        self.check_cost(operation)

    @precondition(lambda self: self.features["bulk"])
    @rule(pick=ANY, nudge=st.integers(-1, 1))
    def bulk_evict(self, pick: int, nudge: int) -> None:
        """Evict a prefix: at, just before or just after some time."""
        up_to = (self.times[pick % len(self.times)] if self.times else 0) + nudge
        evicted = sum(time <= up_to for time in self.times)
        operation = self.describe_call("bulk_evict", up_to, items=evicted)
        self.target.bulk_evict(up_to)
        self.window = self.window.bulk_evict(up_to)
        self.check_cost(operation)

    @precondition(lambda self: not self.fifo)
    @rule(first=st.integers(-60, 900), size=st.integers(-2, 900))
    def query_range(self, first: int, size: int) -> None:
        """Query a range, which may be empty or reversed."""
        last = first + size
        within = sum(first <= time <= last for time in self.times)
        operation = self.describe_call("query_range", first, last, items=within)
        assert self.target.query_range(first, last) == self.window.query_range(first, last)
        self.check_cost(operation)

    @invariant()
    def answers_as_the_definition_does(self) -> None:
        """The window has the right fold, within the bound."""
        operation = self.describe_call("query", items=len(self.times))
        assert self.target.query() == self.window.query()
        self.check_cost(operation)


def structure_machine(
    build: Build, arrival: Arrival = "any order", *, worst_case: bool, alphabet: Alphabet = LETTERS
) -> type[StructureMachine]:
    """The machine for one structure, ready for Hypothesis to run."""

    class StructureMachineUnderTest(StructureMachine):
        def __init__(self) -> None:
            super().__init__(build, arrival, worst_case=worst_case, alphabet=alphabet)

    return StructureMachineUnderTest
