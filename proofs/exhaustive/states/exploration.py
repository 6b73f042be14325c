"""Every state that a structure can reach while its window is no larger than the scope allows.

The exploration starts with the empty structure, makes every call of `calls.py` on a copy of each
state, and goes on from each state that is new. Two states are one if they are the same in *every*
field (`whole.py`), up to the names of letters and up to the distances between times.

Why one of them is enough: structures only combine values and only compare times
(proofs/parametric), so what they do is the same under any renaming of letters and any change of
times that keeps their order. Nothing else is left out: the fields of a state are all of its
fields, so two states that are one answer every later call alike, whatever `invariants` is worth.
That `invariants` pins every field, so that a shape and a window say all about a tree, is a finding
of its own (`spoiling.py`).

What is checked: in each state, the relation, `items` and the ends, the query and every range; for
each call, that the state it leads to is one already checked, or else all of that; that the window
is the one the definition gives; where the bound is for each call, the cost; and for structures
that promise it, that a call in which a combine raises leaves the window as it was. A state that the
scope does not reach beyond is checked, but no call is made on it.
"""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from exhaustive.object_state import ObjectForm, fork, object_form
from exhaustive.states.calls import LETTERS, WindowCall, TimePlaces, changes, ranges
from exhaustive.states.fuse import NEVER, BlownError, CombineFuse
from muntin.registry.implementations import Arrival
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.structure import OutOfOrder, TimedWindow

Structure = OutOfOrder[str]
State = tuple[Structure, TimedWindow[str]]
Build = Callable[[Monoid[str], Meter], Structure]


def any_state(_: Structure) -> bool:
    """Go on from every state."""
    return True


def same_state(structure: Structure) -> Structure:
    """The state as it is."""
    return structure


def no_times(_: Structure) -> list[int]:
    """Return no time but those of the items."""
    return []


