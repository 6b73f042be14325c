"""Rows of results: the rows of a window are folded from its last one back, by nodes of the tree."""

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.cells import slot_of
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.emission import has_room, note_copy
from muntin.columnar.engine.kernel_language import Ints, call, inlined, ints, outlined
from muntin.columnar.engine.records import layout as r
from muntin.columnar.engine.records.search import (
    last_before,
    place_of_rank,
    previous_leaf_place,
    time_at,
)
from muntin.columnar.engine.records.tree import fold_columns, slot_of_child, word
from muntin.columnar.engine.sessions.emission import lacks_output, put_result
from muntin.columnar.engine.timeline import U

LEAST_SHARED = 3
"""From one more windows that end in a leaf on, what they share is folded once."""


@outlined
def fold_results(t: Directory, base: int) -> int:
    """Copy and merge the pairs of rows that were noted into the results."""
    scalars, parts = ints(t, d.SCALARS), ints(t, d.PARTS)
    columns = ints(t, base + r.AT_COLUMNS)
    for part in range(scalars[d.PART_COUNT]):
        at, place = part * d.P_FIELDS, columns[part]
        if place:
            call(parts[at + d.P_COPY], t, part, parts[at + d.P_OUT], place)
            call(parts[at + d.P_MERGE], t, part, parts[at + d.P_OUT], place)
    scalars[d.COPIES] = scalars[d.MERGES] = 0
    return 0


@inlined
def make_pair_room(t: Directory, base: int, scalars: Ints, to: int) -> None:
    """Have room for the pairs of a node: they go to results, or to the shared row."""
    if not has_room(t, scalars, r.FAN + 1):
        if to == r.CORE:
            fold_columns(t, base)
        else:
            fold_results(t, base)


@inlined
def note_piece(t: Directory, scalars: Ints, row: int, target: int, rows: int, merges: int) -> int:
    """Note the next row of a fold, of which some are noted; how many pairs are merged then."""
    if rows == 0:
        note_copy(t, scalars, row, target)
        return merges
    ints(t, d.MERGE_FROM)[U(merges)], ints(t, d.MERGE_TO)[U(merges)] = row, target
    return merges + 1


@inlined
def left_of(nodes: Ints, node: int, down: int) -> tuple[int, int]:
    """A child with its last slot; or the parent of a node, with the slot to the left of it."""
    if down:
        return down, nodes[word(down, r.FILL)] - 1
    parent = nodes[word(node, r.PARENT)]
    return parent, slot_of_child(nodes, parent, node) - 1


@outlined
def fold_back(
    t: Directory, base: int, place: int, start: int, most: int, which: int, rows: int, to: int
) -> int:
    """Fold the last rows up to a place, from a time on, at most a number of them.

    What comes first is merged into what comes later, of which some rows may be folded already.
    """
    scalars, store = ints(t, d.SCALARS), ints(t, base + r.AT_SCALARS)
    nodes, steps = ints(t, base + r.AT_NODES), ints(t, base + r.AT_STEPS)
    node, slot, level = place >> r.SLOT_BITS, place & r.LAST_SLOT, 0
    step, passed, target = store[r.STEP], rows, r.CORE if to == r.CORE else scalars[d.OUT]
    while True:
        make_pair_room(t, base, scalars, to)
        at, down, merges = word(node, 0), 0, scalars[d.MERGES]
        while slot >= 0 and passed < most:
            time, child = nodes[U(at + 2 * slot)], nodes[U(at + 2 * slot + 1)]
            if level == 0:
                if time < start:
                    break
                row, held = child >> 1, 1
                fits = which == r.ALL or (steps[U(row)] == step) == (which == r.NEW)
            else:
                below = word(child, 0)
                row, held = nodes[U(below + r.FOLD)], nodes[U(below + r.ROWS)]
                is_mixed = which != r.ALL and nodes[U(below + r.CHANGED)] == step
                if time < start or passed + held > most or is_mixed:
                    down = child
                    break
                fits = which != r.NEW
            if fits:
                merges = note_piece(t, scalars, row, target, rows, merges)
            rows, passed, slot = rows + held * int(fits), passed + held, slot - 1
        scalars[d.MERGES] = merges
        parent = nodes[U(at + r.PARENT)]
        if passed == most or (down == 0 and (parent == 0 or slot >= 0)):
            return rows
        level += -1 if down else 1
        node, slot = left_of(nodes, node, down)


@outlined
def share_core(t: Directory, base: int, root: int, place: int, size: int, high: int) -> int:
    """Fold what the windows share that end with rows of a leaf, from a place on and before a time.

    They begin before the leaf, and hold all rows from the start of the last one up to the leaf.
    """
    store, nodes = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_NODES)
    leaf, slot = place >> r.SLOT_BITS, place & r.LAST_SLOT
    last = nodes[word(leaf, r.FILL)] - 1
    while last > slot and nodes[word(leaf, 2 * last)] >= high:
        last -= 1
    low = nodes[word(leaf, 2 * last)] - size + 1
    store[r.CORE_LEAF] = 0
    if last - slot < LEAST_SHARED or low > nodes[word(leaf, 0)]:
        return 0
    before = previous_leaf_place(nodes, leaf << r.SLOT_BITS)
    if before == 0 or time_at(nodes, before) < low:
        return 0
    fold_results(t, base)
    store[r.CORE_ROWS] = fold_back(t, base, before, low, d.FAR, r.ALL, 0, r.CORE)
    fold_columns(t, base)
    store[r.CORE_LEAF], store[r.CORE_PLACE] = leaf, last_before(nodes, root, low)
    return 0


