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

from exhaustive.calls import LETTERS, Call, Places, changes, ranges
from exhaustive.fuse import NEVER, BlownError, Fuse
from exhaustive.object_state import Form, fork, whole
from muntin.registry.implementations import Arrival
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.structure import OutOfOrder, TimedWindow

Structure = OutOfOrder[str]
State = tuple[Structure, TimedWindow[str]]
Build = Callable[[Monoid[str], Meter], Structure]


def everything(_: Structure) -> bool:
    """Go on from every state."""
    return True


def as_it_is(structure: Structure) -> Structure:
    """Return the state as it is."""
    return structure


def no_others(_: Structure) -> list[int]:
    """Return no time but those of the items."""
    return []


@dataclass(frozen=True)
class Scope:
    """What is explored: windows of at most so many items, of a structure with its own limits.

    `blotted` overwrites what a structure keeps and must not read, `other_times` are those that it
    knows besides those of its items.
    """

    build: Build
    arrival: Arrival
    largest: int
    pairs_up_to: int = 0
    bound: Callable[[Structure, Operation], Cost] | None = None  # of each call by itself
    ranged: bool = True  # whether it answers range queries
    within: Callable[[Structure], bool] = everything
    blotted: Callable[[Structure], Structure] = as_it_is
    other_times: Callable[[Structure], list[int]] = no_others
    seen: Callable[[Structure], object] = as_it_is  # what tells states apart
    joins: bool = False  # whether a joined item may lead to a state of its own
    atomic: bool = False  # whether a call for one item that raises leaves the window as it was


@dataclass
class Found:
    """How much was explored: states that differ, calls made, ranges asked, the states beyond."""

    states: int = 0
    calls: int = 0
    ranges: int = 0
    beyond: int = 0


