"""Bulk insert of a sorted batch: one search and one merge per touched leaf."""

from muntin.kernels.compiler.kernel_api import CAP, A, combine, inlined, load, load_one, store
from muntin.kernels.finger_btree.insertion import insert, split_leaf
from muntin.kernels.finger_btree.layout import HEAD, INSERTED, LEFT, RIGHT, STAGE, STAGED
from muntin.kernels.finger_btree.nodes import compact, mark_stale
from muntin.kernels.finger_btree.records import LeafSlot, SortedBatch, TreeArrays
from muntin.kernels.finger_btree.search import first_entry, first_from, key_above_leaf, mark, seek


@inlined
def belongs_to_leaf(slot: LeafSlot, time: int) -> bool:
    """Whether a time, not before the leaf, belongs to it."""
    return time < slot.limit or (time == slot.limit and slot.limit_belongs)


@inlined
def stage_entries(
    tree: TreeArrays[A], batch: SortedBatch[A], at: int, slot: LeafSlot
) -> tuple[int, int, bool]:
    """Combine values at times that the leaf has, and stage new entries while it has room.

    Returns the start of the rest of the batch, the number staged, and whether the leaf is full.
    """
    s, times, leaves, ends, leaf = tree.s, tree.times, tree.leaves, tree.ends, slot.leaf
    last = times[leaf, CAP]
    place = first_from(times, leaf, first_entry(tree, leaf), last, batch.times[at])
    staged, room = 0, CAP - last
    while at < len(batch.times):
        time, value = batch.times[at], load_one(batch.values, at)
        if not belongs_to_leaf(slot, time):
            break
        while place < last and times[leaf, place] < time:
            place += 1
        if place < last and times[leaf, place] == time:
            store(leaves, leaf, place, combine(load(leaves, leaf, place), value))
        elif staged > 0 and s[STAGED + staged - 1] == time:
            store(ends, STAGE, staged - 1, combine(load(ends, STAGE, staged - 1), value))
        elif staged == room:
            return at, staged, True
        else:
            s[STAGED + staged] = time
            store(ends, STAGE, staged, value)
            staged += 1
        at += 1
    return at, staged, False


@inlined
def merge_staged(tree: TreeArrays[A], leaf: int, staged: int) -> None:
    """Merge staged entries into a leaf, the youngest first."""
    s, times, leaves = tree.s, tree.times, tree.leaves
    old = times[leaf, CAP] - 1
    new = staged - 1
    times[leaf, CAP] += staged
    s[INSERTED] += staged
    first = first_entry(tree, leaf)
    while new >= 0:
        time = s[STAGED + new]
        while old >= first and times[leaf, old] > time:
            times[leaf, old + new + 1] = times[leaf, old]
            store(leaves, leaf, old + new + 1, load(leaves, leaf, old))
            old -= 1
        times[leaf, old + new + 1] = time
        store(leaves, leaf, old + new + 1, load(tree.ends, STAGE, new))
        new -= 1


@inlined
def insert_run(tree: TreeArrays[A], batch: SortedBatch[A], at: int) -> int:
    """Insert the entries for one leaf; returns the start of the rest of the batch."""
    s, times = tree.s, tree.times
    time = batch.times[at]
    last = times[s[RIGHT], CAP]
    if last == 0 or time > times[s[RIGHT], last - 1]:
        insert(tree, time, load_one(batch.values, at))
        return at + 1
    leaf, top, side = seek(tree, time)
    if leaf == s[LEFT] and times[leaf, CAP] == CAP and s[HEAD] > 0:
        compact(tree, leaf)
    bounded, limit = key_above_leaf(tree, top, side, times[leaf, times[leaf, CAP] - 1])
    slot = LeafSlot(leaf, limit, not bounded)
    mark_stale(tree, leaf, first_from(times, leaf, first_entry(tree, leaf), times[leaf, CAP], time))
    at, staged, full = stage_entries(tree, batch, at, slot)
    merge_staged(tree, leaf, staged)
    mark(tree, top, side)
    if full:
        split_leaf(tree, leaf, top, side)
    return at
