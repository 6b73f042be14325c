"""Slips in the printed listings of [Tangwongsan19]: each is run as printed, beside ours.

The texts are in proofs/ERRATA.md, section 002. Every tree here has a smallest arity of 2.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from math import inf, log2

import pytest

from muntin.optimized.btree.amortization import FibaWithCoins, reserve
from muntin.optimized.btree.balanced_tree import TouchedSpines
from muntin.optimized.btree.fiba import Fiba
from muntin.optimized.btree.node import Node
from muntin.spec.algebra.monoid import FREE, Word
from muntin.spec.cost import Meter
from muntin.spec.structure import TimedWindow


def word(times: Iterable[int]) -> Word:
    """The right answer when the value at each time is the time itself."""
    return tuple(sorted(times))


def after(tree: Fiba[Word], inserted: Sequence[int], evicted: Sequence[int] = ()) -> Word:
    """What the tree answers after these calls."""
    for time in inserted:
        tree.insert(time, (time,))
    for time in evicted:
        tree.evict(time)
    return tree.query()


class Figure7Line61(Fiba[Word]):
    """As printed: hitright <- hitright or sibling.rightSpine, and nothing about the left."""

    def _hit_sibling(self, hit: TouchedSpines[Word], sibling: Node[Word]) -> None:
        hit.right |= sibling.on_right


def test_figure_7_line_61_forgets_the_left_spine_after_a_borrow() -> None:
    inserted, evicted = [-21, 5, -19, -10], [5]
    right = word({*inserted} - {*evicted})
    assert after(Figure7Line61(FREE, None, 2), inserted, evicted) == (-21, -19, -19, -10)
    assert after(Fiba(FREE, None, 2), inserted, evicted) == right


class Figure7Line39(Fiba[Word]):
    """As indented: right.localRepairAgg() after the loop, so for the last node only."""

    def _repair_spines(self, top: Node[Word], hit: TouchedSpines[Word]) -> None:
        super()._repair_spines(top, TouchedSpines(top) if top.parent else _only_left(top, hit))
        if top.on_right or (not top.parent and hit.right):
            self._recompute(top.last_leaf())


def _only_left(top: Node[Word], hit: TouchedSpines[Word]) -> TouchedSpines[Word]:
    only = TouchedSpines(top)
    only.left = hit.left
    return only


def test_figure_7_line_39_repairs_only_the_end_of_the_right_spine() -> None:
    inserted = range(10, 0, -1)
    assert after(Figure7Line39(FREE, None, 2), inserted) != word(inserted)
    assert after(Fiba(FREE, None, 2), inserted) == word(inserted)


class Figure7Line21(Fiba[Word]):
    """As indented in our copy: repairAggs only after evictInner, not after a leaf has lost one."""

    def evict(self, time: int) -> None:
        node = self._search(time)
        place = bisect_left(node.times, time)
        if node.height:
            self._repair(*self._evict_inner(node, place))
        else:
            del node.times[place], node.values[place]
            self._rebalance_for_evict(node)


def test_figure_7_line_21_leaves_a_leaf_unrepaired() -> None:
    assert after(Figure7Line21(FREE, None, 2), [1, 2], [1]) == (1, 2)
    assert after(Fiba(FREE, None, 2), [1, 2], [1]) == (2,)


class Figure8Line90(Fiba[Word]):
    """As indented: top.localRepairAggIfUp() after the loop, so for the last node only."""

    def _repair_up_to(
        self, node: Node[Word], top: Node[Word], hit: TouchedSpines[Word]
    ) -> tuple[Node[Word], TouchedSpines[Word]]:
        self._refresh(top)  # in the paper rebalancing has done this already
        while top.height < node.height and (parent := top.parent):
            top = parent
            hit.add(top)
        self._refresh(top)
        return top, hit


def test_figure_8_line_90_skips_the_nodes_between_leaf_and_evicted_slot() -> None:
    inserted, evicted = [*range(15, 11, -1), *range(10, 0, -1), 11], [12]
    right = word({*inserted} - {*evicted})
    assert after(Figure8Line90(FREE, None, 2), inserted, evicted) != right
    assert after(Fiba(FREE, None, 2), inserted, evicted) == right


class Figure10(Fiba[Word]):
    """The recursion of Figure 10, with the last inner child skipped or not."""

    skipped = 0

    def query_range(self, first: int, last: int) -> Word:
        top = self._least_common_ancestor(self._search(first), self._search(last))
        return self._recurse(top, first, last)

    def _recurse(self, node: Node[Word], first: float, last: float) -> Word:
        if first == -inf and last == inf and self._above(node):
            return node.agg
        result: Word = ()
        times = node.times
        if node.height and first < times[0]:
            result += self._recurse(node.children[0], first, inf if times[0] <= last else last)
        for i, time in enumerate(times):
            if first <= time <= last:
                result += node.values[i]
            if node.height and i + 1 < len(times) - self.skipped:
                following = times[i + 1]
                if time < last and first < following:
                    child = node.children[i + 1]
                    younger = -inf if first <= time else first
                    result += self._recurse(child, younger, inf if following <= last else last)
        if node.height and times[-1] < last:
            result += self._recurse(node.children[-1], -inf if first <= times[-1] else first, last)
        return result


class Figure10Line20(Figure10):
    """As printed: i + 1 < node.arity - 2, which must be i + 1 <= node.arity - 2."""

    skipped = 1


def test_figure_10_line_20_skips_a_child() -> None:
    inserted = [3, 4, 5, 6, 1, 2]
    mended, printed, ours = (tree(FREE, None, 2) for tree in (Figure10, Figure10Line20, Fiba[Word]))
    for tree in (mended, printed, ours):
        after(tree, inserted)
    ranges = [(a, b) for a in range(8) for b in range(a, 8)]
    right = {(a, b): tuple(t for t in range(1, 7) if a <= t <= b) for a, b in ranges}
    assert {r: mended.query_range(*r) for r in ranges} == right
    assert {r: ours.query_range(*r) for r in ranges} == right
    assert any(printed.query_range(*r) != right[r] for r in ranges)


def test_the_range_is_from_the_smallest_to_the_largest_index() -> None:
    times = [10, 20, 30, 40]
    printed = (
        max(i for i, time in enumerate(times) if time >= 15),
        min(i for i, time in enumerate(times) if time <= 35),
    )
    meant = bisect_left(times, 15), bisect_right(times, 35) - 1
    assert printed == (3, 0)
    assert meant == (1, 2)
    window = TimedWindow(FREE, tuple((time, (time,)) for time in times))
    assert window.query_range(15, 35) == word(times[meant[0] : meant[1] + 1])


class Climbs(Fiba[Word]):
    """Counts how far a range query climbs to the least common ancestor."""

    def climb(self, first: int, last: int) -> int:
        """Nodes visited on the way up."""
        low, high = self._search(first), self._search(last)
        before = self._meter.visits
        self._least_common_ancestor(low, high)
        return self._meter.visits - before

    def height(self) -> int:
        """The height of the root."""
        return self._root.height

    def border(self) -> int:
        """The root's first time."""
        return self._root.times[0]


