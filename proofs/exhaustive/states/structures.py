"""The structures that are explored, with their scopes and the extent of each exploration.

The counts are those of a run. They are asserted, so that a scope that shrinks, for instance because
a call is no longer made, is noticed.
"""

from dataclasses import dataclass

from exhaustive.profile import PROFILE
from exhaustive.states.amortized_cost import AuditedBTree, AuditedFiba, AuditedLedger
from exhaustive.states.exploration import Build, Exploration, StateCounts, StateScope, Structure
from exhaustive.states.rings import (
    BlottedFifoRing,
    BlottedRing,
    blot,
    capacity,
    hole_times,
    query_bound,
)
from muntin.optimized.btree.btree import BTree
from muntin.optimized.btree.fiba import Fiba
from muntin.optimized.fifo.b_int import BInt
from muntin.registry.implementations import STRUCTURES, StructureEntry
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Cost, Meter, Operation


def blot_account(structure: Structure) -> Structure:
    """Overwrite the last account of a tree."""
    if isinstance(structure, AuditedLedger):
        structure.blot()
    return structure


def claimed_bound(structure: Structure, operation: Operation) -> Cost:
    """The bound that a structure claims for an operation."""
    return structure.bound(operation)


def ledger_bound(structure: Structure, operation: Operation) -> Cost:
    """The same for a tree with coins, given the steps of rebalancing it has just made."""
    return (
        structure.call_bound(operation)
        if isinstance(structure, AuditedLedger)
        else claimed_bound(structure, operation)
    )


def tree_scope(
    kind: type[BTree[str]], min_arity: int, largest: int, pairs_up_to: int
) -> StateScope:
    """The scope of a tree."""

    def build(monoid: Monoid[str], meter: Meter) -> BTree[str]:
        return kind(monoid, meter, min_arity)

    bound = ledger_bound if issubclass(kind, AuditedLedger) else None
    return StateScope(build, "any order", largest, pairs_up_to, bound, blot=blot_account)


def ring_scope(
    least: int, largest: int, most: int, kind: type[BlottedRing | BlottedFifoRing] = BlottedRing
) -> StateScope:
    """The scope of a Reactive Aggregator, by its least and its greatest capacity."""

    def build(monoid: Monoid[str], meter: Meter) -> Structure:
        return kind(monoid, meter, capacity=least)

    return StateScope(
        build,
        "in-order inserts" if kind is BlottedRing else "fifo",
        largest,
        pairs_up_to=largest,
        bound=query_bound,
        is_within=lambda structure: capacity(structure) <= most,
        blot=blot,
        other_times=hole_times,
    )


def registry_scope(name: str, largest: int, pairs_up_to: int = 0) -> StateScope:
    """The scope of a structure of the registry."""
    entry: StructureEntry = next(entry for entry in STRUCTURES if entry.name == name)
    build: Build = entry.build
    has_ranges = entry.arrival != "fifo"
    bound = claimed_bound if entry.worst_case else None
    atomic = entry.arrival == "fifo"
    return StateScope(build, entry.arrival, largest, pairs_up_to, bound, has_ranges, atomic=atomic)


def b_int_scope(largest: int, furthest: int) -> StateScope:
    """The scope of B-Int, whose positions rise for ever, limited by where its window begins."""

    def within(structure: Structure) -> bool:
        return isinstance(structure, BInt) and structure.picture().first <= furthest

    return StateScope(BInt, "fifo", largest, bound=claimed_bound, is_within=within)


@dataclass(frozen=True)
class StateExploration:
    """A scope, and the expected counts of its exploration."""

    scope: StateScope
    expected: StateCounts

    def run(self) -> StateCounts:
        """Explore the scope."""
        return Exploration(self.scope).run()


