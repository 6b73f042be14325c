"""Places in the tree of a key: by time, by rank, and by marks. Nothing is read that lies between.

A rank counts the rows of a key from its first event on, also those that are forgotten.
"""

# An item of an array at an item of another is an array to pyright, so:
# pyright: reportArgumentType=false

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.kernel_language import Ints, inlined, outlined
from muntin.columnar.engine.records import layout as r
from muntin.columnar.engine.records.tree import slot_of_child, word


@inlined
def time_at(nodes: Ints, place: int) -> int:
    """The time of the row at a place."""
    return int(nodes[word(place >> r.SLOT_BITS, 2 * (place & r.LAST_SLOT))])


@inlined
def child_at(nodes: Ints, place: int) -> int:
    """The row at a place, and whether it is marked."""
    return int(nodes[word(place >> r.SLOT_BITS, 2 * (place & r.LAST_SLOT) + 1)])


@inlined
def next_place(nodes: Ints, place: int) -> int:
    """The place of the next row, or 0."""
    leaf = place >> r.SLOT_BITS
    if (place & r.LAST_SLOT) + 1 < nodes[word(leaf, r.FILL)]:
        return place + 1
    return int(nodes[word(leaf, r.NEXT)] << r.SLOT_BITS)


@outlined
def last_before(nodes: Ints, root: int, time: int) -> int:
    """The place of the last row before a time, or 0."""
    node = root
    if node == 0:
        return 0
    while True:
        at, slot = word(node, 0), nodes[word(node, r.FILL)] - 1
        while slot >= 0 and nodes[at + 2 * slot] >= time:
            slot -= 1
        if slot < 0:
            return 0
        if nodes[at + r.LEVEL] >> r.LEVEL_SHIFT == 0:
            return int(node << r.SLOT_BITS | slot)
        node = nodes[at + 2 * slot + 1]


@inlined
def first_from(nodes: Ints, keys: Ints, key: int, time: int) -> int:
    """The place of the first row that is not before a time, or 0."""
    at = key << r.KEY_BITS
    place = last_before(nodes, keys[at + r.ROOT], time)
    return next_place(nodes, place) if place else int(keys[at + r.FIRST] << r.SLOT_BITS)


@outlined
def rows_before(nodes: Ints, root: int, time: int) -> int:
    """How many rows that are kept are before a time."""
    node, rows = root, 0
    while node:
        at, slot = word(node, 0), 0
        n, inner = nodes[at + r.FILL], nodes[at + r.LEVEL] >> r.LEVEL_SHIFT
        while slot < n and nodes[at + 2 * slot] < time:
            slot += 1
        if inner == 0:
            return rows + slot
        for i in range(slot - 1):
            rows += nodes[word(nodes[at + 2 * i + 1], r.ROWS)]
        node = nodes[at + 2 * slot - 1] if slot else 0
    return rows


@inlined
def rank_from(nodes: Ints, keys: Ints, key: int, time: int) -> int:
    """The rank of the first row that is not before a time."""
    at = key << r.KEY_BITS
    return int(keys[at + r.DROPPED]) + rows_before(nodes, keys[at + r.ROOT], time)


@outlined
def place_of(nodes: Ints, root: int, nth: int) -> int:
    """The place of the nth row that is kept, or 0."""
    node = root
    if node == 0 or nth < 0 or nth >= nodes[word(root, r.ROWS)]:
        return 0
    while nodes[word(node, r.LEVEL)] >> r.LEVEL_SHIFT:
        at, slot = word(node, 0), 0
        rows = nodes[word(nodes[at + 1], r.ROWS)]
        while nth >= rows:
            nth, slot = nth - rows, slot + 1
            rows = nodes[word(nodes[at + 2 * slot + 1], r.ROWS)]
        node = nodes[at + 2 * slot + 1]
    return node << r.SLOT_BITS | nth


@inlined
def place_of_rank(nodes: Ints, keys: Ints, key: int, rank: int) -> int:
    """The place of the row of a rank, or 0."""
    at = key << r.KEY_BITS
    return place_of(nodes, keys[at + r.ROOT], rank - keys[at + r.DROPPED])


