"""Logs: partials that keep each value of a row, as lists that share what they have in common.

A row has the head of its list and how many items it has. The head is 0, an item, or a node: the
list of an item is that item and the list before it; a node joins two lists, or is a run of items
that lie together. Nothing that a list holds changes, so to copy a row is to copy its head, and to
merge two is to make one node. What no row reaches any more goes when the log is compacted.

Values are kept as integers in their order, so floats are kept by their ranks.
"""

# An item of an array at an item of another is an array to pyright, so:
# pyright: reportArgumentType=false

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import (
    Ints,
    PartPhase,
    Phase,
    call,
    inlined,
    ints,
    outlined,
    words,
)
from muntin.columnar.engine.partials.columns import part_field
from muntin.columnar.engine.partials.extremes import MOST, rank_of
from muntin.columnar.engine.partials.values.selection import (
    FEW_ITEMS,
    narrow_runs,
    next_item,
    select_item,
    sort_items,
)

# places of a log, from its first one on
(
    AT_STATE, AT_VALUES, AT_BEFORE, AT_NODES, AT_TIMES, AT_NUMBERS,
        AT_STACK, AT_SCRATCH, AT_HEADS, AT_TARGETS, AT_RESULTS, AT_COUNTS, AT_BOUNDS,
    NEW_VALUES, NEW_TIMES, NEW_NUMBERS, NEW_NODES,
) = range(17)  # fmt: skip
LOG_PLACES = NEW_NODES + 1

ITEMS, NODES, NEW_ITEMS, NEW_COUNT, RUNS, LOG_SCALARS = range(6)
"""Scalars of a log: how many items and nodes there are, and of its new arrays; and how many runs
a list has.
"""
LEAST_RUN = 32
"""A list of fewer items is no run of its own."""

N_LEFT, N_RIGHT, N_FIELDS = 0, 1, 2
RUN = -(1 << 60)
"""The right of a node that is a run, less how many items it has; its left is the first of them."""
LEAST_HEAD = -(1 << 40)
"""Below it lies what is no head. What is before an item whose list a node has is that node below
it."""


@PartPhase
def add_log(t: Directory, part: int, to: int, origin: int) -> int:
    """Put values to the lists of their rows."""
    scalars, log = ints(t, d.SCALARS), part_field(t, part, d.P_LOG)
    state, n = ints(t, log), scalars[d.N]
    if state[ITEMS] + n > len(ints(t, log + AT_VALUES)):
        call(part_field(t, part, d.P_ROOM), t, part, n, 0)
        if state[ITEMS] + n > len(ints(t, log + AT_VALUES)):
            return 0
    source, times = words(t, part_field(t, part, d.P_SOURCE)), ints(t, d.TIMES)
    valid, flags = ints(t, part_field(t, part, d.P_TIME)), part_field(t, part, d.P_FLAGS)
    values, before, heads, counts = (
        ints(t, log + AT_VALUES),
        ints(t, log + AT_BEFORE),
        ints(t, to),
        ints(t, to + 1),
    )
    moments, numbers = ints(t, log + AT_TIMES), ints(t, log + AT_NUMBERS)
    fold, is_ordered = MOST if flags & d.REAL else 0, flags & d.ORDERED
    arrived = scalars[d.ARRIVED] - n
    begins, ends, rows = ints(t, d.ENTRY_BEGIN), ints(t, d.ENTRY_END), ints(t, d.ENTRY_ROW)
    lows, highs, placed = ints(t, d.ENTRY_LOW), ints(t, d.ENTRY_HIGH), ints(t, d.PLACED)
    item = state[ITEMS]
    for e in range(scalars[d.ENTRIES]):
        low, high = lows[e], highs[e]
        for i in range(begins[e], ends[e]):
            if (valid[i] >= low) & (valid[i] < high):
                row = rows[e] if rows[e] >= 0 else placed[i]
                values[item], before[item] = rank_of(source[i], fold, 0), heads[row]
                if is_ordered:
                    moments[item], numbers[item] = times[i], arrived + i
                item += 1
                heads[row] = item
                counts[row] += 1
    state[ITEMS] = item
    return 0


