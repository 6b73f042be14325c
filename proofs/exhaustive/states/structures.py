"""Which structures are explored, how far, and how much that is.

The numbers are those that a run has found. They are asserted, so that a scope that shrinks, say
because a call is no longer made, is noticed.
"""

from dataclasses import dataclass

from exhaustive.profile import PROFILE
from exhaustive.states.amortized_cost import Billed, BilledClassic, Paying
from exhaustive.states.exploration import Build, Exploration, Found, Scope, Structure
from exhaustive.states.rings import FifoRing, Ring, asked, blotted, capacity, hole_times
from muntin.optimized.btree.btree import BTree
from muntin.optimized.btree.fiba import Fiba
from muntin.optimized.fifo.b_int import BInt
from muntin.registry.implementations import STRUCTURES, StructureEntry
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Cost, Meter, Operation


def without_account(structure: Structure) -> Structure:
    """Overwrite the last account of a tree, and return the tree."""
    if isinstance(structure, Paying):
        structure.blot()
    return structure


def claimed(structure: Structure, operation: Operation) -> Cost:
    """Return what a structure claims that an operation costs at most."""
    return structure.bound(operation)


def paid(structure: Structure, operation: Operation) -> Cost:
    """Return the same of a tree with coins, given the steps of rebalancing it has just made."""
    return (
        structure.paid(operation)
        if isinstance(structure, Paying)
        else claimed(structure, operation)
    )


def tree(kind: type[BTree[str]], min_arity: int, largest: int, pairs_up_to: int) -> Scope:
    """Return the scope of a tree."""

    def build(monoid: Monoid[str], meter: Meter) -> BTree[str]:
        return kind(monoid, meter, min_arity)

    bound = paid if issubclass(kind, Paying) else None
    return Scope(build, "any order", largest, pairs_up_to, bound, blotted=without_account)


def ring(least: int, largest: int, most: int, kind: type[Ring | FifoRing] = Ring) -> Scope:
    """Return the scope of a Reactive Aggregator, by its least and its greatest capacity."""

    def build(monoid: Monoid[str], meter: Meter) -> Structure:
        return kind(monoid, meter, capacity=least)

    return Scope(
        build,
        "in-order inserts" if kind is Ring else "fifo",
        largest,
        pairs_up_to=largest,
        bound=asked,
        within=lambda structure: capacity(structure) <= most,
        blotted=blotted,
        other_times=hole_times,
    )


def registered(name: str, largest: int, pairs_up_to: int = 0) -> Scope:
    """Return the scope of a structure as the registry has it."""
    entry: StructureEntry = next(one for one in STRUCTURES if one.name == name)
    build: Build = entry.build
    ranged = entry.arrival != "fifo"
    bound = claimed if entry.worst_case else None
    atomic = entry.arrival == "fifo"
    return Scope(build, entry.arrival, largest, pairs_up_to, bound, ranged, atomic=atomic)


def base_intervals(largest: int, furthest: int) -> Scope:
    """Return the scope of B-Int, whose positions rise for ever: to where its window begins."""

    def within(structure: Structure) -> bool:
        return isinstance(structure, BInt) and structure.picture().first <= furthest

    return Scope(BInt, "fifo", largest, bound=claimed, within=within)


@dataclass(frozen=True)
class Exhausted:
    """A scope, and what exploring it must find."""

    scope: Scope
    found: Found

    def run(self) -> Found:
        """Explore the scope."""
        return Exploration(self.scope).run()


