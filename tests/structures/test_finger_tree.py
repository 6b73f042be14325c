"""The finger B+-tree: mutants that must not survive, and what it costs where it matters."""

from collections.abc import Callable
from itertools import pairwise, product
from random import Random

import pytest

from muntin.kernels.aggregator.finger_btree import FingerTree
from muntin.kernels.compiler.engine import NodeShape, interpreted_engine
from muntin.kernels.compiler.kernel_api import IntRows
from muntin.kernels.compiler.specialization import FINGER_BTREE_SOURCES
from muntin.spec.algebra.monoid import FREE, Monoid, Word
from muntin.spec.cost import Meter
from muntin.spec.structure import TimedWindow
from support.fingerprints import BAGS

MUTANTS = {
    "a split leaves a node of one child on the right spine": (
        "kept = FAN - 1 if appended else FAN // 2",
        "kept = FAN if appended else FAN // 2",
    ),
    "what was split is not marked": (
        "        inner[node, MASK] |= 1 << at\n        if",
        "        if",
    ),
    "a new child's fold passes for known": (
        "| ((mask ^ low) << 1) | (1 << at)",
        "| ((mask ^ low) << 1)",
    ),
    "suffix folds are trusted after an eviction": (
        "s[SUFFIX_STALE] = 1\n    elif leaf",
        "pass\n    elif leaf",
    ),
    "prefix folds are trusted after an insert": ("s[VALID] = 0 if COMMUTATIVE else at", "pass"),
    "a prefix fold is extended after a late value has joined a later one": (
        "s[VALID] = 0 if COMMUTATIVE else at",
        "s[VALID] = at",
    ),
    "a late value joins folds where the order of values matters": (
        "if not COMMUTATIVE:\n        mark(",
        "if False:\n        mark(",
    ),
    "a late value joins prefix folds where the order of values matters": (
        "if not COMMUTATIVE or small",
        "if small",
    ),
    "a late value does not join the rest": ("    combine_at(ends, MISC, REST, value)\n", ""),
    "a late value joins the chain of its level alone": (
        "for level in range(1, top + 1):\n            combine_at(ends, chain",
        "for level in range(top, top + 1):\n            combine_at(ends, chain",
    ),
    "a value at the time of another takes a place in the prefix folds": (
        "add_to_end(tree, leaf, at, 0, value)",
        "add_to_end(tree, leaf, at, 1, value)",
    ),
    "a value before the cut of one leaf joins the folds behind it": (
        "s[HEIGHT] == 0 and (at < s[CUT] or",
        "s[HEIGHT] == 0 and (False or",
    ),
    "an underfull leaf stays": ("max(1, MIN_LEAF)", "0"),
    "a poor node on a spine stays": ("        least = MIN_SPINE_FAN", "        least = 1"),
    "a share does not update the key": (
        "    inner[above, KEY + at + 1] = inner[right, KEY]\n",
        "",
    ),
    "a freed leaf is lost": ("    s[SPARE_LEAF] += 1", "    s[SPARE_LEAF] += 0"),
    "chains are repaired from the lowest level on": (
        "for level in range(highest_bit(marks), 0, -1)",
        "for level in range(1, highest_bit(marks) + 1)",
    ),
    "the middle is not marked after a change in the root": (
        "        s[MIDDLE_STALE] = 1\n    elif node",
        "        pass\n    elif node",
    ),
    "values at one time change places": (
        "combine(load(leaves, leaf, at), value)",
        "combine(value, load(leaves, leaf, at))",
    ),
    "a range takes the child that ends it": (
        "ends_inside = int(inner[node, KEY + at + 1] - 1 <= last)",
        "ends_inside = 1",
    ),
    "a range ignores where it begins": ("if ends_inside and not edge", "if ends_inside"),
    "a batch puts equal times side by side": (
        "elif staged > 0 and s[STAGED + staged - 1] == time:",
        "elif False:",
    ),
    "a batch goes beyond its leaf": ("return time < slot.limit or", "return time <= slot.limit or"),
    "moved entries keep their suffix folds": (
        "    s[HEAD] = 0\n    s[SUFFIX_STALE] = 1\n\n",
        "    s[HEAD] = 0\n\n",
    ),
    "evicting up to a time keeps that time": (
        "if times[leaf, last - 1] <= time:",
        "if times[leaf, last - 1] < time:",
    ),
    "what was appended is not in the rest": (
        "combine(load(ends, MISC, REST), total)",
        "load(ends, MISC, REST)",
    ),
}