@pytest.mark.parametrize("size", [50, 500, 5000])
def test_theorem_7_the_common_ancestor_of_two_neighbours_may_be_the_root(size: int) -> None:
    tree = Climbs(FREE, Meter(), 2)
    tree.bulk_insert((time, ()) for time in range(size))
    border = tree.border()
    assert tree.climb(border - 1, border) == tree.height()  # not O(log n_sub) with n_sub = 2


def test_lemma_9_a_split_leaves_one_coin_with_the_younger_half_and_a_move_is_billed() -> None:
    full, younger_half, receiver, giver = 5, 2, 1, 3
    assert reserve(full, 2, is_root=False) == 4
    assert reserve(younger_half, 2, is_root=False) == 1  # "so it needs 2 coins"
    held = reserve(receiver, 2, is_root=False) + reserve(giver, 2, is_root=False)
    needed = reserve(receiver + 1, 2, is_root=False) + reserve(giver - 1, 2, is_root=False)
    assert held == needed  # nothing is left to pay the move itself with
    tree = FibaWithCoins(FREE, None, 2)
    after(tree, [-21, 5, -19, -10], [5])
    account = tree.picture().account
    assert account
    assert account.steps == ("move",)
    assert account.billed == 2  # 1 for the lost entry, 1 for the move
    assert all(fact for _, fact in tree.invariants([(t, (t,)) for t in (-21, -19, -10)]))


def test_theorem_5_as_printed_allows_nothing_next_to_the_youngest_item() -> None:
    """As printed, a call costs O(log d): nothing for d = 1, and there is no such cost for d = 0."""
    meter = Meter()
    tree = Fiba(FREE, meter, 2)
    after(tree, range(0, 20, 2))
    for time in (20, 19):  # none is younger, and then one
        before = meter.visits
        tree.insert(time, (time,))
        assert meter.visits > before
    assert log2(1) == 0
    with pytest.raises(ValueError, match="math domain error"):
        log2(0)


@pytest.mark.parametrize("min_arity", [2, 3, 4, 8])
def test_bulk_insert_onto_times_that_are_there_combines_on_their_right(min_arity: int) -> None:
    tree, window = Fiba(FREE, None, min_arity), TimedWindow(FREE)
    for first in (0, 5, -20, 7, 0):
        batch = [(first + k // 3, (first, k)) for k in range(60)]
        tree.bulk_insert(batch)
        window = window.bulk_insert(batch)
        assert list(tree.items()) == list(window.pairs)
        assert (len(tree), tree.query()) == (len(window.pairs), window.query())


@pytest.mark.parametrize("min_arity", [2, 3, 4, 8])
def test_size_is_exact_after_every_bulk_evict(min_arity: int) -> None:
    for up_to in range(-1, 61):
        tree = Fiba(FREE, None, min_arity)
        tree.bulk_insert((time, (time,)) for time in range(60))
        tree.bulk_evict(up_to)
        assert len(tree) == 59 - up_to if up_to < 59 else len(tree) == 0
        assert tree.query() == tuple(range(up_to + 1, 60))
