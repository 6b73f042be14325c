"""Every Reactive Aggregator of a capacity, planted without a history, and every call on it.

A ring is told by where it begins, how many slots are in use, and which of them are holes: S1 to S6
pin everything else, up to the names of letters and times (`spoiling.py`). So the rings that the
relation allows can be counted and planted, also where they are too many to be reached by calls. If
every call on each of them leads to one that the relation allows, no history leads to any other.

The item in a slot is the letter of that slot, so that the slots that are filled decide what a tree
holds. Each such tree is held against its own relation once, and is known again after calls.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, combinations_with_replacement

from exhaustive.calls import LETTERS, STEP, Places, changes
from exhaustive.exploration import Found, failing
from exhaustive.object_state import UNREAD
from muntin.optimized.flatfat.flatfat import FlatFat, height
from muntin.optimized.flatfat.reactive import ReactiveAggregator
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Meter
from muntin.spec.structure import Pair, TimedWindow

Filled = frozenset[int]
"""The slots that hold items."""


@dataclass(frozen=True)
class State:
    """Where a ring begins, how many slots are in use, and which of them hold nothing."""

    front: int
    span: int
    holes: Filled


class PlantedRing(ReactiveAggregator[str]):
    """A ring that can be planted, and that knows trees again."""

    def __init__(self, meter: Meter, least: int, capacity: int) -> None:
        """Make a tree for every set of slots, and hold each against its relation."""
        self.letters = [chr(0x4E00 + slot) for slot in range(capacity)]
        self.capacity, monoid = capacity, meter.watch(LETTERS)
        self.trees = dict(self._trees(monoid, meter))
        self.known = {tree.nodes_by_number(): filled for filled, tree in self.trees.items()}
        super().__init__(monoid, meter, capacity=least)

    def _trees(self, monoid: Monoid[str], meter: Meter) -> Iterator[tuple[Filled, FlatFat[str]]]:
        for size in range(self.capacity + 1):
            for filled in map(frozenset, combinations(range(self.capacity), size)):
                leaves = [one if at in filled else "" for at, one in enumerate(self.letters)]
                tree = FlatFat(monoid, leaves, meter)
                assert all(holds for _, holds in tree.invariants(leaves)), leaves
                yield filled, tree

    def plant(self, state: State) -> tuple[Pair[str], ...]:
        """Become a ring, and return what is in its window; times rise from the front on."""
        used = [(state.front + offset) % self.capacity for offset in range(state.span)]
        self._front, self._span, self._holes = state.front, state.span, set(state.holes)
        self._times = [UNREAD] * self.capacity
        for offset, slot in enumerate(used):
            self._times[slot] = STEP * (offset + 1)
        filled = [slot for slot in used if slot not in state.holes]
        self._fat = self.trees[frozenset(filled)].copy()
        return tuple((self._times[slot], self.letters[slot]) for slot in filled)

    @property
    def inverted(self) -> bool:
        """Whether the youngest item is in a slot before the oldest."""
        return self._front + self._span > self._fat.capacity

    def fields(self) -> object:
        """Return all that can be different after a call."""
        return (
            *(self._front, self._span, frozenset(self._holes)),
            *(tuple(self._times), self._fat.nodes_by_number()),
        )

    def _tree_invariants(self) -> Iterator[tuple[str, bool]]:
        held = frozenset(self._location(k) for k in range(self._span)) - self._holes
        if self.known.get(self._fat.nodes_by_number()) != held:
            yield from super()._tree_invariants()


@dataclass
class FullRings:
    """The rings of a capacity that may have grown from a smaller one; runs fill so many slots."""

    least: int
    capacity: int
    largest: int
    found: Found = field(default_factory=Found)
    meter: Meter = field(default_factory=Meter)

    @cached_property
    def ring(self) -> PlantedRing:
        """The one that is planted again and again."""
        return PlantedRing(self.meter, self.least, self.capacity)

    def states(self, front: int) -> Iterator[State]:
        """Yield every state with this front that S2, S3 and S5 allow."""
        yield from [State(front, 0, frozenset())] if self.capacity == self.least else []
        for span in range(1, self.capacity + 1):
            inside = [(front + offset) % self.capacity for offset in range(1, span - 1)]
            for size in range(len(inside) + 1):
                if self.capacity == self.least or 4 * (span - size) >= self.capacity:
                    for holes in combinations(inside, size):
                        yield State(front, span, frozenset(holes))

    def run(self) -> Found:
        """Make every call on every ring, and ask every range between two slots."""
        for front in range(self.capacity):
            self.run_from(front)
        return self.found

    def run_from(self, front: int) -> Found:
        """Do so with the rings that begin there."""
        for state in self.states(front):
            self.found.states += 1
            self.meet(state)
        return self.found

    def meet(self, state: State) -> None:
        """Check a ring, and where each call on it leads."""
        ring = self.ring
        window = TimedWindow(LETTERS, ring.plant(state))
        places = Places(tuple(STEP * (offset + 1) for offset in range(state.span)))
        assert not (broken := failing(ring, window)), (broken, state)
        self.ask(window, places)
        checked = {ring.fields(): window.pairs}
        for call in changes(window, places, "in-order inserts", self.largest, self.capacity):
            ring.plant(state)
            call.on(ring)
            self.found.calls += 1
            wanted, fields = call.of(window), ring.fields()
            if checked.get(fields) != wanted.pairs:
                assert not (broken := failing(ring, wanted)), (broken, state, call)
                checked[fields] = wanted.pairs

    def ask(self, window: TimedWindow[str], places: Places) -> None:
        """Ask for the window and every range that begins and ends with a slot, at what it costs."""
        ring, most = self.ring, max(0, 2 * height(self.capacity) - 1)
        before = self.meter.combines
        assert ring.query() == window.query()
        assert self.meter.combines - before <= (most if ring.inverted else 0)
        held = dict(window.pairs)
        slots = [(time, held.get(time, "")) for time in places.times]
        for low, high in combinations_with_replacement(range(len(slots)), 2):
            self.found.ranges += 1
            before = self.meter.combines
            answer = ring.query_range(slots[low][0], slots[high][0])
            assert self.meter.combines - before <= most
            assert answer == "".join(word for _, word in slots[low : high + 1]), (low, high)