class RandomRun:
    """Random calls on a tree and on what it stands for."""

    def __init__(self, seed: int, shape: NodeShape, *, commutative: bool) -> None:
        self.random = Random(seed)  # noqa: S311 nothing secret
        monoid = BAGS.monoid if commutative else FREE
        engine = interpreted_engine(monoid, shape, commutative=commutative)
        self.tree: FingerTree[Word] = FingerTree(monoid, None, engine)
        self.window = TimedWindow(monoid)
        self.letters = 0

    def letter(self) -> Word:
        self.letters += 1
        return (self.letters,)

    def step(self, growing: float) -> None:
        random, tree = self.random, self.tree
        times = [time for time, _ in self.window.pairs] or [0]
        youngest, anywhere = times[-1] + random.randrange(1, 3), random.choice(times)
        near = random.randrange(times[0] - 2, times[-1] + 3)
        if random.random() < 0.1:
            batch = [(near + k // 2, self.letter()) for k in range(random.randrange(30))]
            tree.bulk_insert(batch)
            self.window = self.window.bulk_insert(batch)
        elif random.random() < growing:
            time, value = random.choice([youngest, youngest, near, anywhere]), self.letter()
            tree.insert(time, value)
            self.window = self.window.insert(time, value)
        elif random.random() < 0.05:
            tree.bulk_evict(times[len(times) // 4])
            self.window = self.window.bulk_evict(times[len(times) // 4])
        else:
            time = random.choice([times[0], times[0], times[-1], near, anywhere])
            tree.evict(time)
            self.window = self.window.evict(time)
        first, last = sorted((near, anywhere))
        assert tree.query_range(first, last) == self.window.query_range(first, last)
        if random.random() < 0.7:
            assert tree.query() == self.window.query()
        for fact, holds in tree.invariants(self.window.pairs):
            assert holds, fact


def play(seeds: range) -> None:
    for seed, commutative in product(seeds, (False, True)):
        run = RandomRun(seed, NodeShape(2 + seed % 3 * 2, 4), commutative=commutative)
        for step in range(250):
            run.step(0.7 if step % 100 < 50 else 0.35)


def test_the_tree_survives_what_its_mutants_do_not() -> None:
    play(range(12))


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_detected(
    name: str, plant: Callable[[tuple[str, ...], str, str], None]
) -> None:
    plant(FINGER_BTREE_SOURCES, *MUTANTS[name])
    with pytest.raises((AssertionError, IndexError)):
        play(range(12))


class CountedRows:
    """Rows that count how often they are read."""

    def __init__(self, rows: IntRows) -> None:
        self.rows, self.reads = rows, 0

    def __getitem__(self, at: tuple[int, int], /) -> int:
        self.reads += 1
        return self.rows[at]

    def __setitem__(self, at: tuple[int, int], value: int, /) -> None:
        self.rows[at] = value


def touched(size: int, distance: int) -> int:
    """How often inner nodes are read for one insert into a tree that was appended to."""
    tree: FingerTree[Word] = FingerTree(FREE, None, interpreted_engine(FREE, NodeShape(4, 4)))
    tree.bulk_insert((2 * k, ()) for k in range(size))
    tree.query()
    counted = CountedRows(tree.arrays.inner)
    tree.arrays = tree.arrays._replace(inner=counted)
    tree.insert(2 * (size - distance) - 1, ())
    tree.query()
    return counted.reads


def test_an_insert_reads_nodes_by_its_distance_and_not_by_the_size() -> None:
    """In a tree that was appended to, the right spine has as few children as it may: two."""
    near = [max(touched(size + k, 1) for k in range(6)) for size in (2**7, 2**9, 2**11, 2**13)]
    assert max(near) < 1.5 * near[0], near
    far = [touched(2**11, 4**k) for k in range(1, 6)]
    assert far[-1] > far[0]
    assert all(later - earlier < 60 for earlier, later in pairwise(far)), far


def combines(
    size: int, rounds: int, distance: int, shape: NodeShape, *, commutative: bool = False
) -> float:
    """Combines a round of evict, insert and query, at a distance from the youngest."""
    meter = Meter()
    monoid = meter.watch(Monoid(0, int.__add__))
    engine = interpreted_engine(monoid, shape, commutative=commutative)
    tree: FingerTree[int] = FingerTree(monoid, meter, engine)
    tree.bulk_insert((k * 2**20, 1) for k in range(size))
    tree.query()
    before = meter.combines
    for k in range(rounds):
        tree.evict(k * 2**20)
        tree.insert((size - distance) * 2**20 + (k if distance else k * 2**20), 1)
        assert tree.query() == size
    return (meter.combines - before) / rounds


@pytest.mark.parametrize("shape", [NodeShape(4, 4), NodeShape()], ids=str)
def test_a_round_in_order_costs_the_same_whatever_the_size(shape: NodeShape) -> None:
    costs = [combines(2**k, 300, 0, shape) for k in (4, 8, 11, 13)]
    assert max(costs[1:]) <= 1.25 * min(costs[1:])
    assert max(costs) <= 12
    assert costs[3] < 7


def test_a_change_stays_within_its_bound_and_grows_with_it() -> None:
    """The bound is of the dearest changes; common ones cost a fiftieth of it at least."""
    shape = NodeShape(4, 4)
    tree: FingerTree[Word] = FingerTree(FREE, None, interpreted_engine(FREE, shape))
    near: list[float] = []
    for distance in (1, 16, 256):
        spent = combines(2**11, 200, distance, shape)
        near.append(spent / (2 * tree.change_bound(distance) + 2))
    assert max(near) <= 1, near
    assert min(near) >= 0.02, near


def test_a_late_value_that_may_join_folds_in_any_order_costs_a_fraction() -> None:
    for distance in (16, 256):
        marked, joined = (
            combines(2**11, 300, distance, NodeShape(), commutative=commutative)
            for commutative in (False, True)
        )
        assert joined < marked / 3, (distance, joined, marked)
