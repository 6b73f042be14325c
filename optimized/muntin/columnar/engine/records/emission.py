"""Rows of results: the rows of a window are folded from its last one back, by nodes of the tree."""

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.cells import slot_of
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.emission import has_room, note_copy, note_merge
from muntin.columnar.engine.kernel_language import Ints, call, inlined, ints, outlined
from muntin.columnar.engine.records import layout as r
from muntin.columnar.engine.records.search import time_at
from muntin.columnar.engine.records.tree import slot_of_child, word
from muntin.columnar.engine.sessions.emission import lacks_output, put_result


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
def note_piece(t: Directory, base: int, scalars: Ints, row: int, first: bool) -> None:
    """Note that a row is copied to the next row of results, or merged into it."""
    if not has_room(t, scalars, 1):
        fold_results(t, base)
    if first:
        note_copy(t, scalars, row, scalars[d.OUT])
    else:
        note_merge(t, scalars, row, scalars[d.OUT])


@outlined
def fold_back(t: Directory, base: int, place: int, start: int, most: int, old: int) -> int:
    """Fold the last rows up to a place, from a time on, at most a number; if `old`, no new ones.

    What comes first is merged into what comes later, so each part knows the order.
    """
    scalars, store = ints(t, d.SCALARS), ints(t, base + r.AT_SCALARS)
    nodes, steps = ints(t, base + r.AT_NODES), ints(t, base + r.AT_STEPS)
    node, slot, level, rows = place >> r.SLOT_BITS, place & r.LAST_SLOT, 0, 0
    step = store[r.STEP] if old else -1
    while True:
        at, down = word(node, 0), 0
        while slot >= 0 and rows < most:
            time, child = nodes[at + 2 * slot], nodes[at + 2 * slot + 1]
            if level == 0:
                if time < start:
                    return rows
                row, held = child >> 1, int(steps[child >> 1] != step)
            else:
                row, held = nodes[word(child, r.FOLD)], nodes[word(child, r.ROWS)]
                if time < start or rows + held > most or nodes[word(child, r.CHANGED)] == step:
                    down = child
                    break
            if held:
                note_piece(t, base, scalars, row, rows == 0)
            rows, slot = rows + held, slot - 1
        parent = nodes[at + r.PARENT]
        if rows == most or (down == 0 and parent == 0):
            return rows
        if down:
            node, level, slot = down, level - 1, nodes[word(down, r.FILL)] - 1
        else:
            slot, level = slot_of_child(nodes, parent, node) - 1, level + 1
            node = parent


@outlined
def revision_at(t: Directory, base: int, name: int, start: int, end: int) -> int:
    """Where the revision of a window lies, or may be entered."""
    revisions = ints(t, base + r.AT_REVISIONS)
    mask = len(revisions) // r.V_FIELDS - 1
    slot = slot_of((end * 1_000_003 + name) * 31 + start, 40) & mask
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
    revisions = len(ints(t, base + r.AT_REVISIONS)) // r.V_FIELDS
    full = store[r.LACK] > 0 or 2 * (store[r.REVISIONS] + 1) > revisions
    if full or lacks_output(t, scalars, 1):
        store[r.LACK] += 1
        return True
    return False


@outlined
def put_window(
    t: Directory, base: int, query: int, key: int, kind: int, start: int, end: int,
    place: int, low: int, most: int,
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
    count = fold_back(t, base, place, low, most, int(kind == d.RETRACTED))
    put_result(t, r.RECORD_NUMBERS + query, kind, key, start, end, count, revision)
    return 0