@outlined
def first_marked(nodes: Ints, place: int) -> int:
    """The first marked row from a place on, or 0."""
    if place == 0:
        return 0
    node, slot, level = place >> r.SLOT_BITS, place & r.LAST_SLOT, 0
    while node:
        at = word(node, 0)
        n = nodes[at + r.FILL]
        while slot < n:
            child = nodes[at + 2 * slot + 1]
            if level == 0 and child & 1:
                return node << r.SLOT_BITS | slot
            if level and nodes[word(child, r.MARKS)]:
                break
            slot += 1
        if slot < n:
            node, slot, level = nodes[at + 2 * slot + 1], 0, level - 1
        else:
            parent = nodes[at + r.PARENT]
            slot = slot_of_child(nodes, parent, node) + 1 if parent else 0
            node, level = parent, level + 1
    return 0


@outlined
def last_marked(nodes: Ints, place: int) -> int:
    """The last marked row up to a place, or 0."""
    if place == 0:
        return 0
    node, slot, level = place >> r.SLOT_BITS, place & r.LAST_SLOT, 0
    while node:
        at = word(node, 0)
        while slot >= 0:
            child = nodes[at + 2 * slot + 1]
            if level == 0 and child & 1:
                return node << r.SLOT_BITS | slot
            if level and nodes[word(child, r.MARKS)]:
                break
            slot -= 1
        if slot >= 0:
            node, level = nodes[at + 2 * slot + 1], level - 1
            slot = nodes[word(node, r.FILL)] - 1
        else:
            parent = nodes[at + r.PARENT]
            slot = slot_of_child(nodes, parent, node) - 1 if parent else 0
            node, level = parent, level + 1
    return 0


@inlined
def mark_after(nodes: Ints, keys: Ints, key: int, time: int) -> int:
    """The first marked row after a time, or 0."""
    return first_marked(nodes, first_from(nodes, keys, key, time + 1))


@inlined
def mark_upto(nodes: Ints, keys: Ints, key: int, time: int) -> int:
    """The last marked row that is not after a time, or 0."""
    return last_marked(nodes, last_before(nodes, keys[(key << r.KEY_BITS) + r.ROOT], time + 1))


@inlined
def is_fresh(nodes: Ints, steps: Ints, step: int, place: int) -> bool:
    """Whether a row came with this step."""
    return bool(steps[child_at(nodes, place) >> 1] == step)


@outlined
def old_mark_after(nodes: Ints, keys: Ints, steps: Ints, step: int, key: int, time: int) -> int:
    """The time of the first mark after a time that was there before this step, or FAR."""
    place = mark_after(nodes, keys, key, time)
    while place and is_fresh(nodes, steps, step, place):
        place = first_marked(nodes, next_place(nodes, place))
    return time_at(nodes, place) if place else d.FAR


@outlined
def old_mark_upto(nodes: Ints, keys: Ints, steps: Ints, step: int, key: int, time: int) -> int:
    """The time of the last mark up to a time that was there before this step, or -FAR."""
    place = mark_upto(nodes, keys, key, time)
    while place and is_fresh(nodes, steps, step, place):
        before = place - 1 if place & r.LAST_SLOT else previous_leaf_place(nodes, place)
        place = last_marked(nodes, before)
    return time_at(nodes, place) if place else -d.FAR


@outlined
def previous_leaf_place(nodes: Ints, place: int) -> int:
    """The last place of the leaf before that of a place, or 0."""
    node, level = place >> r.SLOT_BITS, 0
    while True:
        parent = nodes[word(node, r.PARENT)]
        if parent == 0:
            return 0
        slot = slot_of_child(nodes, parent, node) - 1
        node, level = parent, level + 1
        if slot >= 0:
            break
    node = nodes[word(node, 2 * slot + 1)]
    level -= 1
    while level:
        node = nodes[word(node, 2 * nodes[word(node, r.FILL)] - 1)]
        level -= 1
    return int(node << r.SLOT_BITS | (nodes[word(node, r.FILL)] - 1))


@outlined
def oldest_before_step(nodes: Ints, keys: Ints, steps: Ints, step: int, key: int) -> int:
    """The time of the first row that was there before this step, or FAR."""
    place = keys[(key << r.KEY_BITS) + r.FIRST] << r.SLOT_BITS
    while place and is_fresh(nodes, steps, step, place):
        place = next_place(nodes, place)
    return time_at(nodes, place) if place else d.FAR
