"""The kernels that Python calls: loops over columns, which stop where they need more rows."""

from muntin.kernels.compiler.kernel_api import A, Column, Ints, kernel, load_one, store_one
from muntin.kernels.finger_btree.bulk_insert import insert_run
from muntin.kernels.finger_btree.eviction import evict, evict_through
from muntin.kernels.finger_btree.insertion import insert
from muntin.kernels.finger_btree.lazy_folds import window_fold
from muntin.kernels.finger_btree.nodes import has_room, initialize, tables_of
from muntin.kernels.finger_btree.range_query import fold_range
from muntin.kernels.finger_btree.records import SortedBatch, TreeArrays


@kernel
def begin_tree(arrays: TreeArrays[A], identity: Column[A]) -> None:
    """Turn arrays of zeros into an empty tree."""
    tree = tables_of(arrays)
    initialize(tree, load_one(identity, 0))


@kernel
def insert_each(arrays: TreeArrays[A], batch: SortedBatch[A], at: int) -> int:
    """Insert a batch from a position on, one entry after another; returns where it stopped."""
    tree = tables_of(arrays)
    while at < len(batch.times) and has_room(tree):
        insert(tree, batch.times[at], load_one(batch.values, at))
        at += 1
    return at


@kernel
def insert_sorted(arrays: TreeArrays[A], batch: SortedBatch[A], at: int) -> int:
    """Insert a sorted batch from a position on, leaf by leaf; returns where it stopped."""
    tree = tables_of(arrays)
    while at < len(batch.times) and has_room(tree):
        at = insert_run(tree, batch, at)
    return at


@kernel
def evict_each(arrays: TreeArrays[A], times: Ints) -> None:
    """Evict the entry at each of these times."""
    tree = tables_of(arrays)
    for at in range(len(times)):
        evict(tree, times[at])


@kernel
def evict_up_to(arrays: TreeArrays[A], time: int) -> None:
    """Evict all entries up to a time."""
    tree = tables_of(arrays)
    evict_through(tree, time)


@kernel
def query(arrays: TreeArrays[A], out: Column[A]) -> None:
    """Fold the window."""
    tree = tables_of(arrays)
    store_one(out, 0, window_fold(tree))


@kernel
def query_ranges(
    arrays: TreeArrays[A], firsts: Ints, lasts: Ints, out: Column[A], nonempty: Ints
) -> None:
    """Fold each range of time, and mark the nonempty ones with 1."""
    tree = tables_of(arrays)
    for at in range(len(firsts)):
        has_entries, total = fold_range(tree, firsts[at], lasts[at])
        store_one(out, at, total)
        nonempty[at] = int(has_entries)


@kernel
def run_rounds(
    arrays: TreeArrays[A], up_to: Ints, batch: SortedBatch[A], out: Column[A], at: int
) -> int:
    """For each entry evict up to a time, insert the entry, fold the window; returns the stop."""
    tree = tables_of(arrays)
    while at < len(batch.times) and has_room(tree):
        evict_through(tree, up_to[at])
        insert(tree, batch.times[at], load_one(batch.values, at))
        store_one(out, at, window_fold(tree))
        at += 1
    return at