@PartPhase
def merge_logs(t: Directory, part: int, to: int, origin: int) -> int:
    """Join the lists of each pair of rows."""
    merges, log = ints(t, d.SCALARS)[d.MERGES], part_field(t, part, d.P_LOG)
    state, froms, tos = ints(t, log), ints(t, d.MERGE_FROM), ints(t, d.MERGE_TO)
    heads, counts, others, held = (
        ints(t, to),
        ints(t, to + 1),
        ints(t, origin),
        ints(t, origin + 1),
    )
    need = N_FIELDS * (state[NODES] + merges)
    if need > len(ints(t, log + AT_NODES)):
        call(part_field(t, part, d.P_ROOM), t, part, 0, merges)
        if need > len(ints(t, log + AT_NODES)):
            return 0
    nodes = ints(t, log + AT_NODES)
    ints(t, d.SCALARS)[d.WORK] += merges
    for i in range(merges):
        row, head = tos[i], others[froms[i]]
        if head == 0:
            continue
        counts[row] += held[froms[i]]
        if heads[row] == 0:
            heads[row] = head
        else:
            heads[row] = put_node(state, nodes, heads[row], head)
    return 0


@inlined
def put_node(state: Ints, nodes: Ints, left: int, right: int) -> int:
    """A head that is a new node; there is room."""
    node: int = state[NODES]
    nodes[N_FIELDS * node + N_LEFT], nodes[N_FIELDS * node + N_RIGHT] = left, right
    state[NODES] = node + 1
    return -1 - node


@outlined
def gather_items(t: Directory, log: int, head: int) -> int:
    """Write the places of the items of a list to the scratch; how many there are."""
    before, nodes = ints(t, log + AT_BEFORE), ints(t, log + AT_NODES)
    stack, scratch = ints(t, log + AT_STACK), ints(t, log + AT_SCRATCH)
    o = depth = 0
    while True:
        while head > 0:
            scratch[o] = head - 1
            o += 1
            head = before[head - 1]
            if head < LEAST_HEAD:  # a node has the item and its list
                o -= 1
                head -= LEAST_HEAD
        if head < 0:
            at = N_FIELDS * (-1 - head)
            left, right = nodes[at + N_LEFT], nodes[at + N_RIGHT]
            if right > LEAST_HEAD:
                stack[depth] = left
                depth += 1
                head = right
                continue
            for i in range(right - RUN):
                scratch[o + i] = left + i
            o += right - RUN
        if depth == 0:
            return o
        depth -= 1
        head = stack[depth]


@inlined
def keep_run(t: Directory, log: int, head: int, begin: int, n: int, rest: int) -> bool:
    """Make a sorted run of the items of a list that the scratch has, if there is room."""
    state, values, nodes = ints(t, log), ints(t, log + AT_VALUES), ints(t, log + AT_NODES)
    scratch, first = ints(t, log + AT_SCRATCH), state[ITEMS]
    if first + n > len(values) or N_FIELDS * (state[NODES] + 2) > len(nodes):
        return False
    for i in range(n):
        values[first + i] = scratch[begin + i]
    sort_items(values, first, first + n, scratch[len(scratch) >> 1 : len(scratch)])
    state[ITEMS] = first + n
    node = put_node(state, nodes, first, RUN + n)
    if rest:
        node = put_node(state, nodes, node, rest)
    ints(t, log + AT_BEFORE)[head - 1] = LEAST_HEAD + node
    return True


@inlined
def note_run(t: Directory, log: int, begin: int, end: int) -> None:
    """Note a run of a list."""
    state, bounds = ints(t, log), ints(t, log + AT_BOUNDS)
    bounds[2 * state[RUNS]], bounds[2 * state[RUNS] + 1] = begin, end
    state[RUNS] += 1