CI = {
    "fiba, min-arity 2, 14 keys": Exhausted(tree(Fiba, 2, 14, 6), Found(846, 92103, 635642, 592)),
    "fiba, min-arity 3, 12 keys": Exhausted(tree(Fiba, 3, 12, 6), Found(59, 5610, 23024, 22)),
    "fiba with coins, min-arity 2, 10 keys": Exhausted(
        tree(Billed, 2, 10, 4), Found(114, 8493, 42444, 69)
    ),
    "fiba with coins, min-arity 3, 12 keys": Exhausted(
        tree(Billed, 3, 12, 4), Found(60, 5313, 23025, 22)
    ),
    "btree, min-arity 2, 12 keys": Exhausted(tree(BTree, 2, 12, 6), Found(295, 27703, 151619, 173)),
    "btree with coins, min-arity 2, 9 keys": Exhausted(
        tree(BilledClassic, 2, 9, 4), Found(52, 3443, 13054, 23)
    ),
    "reactive, capacity 1 to 4": Exhausted(ring(1, 4, 4), Found(38, 794, 1367, 1)),
    "reactive, capacity 2 to 8": Exhausted(ring(2, 8, 8), Found(1054, 41268, 142933, 2)),
    "reactive, first in first out, capacity 2 to 32": Exhausted(
        ring(2, 16, 32, FifoRing), Found(286, 10816, 63912, 1)
    ),
    "flatfat, 16 items": Exhausted(registered("flatfat", 16, 8), Found(28, 3892, 5029, 1)),
    "b-int, 16 items, 32 positions": Exhausted(
        base_intervals(16, 32), Found(561, 20724, 158065, 169)
    ),
    "two-stacks, 16 items": Exhausted(registered("two-stacks", 16), Found(152, 6423, 0, 16)),
    "two-stacks-lite, 16 items": Exhausted(
        registered("two-stacks-lite", 16), Found(153, 6476, 0, 17)
    ),
    "daba, 20 items": Exhausted(registered("daba", 20), Found(220, 11459, 0, 14)),
    "daba-lite, 20 items": Exhausted(registered("daba-lite", 20), Found(220, 11459, 0, 14)),
    "recompute, 8 items": Exhausted(registered("recompute", 8, 8), Found(9, 933, 1056, 2)),
}

NIGHTLY = {
    "fiba, min-arity 2, 16 keys": Exhausted(
        tree(Fiba, 2, 16, 6), Found(2450, 306378, 2331553, 1651)
    ),
    "fiba, min-arity 2, 20 keys": Exhausted(
        tree(Fiba, 2, 20, 6), Found(19855, 3151767, 29066873, 13575)
    ),
    "fiba, min-arity 2, 13 keys, all pairs": Exhausted(
        tree(Fiba, 2, 13, 13), Found(468, 187603, 510721, 716)
    ),
    "fiba, min-arity 3, 18 keys": Exhausted(tree(Fiba, 3, 18, 8), Found(404, 60192, 354830, 153)),
    "fiba, min-arity 4, 18 keys": Exhausted(tree(Fiba, 4, 18, 8), Found(158, 23645, 126177, 50)),
    "fiba with coins, min-arity 2, 14 keys": Exhausted(
        tree(Billed, 2, 14, 6), Found(847, 92122, 635643, 592)
    ),
    "btree, min-arity 2, 17 keys": Exhausted(
        tree(BTree, 2, 17, 6), Found(4101, 547530, 4312073, 2680)
    ),
    "btree with coins, min-arity 2, 14 keys": Exhausted(
        tree(BilledClassic, 2, 14, 6), Found(847, 92122, 635643, 592)
    ),
    "reactive, capacity 4 to 8": Exhausted(ring(4, 8, 8), Found(1052, 41212, 142881, 2)),
    "reactive, capacity 8": Exhausted(ring(8, 8, 8), Found(1032, 40584, 141721, 2)),
    "reactive, capacity 16, 4 items": Exhausted(
        ring(16, 4, 16), Found(3408, 186480, 1671360, 1248)
    ),
    "reactive, first in first out, capacity 1 to 64": Exhausted(
        ring(1, 40, 64, FifoRing), Found(2686, 247283, 3996407, 64)
    ),
    "flatfat, 40 items": Exhausted(registered("flatfat", 40, 20), Found(78, 46506, 78383, 1)),
    "b-int, 40 items, 64 positions": Exhausted(
        base_intervals(40, 64), Found(2665, 226460, 3859805, 885)
    ),
    "two-stacks, 40 items": Exhausted(registered("two-stacks", 40), Found(860, 84539, 0, 40)),
    "two-stacks-lite, 40 items": Exhausted(
        registered("two-stacks-lite", 40), Found(861, 84664, 0, 41)
    ),
    "daba, 60 items": Exhausted(registered("daba", 60), Found(4416, 645639, 0, 91)),
    "daba-lite, 60 items": Exhausted(registered("daba-lite", 60), Found(4416, 645639, 0, 91)),
}

SCOPES = CI | (NIGHTLY if PROFILE == "nightly" else {})
