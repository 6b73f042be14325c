"""Every state that a structure can reach while its window is no larger than the scope allows.

The exploration starts with the empty structure, makes every call of `calls.py` on a copy of each
state, and continues from each new state. Two states are one if they are equal in *every* field
(`object_state.py`), up to the names of letters and up to the distances between times.

Why one of them is enough: structures only combine values and only compare times
(proofs/parametric), so they behave the same under any renaming of letters and any change of times
that keeps their order. Nothing else is left out: the fields of a state are all of its fields, so
two states that are one answer every later call alike, however weak `invariants` is. That
`invariants` pins every field, so that a shape and a window determine a tree, is its own finding
(`corrupted_states.py`).

What is checked: in each state, the invariants, `items` and the ends, the query and every range; for
each call, that the state it leads to is one already checked, or else all of that; that the window
is the one of the definition; where the bound holds for each call, the cost; and for structures that
promise it, that a call in which a combine raises leaves the window as it was. A state beyond the
scope is checked, but no call is made on it.
"""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from exhaustive.object_state import ObjectForm, fork, object_form
from exhaustive.states.calls import LETTERS, TimePlaces, WindowCall, changes, ranges
from exhaustive.states.fuse import NEVER, BlownError, CombineFuse
from muntin.registry.implementations import Arrival
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.structure import OutOfOrder, TimedWindow

Structure = OutOfOrder[str]
State = tuple[Structure, TimedWindow[str]]
Build = Callable[[Monoid[str], Meter], Structure]


def any_state(_: Structure) -> bool:
    """Accept every state."""
    return True


def same_state(structure: Structure) -> Structure:
    """Leave a state as it is."""
    return structure


def no_times(_: Structure) -> list[int]:
    """The times of a structure that stores only those of its items."""
    return []


@dataclass(frozen=True)
class StateScope:
    """The scope of an exploration: a structure, and windows of at most `largest` items.

    `blot` overwrites what a structure stores and must not read, `other_times` are the times that it
    stores besides those of its items.
    """

    build: Build
    arrival: Arrival
    largest: int
    pairs_up_to: int = 0
    bound: Callable[[Structure, Operation], Cost] | None = None  # of each call by itself
    has_ranges: bool = True  # whether it answers range queries
    is_within: Callable[[Structure], bool] = any_state
    blot: Callable[[Structure], Structure] = same_state
    other_times: Callable[[Structure], list[int]] = no_times
    identity: Callable[[Structure], object] = same_state  # states with equal identities are one
    explores_joined: bool = False  # whether combined items are states of their own
    atomic: bool = False  # whether a raising call for one item leaves the window as it was
    monoid: Monoid[str] = LETTERS


@dataclass
class StateCounts:
    """The extent of an exploration: distinct states, calls, range queries, states beyond it."""

    states: int = 0
    calls: int = 0
    ranges: int = 0
    beyond: int = 0