@dataclass(frozen=True)
class StateScope:
    """What is explored: windows of at most so many items, of a structure with its own limits.

    `blotted` overwrites what a structure keeps and must not read, `other_times` are those that it
    knows besides those of its items.
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
    identity: Callable[[Structure], object] = same_state  # what tells states apart
    explores_joined: bool = False  # whether a joined item may lead to a state of its own
    atomic: bool = False  # whether a call for one item that raises leaves the window as it was


@dataclass
class StateCounts:
    """How much was explored: states that differ, calls made, ranges asked, the states beyond."""

    states: int = 0
    calls: int = 0
    ranges: int = 0
    beyond: int = 0


@dataclass
class Exploration:
    """One exploration, and the states that it has met."""

    scope: StateScope
    counts: StateCounts = field(default_factory=StateCounts)
    checked: set[ObjectForm] = field(default_factory=set[ObjectForm])
    joined_states: set[ObjectForm] = field(default_factory=set[ObjectForm])
    queue: deque[State] = field(default_factory=deque[State])
    meter: Meter = field(default_factory=Meter)
    fuse: CombineFuse = field(default_factory=CombineFuse)

    def run(self) -> StateCounts:
        """Explore."""
        start = self.scope.build(self.meter.watch(self.fuse.wrap(LETTERS)), self.meter)
        self.check_state(start, TimedWindow(LETTERS), "the empty window")
        while self.queue:
            structure, window = self.queue.popleft()
            scope, places = self.scope, self.places(structure, window)
            for call in changes(window, places, scope.arrival, scope.largest, scope.pairs_up_to):
                self.check_call(call, structure, window)
        assert self.joined_states <= self.checked, "a joined item has led to a state of its own"
        return self.counts

    def check_call(self, call: WindowCall, structure: Structure, window: TimedWindow[str]) -> None:
        """Make a call on a copy of the state."""
        after, before = fork(structure), self.meter.spent()
        call.apply(after)
        self.counts.calls += 1
        wanted = call.expected(window)
        combines = self.meter.spent().combines - before.combines
        self.check_cost(after, before, call_operation(call, window, wanted))
        self.check_state(after, wanted, call)
        if self.scope.atomic and call.name in ("insert", "evict"):
            self.check_failing_call(call, structure, window, int(combines))

    def check_failing_call(
        self, call: WindowCall, structure: Structure, window: TimedWindow[str], combines: int
    ) -> None:
        """Make a call that raises, at each combine that it makes: it changes no window.

        Something may be left under way then, which any call takes up again.
        """
        for nth in range(combines):
            after, self.fuse.remaining = fork(structure), nth
            with suppress(BlownError):
                call.apply(after)
                raise AssertionError("a combine has raised, and nobody has heard of it")
            self.fuse.remaining = NEVER
            how = ("a combine that raises", nth, call)
            for more in (
                self.single_item_calls(structure, window) if broken_facts(after, window) else ()
            ):
                twin = fork(after)
                more.apply(twin)
                self.check_state(twin, more.expected(window), (how, more))
            after.query()
            self.check_state(after, window, how)

    def single_item_calls(self, structure: Structure, window: TimedWindow[str]) -> list[WindowCall]:
        """The calls that change a window by one item."""
        places, most = self.places(structure, window), len(window.pairs)
        every = changes(window, places, self.scope.arrival, most, 0)
        return [call for call in every if abs(len(call.expected(window).pairs) - most) == 1]

    def check_cost(self, structure: Structure, before: Cost, operation: Operation) -> None:
        """Compare what a call has cost with what it may cost, if the scope says what that is."""
        if self.scope.bound:
            now, bound = self.meter.spent(), self.scope.bound(structure, operation)
            spent = Cost(now.combines - before.combines, now.visits - before.visits)
            assert spent.within(bound), (operation, spent, bound)

    def check_state(self, structure: Structure, window: TimedWindow[str], how: object) -> None:
        """Check a state unless it is known, and let it wait for its calls if it is in scope."""
        self.scope.blot(structure)
        places = self.places(structure, window)
        form = self.canonical_form(structure, window, places)
        joined = not self.scope.explores_joined and any(len(word) > 1 for _, word in window.pairs)
        if form in self.checked and not joined:
            return
        broken = self.broken_facts(structure, window)
        assert not broken, (broken, how, window.pairs)
        if joined:
            self.joined_states |= set() if self.is_outside(structure, window) else {form}
            return
        self.checked.add(form)
        self.check_queries(structure, window, places)
        assert self.canonical_form(structure, window, places) == form, (
            "a question changed the state",
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
        """Ask for the window, and for every range."""
        before = self.meter.spent()
        structure.query()
        self.check_cost(structure, before, Operation("query", len(window.pairs), len(window.pairs)))
        for ends in ranges(places) if self.scope.has_ranges else ():
            self.counts.ranges += 1
            before = self.meter.spent()
            answer = structure.query_range(*ends)
            if self.scope.bound:
                self.check_cost(structure, before, range_operation(window, *ends))
            assert answer == window.query_range(*ends), (ends, window.pairs)

    def broken_facts(self, structure: Structure, window: TimedWindow[str]) -> list[str]:
        """Return what does not hold of a state."""
        return broken_facts(structure, window)

    def canonical_form(
        self, structure: Structure, window: TimedWindow[str], places: TimePlaces
    ) -> ObjectForm:
        """Return what tells the state apart, with times and letters named by their ranks."""
        return canonical_form(self.scope.identity(structure), window, places)

    def places(self, structure: Structure, window: TimedWindow[str]) -> TimePlaces:
        """Return where a time can lie."""
        others = self.scope.other_times(structure)
        return TimePlaces(tuple(sorted([*(time for time, _ in window.pairs), *others])))

    def is_outside(self, structure: Structure, window: TimedWindow[str]) -> bool:
        """Whether no calls are made on this state."""
        return len(window.pairs) > self.scope.largest or not self.scope.is_within(structure)


def call_operation(
    call: WindowCall, before: TimedWindow[str], after: TimedWindow[str]
) -> Operation:
    """Describe a call as bounds want it."""
    gone = len(before.pairs) - len(after.pairs)
    items = {"bulk_insert": len(call.pairs), "bulk_evict": gone}.get(call.name, 1)
    places = [time for time, _ in call.pairs] if call.pairs else [call.time]
    return Operation(call.name, len(before.pairs), items, distances(before, places))


def range_operation(window: TimedWindow[str], first: int, last: int) -> Operation:
    """Describe a range that is asked for."""
    within = sum(first <= time <= last for time, _ in window.pairs)
    return Operation("query_range", len(window.pairs), within, distances(window, (first, last)))


def distances(window: TimedWindow[str], places: Iterable[int]) -> tuple[int, ...]:
    """Return how many items lie between each of these times and the nearer end of the window."""
    times = [time for time, _ in window.pairs]
    return tuple(min(bisect_left(times, at), len(times) - bisect_right(times, at)) for at in places)


def canonical_form(structure: object, window: TimedWindow[str], places: TimePlaces) -> ObjectForm:
    """The state with times and letters named by their ranks.

    An item made of two letters goes by the first, so that it looks like one that was not joined.
    """
    times: Mapping[int, str] = {time: f"t{rank}" for rank, time in enumerate(places.times)}
    letters: dict[int, str | None] = {}
    for rank, (_, word) in enumerate(window.pairs):
        letters |= {ord(letter): None for letter in word} | {ord(word[0]): chr(0x100 + rank)}
    return object_form(structure, times, letters)


def broken_facts(structure: Structure, window: TimedWindow[str]) -> list[str]:
    """Hold a state against its own relation and the definition, and return what does not hold.

    A state that its relation refuses is asked nothing: it might not even answer.
    """
    if broken := [fact for fact, holds in structure.invariants(window.pairs) if not holds]:
        return broken
    answers = {
        "items": list(structure.items()) == list(window.pairs),
        "len": len(structure) == len(window.pairs),
        "oldest": structure.oldest() == window.oldest(),
        "youngest": structure.youngest() == window.youngest(),
        "query": structure.query() == window.query(),
    }
    return [question for question, right in answers.items() if not right]
