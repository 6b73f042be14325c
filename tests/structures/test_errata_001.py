"""What [Tangwongsan15] prints and what stands instead: the entries of proofs/ERRATA.md.

Each test runs the printed rule, shows it failing on the smallest trace, and runs ours on it.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log2

import pytest

from muntin.optimized.flatfat.flatfat import FlatFat
from muntin.optimized.flatfat.reactive import ReactiveAggregator
from muntin.optimized.flatfat.reactive_fifo import FifoReactiveAggregator
from muntin.spec.algebra.monoid import FREE, Word
from muntin.spec.cost import Meter


@dataclass
class PrintedResizing:
    """The rules of section 5.1.1 for a window without holes, and what the last resize cost."""

    capacity: Fraction
    size: int = 0
    resized_at: Fraction | None = None  # how full it was at once after the last resize

    def insert(self) -> None:
        if self.size == self.capacity:
            self._resize(self.capacity * 2)
        self.size += 1

    def evict(self) -> None:
        self.size -= 1
        if self.size < self.capacity / 4:
            self._resize(self.capacity / 2)

    def _resize(self, capacity: Fraction) -> None:
        self.capacity, self.resized_at = capacity, self.size / capacity


class RingWithCapacity(ReactiveAggregator[Word]):
    """A ring whose capacity can be seen."""

    @property
    def capacity(self) -> int:
        return self._fat.capacity


def grown_then_shrunk(
    inserts: int, evictions: int, capacity: int
) -> tuple[PrintedResizing, RingWithCapacity]:
    printed, ring = PrintedResizing(Fraction(capacity)), RingWithCapacity(FREE, capacity=capacity)
    for time in range(inserts):
        printed.insert()
        ring.insert(time, (time,))
    for time in range(evictions):
        printed.evict()
        ring.evict(time)
    return printed, ring


def test_after_shrinking_to_a_small_capacity_it_is_less_than_three_eighths_full() -> None:
    printed, ring = grown_then_shrunk(5, 4, capacity=4)
    assert printed.capacity == ring.capacity == 4
    assert len(ring) == 1
    assert printed.resized_at == Fraction(1, 4) < Fraction(3, 8)


@pytest.mark.parametrize("capacity", [4, 8, 16, 32, 64])
def test_what_stands_is_one_half_less_one_slot(capacity: int) -> None:
    _, ring = grown_then_shrunk(capacity + 1, capacity // 2 + 2, capacity=4)
    assert ring.capacity == capacity
    fill = Fraction(len(ring), capacity)
    assert fill == Fraction(1, 2) - Fraction(1, capacity)
    assert (fill >= Fraction(3, 8)) == (capacity >= 8)


def test_without_a_least_capacity_the_ring_shrinks_to_less_than_one_slot() -> None:
    printed, ring = grown_then_shrunk(1, 1, capacity=1)
    assert printed.capacity == Fraction(1, 2)
    assert ring.capacity == 1


def test_without_a_least_capacity_the_first_eviction_pays_for_a_whole_tree() -> None:
    printed, ring = grown_then_shrunk(1, 1, capacity=1024)
    assert printed.resized_at == 0  # after one eviction, not the 128 that are charged for it
    assert ring.capacity == 1024


def printed_levels(capacity: int, rounds: int) -> list[set[int]]:
    """Algorithm 1 as printed, in the numbering of section 4.3: the sets W1, W2 and so on."""
    levels = [{(capacity + k) // 2 for k in range(capacity)}]
    while levels[-1] and len(levels) < rounds:
        levels.append({node // 2 for node in levels[-1] if node != 1})
    return levels


def test_the_only_leaf_is_the_root_and_has_no_parent() -> None:
    assert printed_levels(4, rounds=10) == [{2, 3}, {1}, set()]
    assert printed_levels(1, rounds=10) == [{0}] * 10  # node 0 is none; it never ends
    meter = Meter()
    fat = FlatFat(meter.watch(FREE), [(1,)], meter)
    fat.update([(0, (2,))])
    assert (fat.aggregate(), meter.cost()) == ((2,), (0, 0))


def test_theorem_4_1_counts_more_changes_than_there_are_slots() -> None:
    window, changes = 2, 4  # a tumbling window of two items: both leave, two others come
    assert changes + changes * log2(window / changes) == 0
    assert changes * (1 + ceil(log2(window / changes))) == 0
    meter = Meter()
    fat = FlatFat(meter.watch(FREE), [(1,), (2,)], meter)
    before = meter.combines
    fat.update([(0, (3,)), (1, (4,))])
    assert meter.combines - before == 1


def test_half_a_window_of_evictions_does_not_shrink_the_ring() -> None:
    for evictions, capacity in ((1, 4), (2, 4), (3, 1)):  # n = 2: n / 2 is 1, needed are 3
        _, ring = grown_then_shrunk(3, evictions, capacity=1)
        assert ring.capacity == capacity


def test_pointers_alone_do_not_distinguish_an_empty_ring_from_a_full_one() -> None:
    fat = FlatFat(FREE, [(4,), ()])
    front, back = 1, 0  # 4 arrived and left; in a FIFO window nothing marks its slot
    assert FREE.combine(fat.suffix(front), fat.prefix(back)) == (4,)
    ring: FifoReactiveAggregator[Word] = FifoReactiveAggregator(FREE, capacity=2)
    ring.insert(1, (4,))
    ring.evict(1)
    assert ring.query() == ()


def test_a_window_closed_at_both_ends_does_not_degenerate_to_a_tumbling_one() -> None:
    def printed(now: int, size: int, slide: int) -> range:
        begin = (now - size) // slide * slide
        return range(begin, begin + size + 1)  # "tau' >= tau_b and tau' <= tau_e"

    both = set(printed(1, size=1, slide=1)) & set(printed(2, size=1, slide=1))
    assert both == {1}


def test_a_prefix_that_is_under_way_holds_its_last_leaf_too() -> None:
    tree = dict(enumerate([(), (0, 1, 2, 3), (0, 1), (2, 3), (0,), (1,), (2,), (3,)]))
    below = {1: (0, 1, 2, 3), 2: (0, 1), 3: (2, 3)}
    node, so_far = 4 + 3, tree[4 + 3]  # Algorithm 3, prefix of all four
    while node != 1:
        parent = node // 2
        if node % 2:
            so_far = FREE.combine(tree[parent * 2], so_far)
        printed = tuple(leaf for leaf in below[parent] if leaf < 3)  # "to the left of a[i]"
        assert so_far == (*printed, 3) != printed
        node = parent
    assert so_far == FlatFat(FREE, [(leaf,) for leaf in range(4)]).prefix(3)