@dataclass
class Exploration:
    """One exploration, with the states that it has checked."""

    scope: StateScope
    counts: StateCounts = field(default_factory=StateCounts)
    checked: set[ObjectForm] = field(default_factory=set[ObjectForm])
    joined_states: set[ObjectForm] = field(default_factory=set[ObjectForm])
    queue: deque[State] = field(default_factory=deque[State])
    meter: Meter = field(default_factory=Meter)
    fuse: CombineFuse = field(default_factory=CombineFuse)

    def run(self) -> StateCounts:
        """Explore the scope."""
        monoid = self.scope.monoid
        start = self.scope.build(self.meter.watch(self.fuse.wrap(monoid)), self.meter)
        self.check_state(start, TimedWindow(monoid), "the empty window")
        while self.queue:
            structure, window = self.queue.popleft()
            scope, places = self.scope, self.places(structure, window)
            for call in changes(window, places, scope.arrival, scope.largest, scope.pairs_up_to):
                self.check_call(call, structure, window)
        assert self.joined_states <= self.checked, "combined items have led to a state of their own"
        return self.counts

    def check_call(self, call: WindowCall, structure: Structure, window: TimedWindow[str]) -> None:
        """Make a call on a copy of a state, and check its window and its cost."""
        after, before = fork(structure), self.meter.cost()
        call.apply(after)
        self.counts.calls += 1
        expected = call.expected(window)
        combines = self.meter.cost().combines - before.combines
        self.check_cost(after, before, call_operation(call, window, expected))
        self.check_state(after, expected, call)
        if self.scope.atomic and call.name in ("insert", "evict"):
            self.check_failing_call(call, structure, window, int(combines))

    def check_failing_call(
        self, call: WindowCall, structure: Structure, window: TimedWindow[str], combines: int
    ) -> None:
        """Make a call that raises at each of its combines in turn: the window must not change.

        Work of the failed call may be left pending, which any later call resumes.
        """
        for index in range(combines):
            after, self.fuse.remaining = fork(structure), index
            with suppress(BlownError):
                call.apply(after)
                raise AssertionError("the error of a combine was swallowed")
            self.fuse.remaining = NEVER
            how = ("a combine that raises", index, call)
            for other_call in (
                self.single_item_calls(structure, window) if broken_facts(after, window) else ()
            ):
                twin = fork(after)
                other_call.apply(twin)
                self.check_state(twin, other_call.expected(window), (how, other_call))
            after.query()
            self.check_state(after, window, how)

    def single_item_calls(self, structure: Structure, window: TimedWindow[str]) -> list[WindowCall]:
        """The calls that change the window by one item."""
        places, most = self.places(structure, window), len(window.pairs)
        every = changes(window, places, self.scope.arrival, most, 0)
        return [call for call in every if abs(len(call.expected(window).pairs) - most) == 1]

    def check_cost(self, structure: Structure, before: Cost, operation: Operation) -> None:
        """Compare the cost of a call with its bound, if the scope has one."""
        if self.scope.bound:
            now, bound = self.meter.cost(), self.scope.bound(structure, operation)
            spent = Cost(now.combines - before.combines, now.visits - before.visits)
            assert spent.is_within(bound), (operation, spent, bound)

    def check_state(self, structure: Structure, window: TimedWindow[str], how: object) -> None:
        """Check a new state, and queue it for its calls if it is within the scope."""
        self.scope.blot(structure)
        places = self.places(structure, window)
        form = self.canonical_form(structure, window, places)
        has_joined = not self.scope.explores_joined and any(
            len(word) > 1 for _, word in window.pairs
        )
        if form in self.checked and not has_joined:
            return
        broken = self.broken_facts(structure, window)
        assert not broken, (broken, how, window.pairs)
        if has_joined:
            self.joined_states |= set() if self.is_outside(structure, window) else {form}
            return
        self.checked.add(form)
        self.check_queries(structure, window, places)
        assert self.canonical_form(structure, window, places) == form, (
            "a query changed the state",
            window.pairs,
        )
        if self.is_outside(structure, window):
            self.counts.beyond += 1
        else:
            self.counts.states += 1
            self.queue.append((structure, window))

    def check_queries(
        self, structure: Structure, window: TimedWindow[str], places: TimePlaces
    ) -> None:
        """Query the window, and every range."""
        before = self.meter.cost()
        structure.query()
        self.check_cost(structure, before, Operation("query", len(window.pairs), len(window.pairs)))
        for ends in ranges(places) if self.scope.has_ranges else ():
            self.counts.ranges += 1
            before = self.meter.cost()
            answer = structure.query_range(*ends)
            if self.scope.bound:
                self.check_cost(structure, before, range_operation(window, *ends))
            assert answer == window.query_range(*ends), (ends, window.pairs)

    def broken_facts(self, structure: Structure, window: TimedWindow[str]) -> list[str]:
        """The facts that do not hold of a state."""
        return broken_facts(structure, window)

    def canonical_form(
        self, structure: Structure, window: TimedWindow[str], places: TimePlaces
    ) -> ObjectForm:
        """The identity of a state, with times and letters named by their ranks."""
        return canonical_form(self.scope.identity(structure), window, places)

    def places(self, structure: Structure, window: TimedWindow[str]) -> TimePlaces:
        """The places where a time can lie."""
        others = self.scope.other_times(structure)
        return TimePlaces(tuple(sorted([*(time for time, _ in window.pairs), *others])))

    def is_outside(self, structure: Structure, window: TimedWindow[str]) -> bool:
        """Whether a state lies beyond the scope, so that no call is made on it."""
        return len(window.pairs) > self.scope.largest or not self.scope.is_within(structure)


def call_operation(
    call: WindowCall, before: TimedWindow[str], after: TimedWindow[str]
) -> Operation:
    """The operation of a call, as bounds take it."""
    evicted = len(before.pairs) - len(after.pairs)
    items = {"bulk_insert": len(call.pairs), "bulk_evict": evicted}.get(call.name, 1)
    places = [time for time, _ in call.pairs] if call.pairs else [call.time]
    return Operation(call.name, len(before.pairs), items, distances(before, places))


def range_operation(window: TimedWindow[str], first: int, last: int) -> Operation:
    """The operation of a range query, as bounds take it."""
    within = sum(first <= time <= last for time, _ in window.pairs)
    return Operation("query_range", len(window.pairs), within, distances(window, (first, last)))


def distances(window: TimedWindow[str], places: Iterable[int]) -> tuple[int, ...]:
    """The number of items between each time and the nearer end of the window."""
    times = [time for time, _ in window.pairs]
    return tuple(min(bisect_left(times, at), len(times) - bisect_right(times, at)) for at in places)


def canonical_form(structure: object, window: TimedWindow[str], places: TimePlaces) -> ObjectForm:
    """The state with times and letters named by their ranks.

    A word of two letters is named by the first, so that it equals the word of one item.
    """
    times: Mapping[int, str] = {time: f"t{rank}" for rank, time in enumerate(places.times)}
    letters: dict[int, str | None] = {}
    for rank, (_, word) in enumerate(window.pairs):
        letters |= {ord(letter): None for letter in word} | {ord(word[0]): chr(0x100 + rank)}
    return object_form(structure, times, letters)


def broken_facts(structure: Structure, window: TimedWindow[str]) -> list[str]:
    """The facts that do not hold of a state, by its invariants or by the definition.

    A state that breaks an invariant is not queried: it might not even answer.
    """
    if broken := [fact for fact, holds in structure.invariants(window.pairs) if not holds]:
        return broken
    agreements = {
        "items": list(structure.items()) == list(window.pairs),
        "len": len(structure) == len(window.pairs),
        "oldest": structure.oldest() == window.oldest(),
        "youngest": structure.youngest() == window.youngest(),
        "query": structure.query() == window.query(),
    }
    return [question for question, agrees in agreements.items() if not agrees]