@outlined
def fold_shared(t: Directory, base: int, place: int, start: int) -> int:
    """Fold the rows of a leaf up to a place, what is shared, and the rows before that."""
    scalars, store = ints(t, d.SCALARS), ints(t, base + r.AT_SCALARS)
    nodes, at = ints(t, base + r.AT_NODES), word(place >> r.SLOT_BITS, 1)
    froms, tos, target = ints(t, d.MERGE_FROM), ints(t, d.MERGE_TO), scalars[d.OUT]
    make_pair_room(t, base, scalars, r.FIRST_ROW)
    last, merges = place & r.LAST_SLOT, scalars[d.MERGES]
    note_copy(t, scalars, nodes[U(at + 2 * last)] >> 1, target)
    for slot in range(last - 1, -1, -1):
        froms[U(merges)], tos[U(merges)] = nodes[U(at + 2 * slot)] >> 1, target
        merges += 1
    froms[U(merges)], tos[U(merges)] = r.CORE, target
    scalars[d.MERGES] = merges + 1
    rows = last + 1 + store[r.CORE_ROWS]
    if store[r.CORE_PLACE] == 0:
        return int(rows)
    return fold_back(t, base, store[r.CORE_PLACE], start, d.FAR, r.ALL, rows, r.FIRST_ROW)


@outlined
def fold_shifted(
    t: Directory, base: int, key: int, place: int, start: int, end: int, low: int
) -> int:
    """Fold the rows of a range of ranks that it did not hold: new ones, and all before one."""
    nodes, keys = ints(t, base + r.AT_NODES), ints(t, base + r.AT_KEYS)
    rows, known = 0, max(low, start)
    if known < end:
        rows = fold_back(t, base, place, -d.FAR, end - known, r.NEW, 0, r.FIRST_ROW)
    first, last = max(start, 0), min(known, end)
    if last > first:
        place = place_of_rank(nodes, keys, key, last - 1)
        most = rows + last - first
        rows = fold_back(t, base, place, -d.FAR, most, r.ALL, rows, r.FIRST_ROW)
    return rows


@outlined
def revision_at(t: Directory, base: int, name: int, start: int, end: int) -> int:
    """Where the revision of a window lies, or may be entered."""
    revisions = ints(t, base + r.AT_REVISIONS)
    mask = len(revisions) // r.V_FIELDS - 1
    mixed = (start & r.LOW_BITS) * r.MIXED[0] + (end & r.LOW_BITS) * r.MIXED[1]
    slot = slot_of(mixed + (name & r.LOW_BITS) * r.MIXED[2] + (name >> 32), 40) & mask
    while True:
        at = slot * r.V_FIELDS
        held = revisions[at + r.V_NAME]
        same = revisions[at + r.V_START] == start and revisions[at + r.V_END] == end
        if held == 0 or (held == name and same):
            return at
        slot = (slot + 1) & mask


@outlined
def next_revision(t: Directory, base: int, name: int, start: int, end: int, until: int) -> int:
    """One more than the last revision of a window; there is room."""
    store, revisions = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_REVISIONS)
    at = revision_at(t, base, name, start, end)
    if revisions[at + r.V_NAME] == 0:
        revisions[at + r.V_NAME], revisions[at + r.V_START] = name, start
        revisions[at + r.V_END] = end
        store[r.REVISIONS] += 1
    revisions[at + r.V_UNTIL] = until
    revisions[at + r.V_NUMBER] += 1
    return int(revisions[at + r.V_NUMBER])


@inlined
def lacks_line(t: Directory, base: int, scalars: Ints, store: Ints) -> bool:
    """Whether a further row of results has no room; it is counted then."""
    words = 2 * r.V_FIELDS * (store[r.REVISIONS] + 1)
    full = store[r.LACK] > 0 or words > len(ints(t, base + r.AT_REVISIONS))
    if full or lacks_output(t, scalars, 1):
        store[r.LACK] += 1
        return True
    return False


@outlined
def put_window(
    t: Directory, base: int, query: int, key: int, kind: int, start: int, end: int,
    place: int, low: int, most: int, which: int,
) -> int:  # fmt: skip
    """Write the results of a window, whose rows lie up to a place, unless it was written before."""
    scalars, store = ints(t, d.SCALARS), ints(t, base + r.AT_SCALARS)
    revisions, name, at = ints(t, base + r.AT_REVISIONS), (query + 1) << 32 | key, 0
    if kind == d.RETRACTED:
        at = revision_at(t, base, name, start, end)
        if scalars[d.MODE] != d.RETRACTS:
            revisions[at + r.V_NUMBER] = 0
            return 0
    store[r.LINE] += 1
    if store[r.LINE] <= store[r.EMITTED] or lacks_line(t, base, scalars, store):
        return 0
    store[r.EMITTED], revision = store[r.LINE], 0
    if kind == d.UPDATED:
        until = end if most == d.FAR else time_at(ints(t, base + r.AT_NODES), place) + 1
        revision = next_revision(t, base, name, start, end, until)
    elif kind == d.RETRACTED:
        revision = revisions[at + r.V_NUMBER]
        revisions[at + r.V_NUMBER] = 0
    if place >> r.SLOT_BITS == store[r.CORE_LEAF]:
        count = fold_shared(t, base, place, low)
    elif most < d.FAR and which == r.NEW:
        count = fold_shifted(t, base, key, place, start, end, low)
    else:
        count = fold_back(t, base, place, low, most, which, 0, r.FIRST_ROW)
    if count:
        put_result(t, r.RECORD_NUMBERS + query, kind, key, start, end, count, revision)
    return 0