@outlined
def gather_runs(t: Directory, log: int, head: int) -> int:
    """Note the runs of a list, and write its other values to the scratch; how many these are.

    What several lists may have in common is sorted when it is read first, and then is a run.
    """
    state, before, nodes = ints(t, log), ints(t, log + AT_BEFORE), ints(t, log + AT_NODES)
    stack, scratch = ints(t, log + AT_STACK), ints(t, log + AT_SCRATCH)
    values, is_part = ints(t, log + AT_VALUES), head < 0
    o = depth = state[RUNS] = 0
    while True:
        if head > 0:
            begin, first = o, head
            while head > 0:
                scratch[o] = values[head - 1]
                o += 1
                head = before[head - 1]
            if head < LEAST_HEAD:  # a node has the last item and its list
                o -= 1
                head -= LEAST_HEAD
            n = o - begin
            if n >= LEAST_RUN and is_part and keep_run(t, log, first, begin, n, head):
                note_run(t, log, state[ITEMS] - n, state[ITEMS])
                o = begin
        if head < 0:
            at = N_FIELDS * (-1 - head)
            left, right = nodes[at + N_LEFT], nodes[at + N_RIGHT]
            if right > LEAST_HEAD:
                stack[depth] = left
                depth += 1
                head = right
                continue
            note_run(t, log, left, left + right - RUN)
        if depth == 0:
            return o
        depth -= 1
        head = stack[depth]


@Phase
def select_rows(t: Directory, log: int, rows: int) -> int:
    """For some lists, the value of a rank, and the next one in order, or the same if it is last."""
    state, values = ints(t, log), ints(t, log + AT_VALUES)
    heads, targets = ints(t, log + AT_HEADS), ints(t, log + AT_TARGETS)
    results, bounds = ints(t, log + AT_RESULTS), ints(t, log + AT_BOUNDS)
    scratch = ints(t, log + AT_SCRATCH)
    for row in range(rows):
        if heads[row] == 0:
            continue
        n = gather_runs(t, log, heads[row])
        runs, total, first = state[RUNS], n, state[ITEMS]
        for run in range(runs):
            total += bounds[2 * run + 1] - bounds[2 * run]
        result = results[2 * row : 2 * row + 2]
        if total > n + FEW_ITEMS * runs and first + n <= len(values):
            if n:  # a run for now
                for i in range(n):
                    values[first + i] = scratch[i]
                spare = scratch[len(scratch) >> 1 : len(scratch)]
                sort_items(values, first, first + n, spare)
                bounds[2 * runs], bounds[2 * runs + 1] = first, first + n
                runs += 1
            narrow_runs(values, bounds, runs, targets[row], result, scratch)
            continue
        for run in range(runs):
            for i in range(bounds[2 * run], bounds[2 * run + 1]):
                scratch[n] = values[i]
                n += 1
        result[0] = select_item(scratch, n, targets[row])
        result[1] = next_item(scratch, n, targets[row], result[0])
    return 0


@Phase
def list_rows(t: Directory, log: int, rows: int) -> int:
    """Write the places of the items of some lists one after the other, and how many each has."""
    heads, counts = ints(t, log + AT_HEADS), ints(t, log + AT_COUNTS)
    results, scratch = ints(t, log + AT_RESULTS), ints(t, log + AT_SCRATCH)
    o = 0
    for row in range(rows):
        n = gather_items(t, log, heads[row])
        for i in range(n):
            results[o + i] = scratch[i]
        counts[row] = n
        o += n
    return o


@Phase
def move_rows(t: Directory, log: int, column: int) -> int:
    """Move the lists of a column of heads to the new arrays, each as one run."""
    state, heads = ints(t, log), ints(t, column)
    values, moments, numbers = (
        ints(t, log + AT_VALUES),
        ints(t, log + AT_TIMES),
        ints(t, log + AT_NUMBERS),
    )
    new_values, new_times = ints(t, log + NEW_VALUES), ints(t, log + NEW_TIMES)
    new_numbers, new_nodes = ints(t, log + NEW_NUMBERS), ints(t, log + NEW_NODES)
    scratch = ints(t, log + AT_SCRATCH)
    item, node = state[NEW_ITEMS], state[NEW_COUNT]
    for row in range(len(heads)):
        if heads[row] == 0:
            continue
        n = gather_items(t, log, heads[row])
        for i in range(n):
            new_values[item + i] = values[scratch[i]]
        if len(new_times):
            for i in range(n):
                new_times[item + i] = moments[scratch[i]]
                new_numbers[item + i] = numbers[scratch[i]]
        else:
            sort_items(new_values, item, item + n, scratch)
        new_nodes[N_FIELDS * node], new_nodes[N_FIELDS * node + 1] = item, RUN + n
        item, node = item + n, node + 1
        heads[row] = -node
    state[NEW_ITEMS], state[NEW_COUNT] = item, node
    return 0