CI = {
    "fiba, min-arity 2, 14 keys": StateExploration(
        tree_scope(Fiba, 2, 14, 6), StateCounts(846, 92103, 635642, 592)
    ),
    "fiba, min-arity 3, 12 keys": StateExploration(
        tree_scope(Fiba, 3, 12, 6), StateCounts(59, 5610, 23024, 22)
    ),
    "fiba with coins, min-arity 2, 10 keys": StateExploration(
        tree_scope(AuditedFiba, 2, 10, 4), StateCounts(114, 8493, 42444, 69)
    ),
    "fiba with coins, min-arity 3, 12 keys": StateExploration(
        tree_scope(AuditedFiba, 3, 12, 4), StateCounts(60, 5313, 23025, 22)
    ),
    "btree, min-arity 2, 12 keys": StateExploration(
        tree_scope(BTree, 2, 12, 6), StateCounts(295, 27703, 151619, 173)
    ),
    "btree with coins, min-arity 2, 9 keys": StateExploration(
        tree_scope(AuditedBTree, 2, 9, 4), StateCounts(52, 3443, 13054, 23)
    ),
    "reactive, capacity 1 to 4": StateExploration(
        ring_scope(1, 4, 4), StateCounts(38, 794, 1367, 1)
    ),
    "reactive, capacity 2 to 8": StateExploration(
        ring_scope(2, 8, 8), StateCounts(1054, 41268, 142933, 2)
    ),
    "reactive, first in first out, capacity 2 to 32": StateExploration(
        ring_scope(2, 16, 32, BlottedFifoRing), StateCounts(286, 10816, 63912, 1)
    ),
    "flatfat, 16 items": StateExploration(
        registry_scope("flatfat", 16, 8), StateCounts(28, 3892, 5029, 1)
    ),
    "b-int, 16 items, 32 positions": StateExploration(
        b_int_scope(16, 32), StateCounts(561, 20724, 158065, 169)
    ),
    "two-stacks, 16 items": StateExploration(
        registry_scope("two-stacks", 16), StateCounts(152, 6423, 0, 16)
    ),
    "two-stacks-lite, 16 items": StateExploration(
        registry_scope("two-stacks-lite", 16), StateCounts(153, 6476, 0, 17)
    ),
    "daba, 20 items": StateExploration(registry_scope("daba", 20), StateCounts(220, 11459, 0, 14)),
    "daba-lite, 20 items": StateExploration(
        registry_scope("daba-lite", 20), StateCounts(220, 11459, 0, 14)
    ),
    "recompute, 8 items": StateExploration(
        registry_scope("recompute", 8, 8), StateCounts(9, 933, 1056, 2)
    ),
}

NIGHTLY = {
    "fiba, min-arity 2, 16 keys": StateExploration(
        tree_scope(Fiba, 2, 16, 6), StateCounts(2450, 306378, 2331553, 1651)
    ),
    "fiba, min-arity 2, 20 keys": StateExploration(
        tree_scope(Fiba, 2, 20, 6), StateCounts(19855, 3151767, 29066873, 13575)
    ),
    "fiba, min-arity 2, 13 keys, all pairs": StateExploration(
        tree_scope(Fiba, 2, 13, 13), StateCounts(468, 187603, 510721, 716)
    ),
    "fiba, min-arity 3, 18 keys": StateExploration(
        tree_scope(Fiba, 3, 18, 8), StateCounts(404, 60192, 354830, 153)
    ),
    "fiba, min-arity 4, 18 keys": StateExploration(
        tree_scope(Fiba, 4, 18, 8), StateCounts(158, 23645, 126177, 50)
    ),
    "fiba with coins, min-arity 2, 14 keys": StateExploration(
        tree_scope(AuditedFiba, 2, 14, 6), StateCounts(847, 92122, 635643, 592)
    ),
    "btree, min-arity 2, 17 keys": StateExploration(
        tree_scope(BTree, 2, 17, 6), StateCounts(4101, 547530, 4312073, 2680)
    ),
    "btree with coins, min-arity 2, 14 keys": StateExploration(
        tree_scope(AuditedBTree, 2, 14, 6), StateCounts(847, 92122, 635643, 592)
    ),
    "reactive, capacity 4 to 8": StateExploration(
        ring_scope(4, 8, 8), StateCounts(1052, 41212, 142881, 2)
    ),
    "reactive, capacity 8": StateExploration(
        ring_scope(8, 8, 8), StateCounts(1032, 40584, 141721, 2)
    ),
    "reactive, capacity 16, 4 items": StateExploration(
        ring_scope(16, 4, 16), StateCounts(3408, 186480, 1671360, 1248)
    ),
    "reactive, first in first out, capacity 1 to 64": StateExploration(
        ring_scope(1, 40, 64, BlottedFifoRing), StateCounts(2686, 247283, 3996407, 64)
    ),
    "flatfat, 40 items": StateExploration(
        registry_scope("flatfat", 40, 20), StateCounts(78, 46506, 78383, 1)
    ),
    "b-int, 40 items, 64 positions": StateExploration(
        b_int_scope(40, 64), StateCounts(2665, 226460, 3859805, 885)
    ),
    "two-stacks, 40 items": StateExploration(
        registry_scope("two-stacks", 40), StateCounts(860, 84539, 0, 40)
    ),
    "two-stacks-lite, 40 items": StateExploration(
        registry_scope("two-stacks-lite", 40), StateCounts(861, 84664, 0, 41)
    ),
    "daba, 60 items": StateExploration(
        registry_scope("daba", 60), StateCounts(4416, 645639, 0, 91)
    ),
    "daba-lite, 60 items": StateExploration(
        registry_scope("daba-lite", 60), StateCounts(4416, 645639, 0, 91)
    ),
}

SCOPES = CI | (NIGHTLY if PROFILE == "nightly" else {})
