"""Every Reactive Aggregator of a capacity, planted without a history, and every call on it.

A ring is determined by where it begins, how many slots are in use, and which of them are holes: S1
to S6 pin everything else, up to the names of letters and times (`corrupted_states.py`). So the
rings that the invariants allow can be counted and planted, also where they are too many to be
reached by calls. If every call on each of them leads to one that the invariants allow, no history
leads to any other.

The item in a slot is the letter of that slot, so the filled slots determine the tree. The
invariants of each such tree are checked once, and calls look it up again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, combinations_with_replacement

from exhaustive.object_state import UNREAD
from exhaustive.states.calls import LETTERS, STEP, TimePlaces, changes
from exhaustive.states.exploration import StateCounts, broken_facts
from muntin.optimized.flatfat.flatfat import FlatFat, height
from muntin.optimized.flatfat.reactive import ReactiveAggregator
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Meter
from muntin.spec.structure import Pair, TimedWindow

Slots = frozenset[int]
"""The slots of a ring that hold items."""


@dataclass(frozen=True)
class RingState:
    """The first slot in use, the number of slots in use, and those of them that are holes."""

    front: int
    span: int
    holes: Slots


class PlantedRing(ReactiveAggregator[str]):
    """A ring that can be planted, and that recognises trees."""

    def __init__(self, meter: Meter, least: int, capacity: int) -> None:
        """Build a tree for every set of slots, and check the invariants of each."""
        self.letters = [chr(0x4E00 + slot) for slot in range(capacity)]
        self.capacity, monoid = capacity, meter.watch(LETTERS)
        self.trees = dict(self._trees(monoid, meter))
        self.slots_by_tree = {tree.nodes_by_number(): filled for filled, tree in self.trees.items()}
        super().__init__(monoid, meter, capacity=least)

    def _trees(self, monoid: Monoid[str], meter: Meter) -> Iterator[tuple[Slots, FlatFat[str]]]:
        for size in range(self.capacity + 1):
            for filled in map(frozenset, combinations(range(self.capacity), size)):
                leaves = [
                    letter if slot in filled else "" for slot, letter in enumerate(self.letters)
                ]
                tree = FlatFat(monoid, leaves, meter)
                assert all(holds for _, holds in tree.invariants(leaves)), leaves
                yield filled, tree

    def plant(self, state: RingState) -> tuple[Pair[str], ...]:
        """Become a ring, with times that rise from the front; the pairs of its window."""
        used = [(state.front + offset) % self.capacity for offset in range(state.span)]
        self._front, self._span, self._holes = state.front, state.span, set(state.holes)
        self._times = [UNREAD] * self.capacity
        for offset, slot in enumerate(used):
            self._times[slot] = STEP * (offset + 1)
        filled = [slot for slot in used if slot not in state.holes]
        self._fat = self.trees[frozenset(filled)].copy()
        return tuple((self._times[slot], self.letters[slot]) for slot in filled)

    @property
    def is_inverted(self) -> bool:
        """Whether the youngest item is in a slot before the oldest."""
        return self._front + self._span > self._fat.capacity

    def fields(self) -> object:
        """All fields that a call can change."""
        return (
            *(self._front, self._span, frozenset(self._holes)),
            *(tuple(self._times), self._fat.nodes_by_number()),
        )

    def _tree_invariants(self) -> Iterator[tuple[str, bool]]:
        filled = frozenset(self._location(k) for k in range(self._span)) - self._holes
        if self.slots_by_tree.get(self._fat.nodes_by_number()) != filled:
            yield from super()._tree_invariants()


@dataclass
class FullRings:
    """The rings of a capacity, perhaps grown from `least`; runs fill at most `largest` slots."""

    least: int
    capacity: int
    largest: int
    counts: StateCounts = field(default_factory=StateCounts)
    meter: Meter = field(default_factory=Meter)

    @cached_property
    def ring(self) -> PlantedRing:
        """The ring that is planted in each state."""
        return PlantedRing(self.meter, self.least, self.capacity)

    def states(self, front: int) -> Iterator[RingState]:
        """Yield every state with this front that S2, S3 and S5 allow."""
        yield from [RingState(front, 0, frozenset())] if self.capacity == self.least else []
        for span in range(1, self.capacity + 1):
            inside = [(front + offset) % self.capacity for offset in range(1, span - 1)]
            for size in range(len(inside) + 1):
                if self.capacity == self.least or 4 * (span - size) >= self.capacity:
                    for holes in combinations(inside, size):
                        yield RingState(front, span, frozenset(holes))

    def run(self) -> StateCounts:
        """Make every call on every ring, and query every range between two slots."""
        for front in range(self.capacity):
            self.run_from(front)
        return self.counts

    def run_from(self, front: int) -> StateCounts:
        """Do so with the rings that begin at one slot."""
        for state in self.states(front):
            self.counts.states += 1
            self.check_state(state)
        return self.counts

    def check_state(self, state: RingState) -> None:
        """Check a ring, and the ring after each call on it."""
        ring = self.ring
        window = TimedWindow(LETTERS, ring.plant(state))
        places = TimePlaces(tuple(STEP * (offset + 1) for offset in range(state.span)))
        assert not (broken := broken_facts(ring, window)), (broken, state)
        self.check_queries(window, places)
        checked = {ring.fields(): window.pairs}
        for call in changes(window, places, "in-order inserts", self.largest, self.capacity):
            ring.plant(state)
            call.apply(ring)
            self.counts.calls += 1
            expected, fields = call.expected(window), ring.fields()
            if checked.get(fields) != expected.pairs:
                assert not (broken := broken_facts(ring, expected)), (broken, state, call)
                checked[fields] = expected.pairs

    def check_queries(self, window: TimedWindow[str], places: TimePlaces) -> None:
        """Query the window and every range from slot to slot, within the bound of its cost."""
        ring, most = self.ring, max(0, 2 * height(self.capacity) - 1)
        before = self.meter.combines
        assert ring.query() == window.query()
        assert self.meter.combines - before <= (most if ring.is_inverted else 0)
        items = dict(window.pairs)
        slots = [(time, items.get(time, "")) for time in places.times]
        for low, high in combinations_with_replacement(range(len(slots)), 2):
            self.counts.ranges += 1
            before = self.meter.combines
            answer = ring.query_range(slots[low][0], slots[high][0])
            assert self.meter.combines - before <= most
            assert answer == "".join(word for _, word in slots[low : high + 1]), (low, high)