@dataclass
class Exploration:
    """One exploration, and the states that it has met."""

    scope: Scope
    found: Found = field(default_factory=Found)
    met: set[Form] = field(default_factory=set[Form])
    joined: set[Form] = field(default_factory=set[Form])
    waiting: deque[State] = field(default_factory=deque[State])
    meter: Meter = field(default_factory=Meter)
    fuse: Fuse = field(default_factory=Fuse)

    def run(self) -> Found:
        """Explore."""
        start = self.scope.build(self.meter.watch(self.fuse.put_into(LETTERS)), self.meter)
        self.meet(start, TimedWindow(LETTERS), "the empty window")
        while self.waiting:
            structure, window = self.waiting.popleft()
            scope, places = self.scope, self.places(structure, window)
            for call in changes(window, places, scope.arrival, scope.largest, scope.pairs_up_to):
                self.try_out(call, structure, window)
        assert self.joined <= self.met, "a joined item has led to a state of its own"
        return self.found

    def try_out(self, call: Call, structure: Structure, window: TimedWindow[str]) -> None:
        """Make a call on a copy of the state."""
        after, before = fork(structure), self.meter.cost()
        call.on(after)
        self.found.calls += 1
        wanted = call.of(window)
        combines = self.meter.cost().combines - before.combines
        self.charge(after, before, described(call, window, wanted))
        self.meet(after, wanted, call)
        if self.scope.atomic and call.name in ("insert", "evict"):
            self.let_fail(call, structure, window, int(combines))

    def let_fail(
        self, call: Call, structure: Structure, window: TimedWindow[str], combines: int
    ) -> None:
        """Make a call that raises, at each combine that it makes: it changes no window.

        Something may be left under way then, which any call takes up again.
        """
        for nth in range(combines):
            after, self.fuse.left = fork(structure), nth
            with suppress(BlownError):
                call.on(after)
                raise AssertionError("a combine has raised, and nobody has heard of it")
            self.fuse.left = NEVER
            how = ("a combine that raises", nth, call)
            for more in self.singles(structure, window) if failing(after, window) else ():
                twin = fork(after)
                more.on(twin)
                self.meet(twin, more.of(window), (how, more))
            after.query()
            self.meet(after, window, how)

    def singles(self, structure: Structure, window: TimedWindow[str]) -> list[Call]:
        """Return the calls that change a window by one item."""
        places, most = self.places(structure, window), len(window.pairs)
        every = changes(window, places, self.scope.arrival, most, 0)
        return [call for call in every if abs(len(call.of(window).pairs) - most) == 1]

    def charge(self, structure: Structure, before: Cost, operation: Operation) -> None:
        """Compare what a call has cost with what it may cost, if the scope says what that is."""
        if self.scope.bound:
            now, bound = self.meter.cost(), self.scope.bound(structure, operation)
            spent = Cost(now.combines - before.combines, now.visits - before.visits)
            assert spent.is_within(bound), (operation, spent, bound)

    def meet(self, structure: Structure, window: TimedWindow[str], how: object) -> None:
        """Check a state unless it is known, and let it wait for its calls if it is in scope."""
        self.scope.blotted(structure)
        places = self.places(structure, window)
        form = self.named(structure, window, places)
        joined = not self.scope.joins and any(len(word) > 1 for _, word in window.pairs)
        if form in self.met and not joined:
            return
        broken = self.failing(structure, window)
        assert not broken, (broken, how, window.pairs)
        if joined:
            self.joined |= set() if self.outside(structure, window) else {form}
            return
        self.met.add(form)
        self.ask(structure, window, places)
        assert self.named(structure, window, places) == form, (
            "a question changed the state",
            window.pairs,
        )
        if self.outside(structure, window):
            self.found.beyond += 1
        else:
            self.found.states += 1
            self.waiting.append((structure, window))

    def ask(self, structure: Structure, window: TimedWindow[str], places: Places) -> None:
        """Ask for the window, and for every range."""
        before = self.meter.cost()
        structure.query()
        self.charge(structure, before, Operation("query", len(window.pairs), len(window.pairs)))
        for ends in ranges(places) if self.scope.ranged else ():
            self.found.ranges += 1
            before = self.meter.cost()
            answer = structure.query_range(*ends)
            if self.scope.bound:
                self.charge(structure, before, ranged(window, *ends))
            assert answer == window.query_range(*ends), (ends, window.pairs)

    def failing(self, structure: Structure, window: TimedWindow[str]) -> list[str]:
        """Return what does not hold of a state."""
        return failing(structure, window)

    def named(self, structure: Structure, window: TimedWindow[str], places: Places) -> Form:
        """Return what tells the state apart, with times and letters named by their ranks."""
        return named(self.scope.seen(structure), window, places)

    def places(self, structure: Structure, window: TimedWindow[str]) -> Places:
        """Return where a time can lie."""
        others = self.scope.other_times(structure)
        return Places(tuple(sorted([*(time for time, _ in window.pairs), *others])))

    def outside(self, structure: Structure, window: TimedWindow[str]) -> bool:
        """Whether no calls are made on this state."""
        return len(window.pairs) > self.scope.largest or not self.scope.within(structure)


def described(call: Call, before: TimedWindow[str], after: TimedWindow[str]) -> Operation:
    """Describe a call as bounds want it."""
    gone = len(before.pairs) - len(after.pairs)
    items = {"bulk_insert": len(call.pairs), "bulk_evict": gone}.get(call.name, 1)
    places = [time for time, _ in call.pairs] if call.pairs else [call.time]
    return Operation(call.name, len(before.pairs), items, distances(before, places))


def ranged(window: TimedWindow[str], first: int, last: int) -> Operation:
    """Describe a range that is asked for."""
    within = sum(first <= time <= last for time, _ in window.pairs)
    return Operation("query_range", len(window.pairs), within, distances(window, (first, last)))


def distances(window: TimedWindow[str], places: Iterable[int]) -> tuple[int, ...]:
    """Return how many items lie between each of these times and the nearer end of the window."""
    times = [time for time, _ in window.pairs]
    return tuple(min(bisect_left(times, at), len(times) - bisect_right(times, at)) for at in places)


def named(structure: object, window: TimedWindow[str], places: Places) -> Form:
    """Return the state with times and letters named by their ranks.

    An item made of two letters goes by the first, so that it looks like one that was not joined.
    """
    times: Mapping[int, str] = {time: f"t{rank}" for rank, time in enumerate(places.times)}
    letters: dict[int, str | None] = {}
    for rank, (_, word) in enumerate(window.pairs):
        letters |= {ord(letter): None for letter in word} | {ord(word[0]): chr(0x100 + rank)}
    return whole(structure, times, letters)


def failing(structure: Structure, window: TimedWindow[str]) -> list[str]:
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
