"""Windows that are due or changed: which they are, and which slices they hold."""

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import Ints, inlined, ints, linked, outlined
from muntin.columnar.engine.timeline import slice_at


@inlined
def first_end(time: int, step: int, phase: int) -> int:
    """The first end of a window that is not before a time."""
    return time + (phase - time) % step


@inlined
def start_of(end: int, kind: int, size: int, origin: int) -> int:
    """The start of the window of a query that ends at a time."""
    if kind == d.SLIDING:
        return end - size
    return end - 1 - (end - 1 - origin) % size


@outlined
def sort_dirty_slices(t: Directory) -> int:
    """Sort the slices that events came to behind the reported time, and count these events up."""
    scalars, dirty = ints(t, d.SCALARS), ints(t, d.DIRTY_SLICE)
    fresh, before = ints(t, d.FRESH), ints(t, d.DIRTY_BEFORE)
    n = scalars[d.DIRTY_SLICES]
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            s, j = dirty[i], i
            while j >= gap and dirty[j - gap] > s:
                dirty[j] = dirty[j - gap]
                j -= gap
            dirty[j] = s
        gap //= 3
    before[0] = 0
    for i in range(n):
        before[i + 1] = before[i] + fresh[dirty[i]]
    if n:
        scalars[d.PREFIXED] = min(scalars[d.PREFIXED], dirty[0])
    return n


@linked(d.SORT_DIRTY_CELLS)
def sort_dirty_cells(t: Directory) -> int:
    """Order the events behind the reported time by slice, as the sorted slices lie."""
    scalars, dirty, place = ints(t, d.SCALARS), ints(t, d.DIRTY_SLICE), ints(t, d.COUNT_BEFORE)
    slices, keys = ints(t, d.DIRTY_CELL_SLICE), ints(t, d.DIRTY_CELL_KEY)
    order, before = ints(t, d.DIRTY_ORDER), ints(t, d.DIRTY_BEFORE)
    for i in range(scalars[d.DIRTY_SLICES]):
        place[dirty[i]] = before[i]
    for i in range(scalars[d.DIRTY_CELLS]):
        order[place[slices[i]]] = keys[i]
        place[slices[i]] += 1
    return 0


@inlined
def add_window(
    t: Directory, o: int, query: int, start: int, end: int, low: int, high: int, kind: int
) -> None:
    """Note a window, if there is room."""
    queries = ints(t, d.DUE_QUERY)
    if o < len(queries):
        queries[o] = query
        ints(t, d.DUE_START)[o], ints(t, d.DUE_END)[o] = start, end
        ints(t, d.DUE_LOW)[o], ints(t, d.DUE_HIGH)[o] = low, high
        ints(t, d.DUE_KIND)[o] = kind


@inlined
def holds_events(t: Directory, lanes: bool, low: int, high: int) -> bool:
    """Whether a window may hold an event; of one key it is known."""
    if lanes:
        before = ints(t, d.COUNT_BEFORE)
        return before[high] > before[low]
    return high > low


@linked(d.FIND_CHANGED)
def find_changed(t: Directory) -> int:
    """Windows that were reported and hold an event of this step, query by query."""
    scalars, q = ints(t, d.SCALARS), ints(t, d.QUERIES)
    edges, lookup, dirty = ints(t, d.EDGES), ints(t, d.LOOKUP), ints(t, d.DIRTY_SLICE)
    origin, shift, slices = scalars[d.LOOKUP_ORIGIN], scalars[d.LOOKUP_SHIFT], scalars[d.SLICES]
    since, limit, before = scalars[d.SINCE], scalars[d.BEFORE_LIMIT], scalars[d.BEFORE]
    o, n = 0, scalars[d.DIRTY_SLICES]
    for query in range(scalars[d.QUERY_COUNT]):
        at = query * d.Q_FIELDS
        kind, size, step = q[at + d.Q_KIND], q[at + d.Q_SIZE], q[at + d.Q_STEP]
        phase, pane = q[at + d.Q_PHASE], q[at + d.Q_ORIGIN]
        end = -d.FAR
        for i in range(n):
            s = dirty[i]
            end = max(end, first_end(max(edges[s + 1], limit + 1), step, phase))
            while end <= before:
                start = start_of(end, kind, size, pane)
                if start > edges[s]:
                    break
                if start > since:
                    low = slice_at(start, edges, lookup, origin, shift, slices)
                    high = slice_at(end, edges, lookup, origin, shift, slices)
                    add_window(t, o, q[at + d.Q_ID], start, end, low, high, d.UPDATED)
                    o += 1
                end += step
    return o


@outlined
def find_due(t: Directory, o: int, upto: int) -> int:
    """Windows that end after the time that was reported, and not after another."""
    scalars, q = ints(t, d.SCALARS), ints(t, d.QUERIES)
    edges, lookup = ints(t, d.EDGES), ints(t, d.LOOKUP)
    origin, shift, slices = scalars[d.LOOKUP_ORIGIN], scalars[d.LOOKUP_SHIFT], scalars[d.SLICES]
    since, before, lanes = scalars[d.SINCE], scalars[d.BEFORE], scalars[d.LAYOUT] == d.LANES
    for query in range(scalars[d.QUERY_COUNT]):
        at = query * d.Q_FIELDS
        if q[at + d.Q_NEXT] > upto:
            q[at + d.Q_FOUND] = q[at + d.Q_NEXT]
            continue
        kind, size, step = q[at + d.Q_KIND], q[at + d.Q_SIZE], q[at + d.Q_STEP]
        phase, pane = q[at + d.Q_PHASE], q[at + d.Q_ORIGIN]
        last = min(upto, edges[slices] + size)
        end = first_end(max(before, edges[0]) + 1, step, phase)
        while end <= last:
            start = start_of(end, kind, size, pane)
            low = slice_at(start, edges, lookup, origin, shift, slices)
            high = slice_at(end, edges, lookup, origin, shift, slices)
            if high > low:
                if start > since and holds_events(t, lanes, low, high):
                    add_window(t, o, q[at + d.Q_ID], start, end, low, high, d.NEW)
                    o += 1
                end += step
            else:  # in one slice that holds no event: it may be very long
                end = first_end(max(end, edges[min(low + 1, slices)]) + 1, step, phase)
        q[at + d.Q_FOUND] = first_end(upto + 1, step, phase) if upto < d.FAR else d.FAR
    return o


@inlined
def take_next_ends(scalars: Ints, q: Ints) -> None:
    """Take over the next ends, once all windows had room."""
    due = d.FAR
    for query in range(scalars[d.QUERY_COUNT]):
        at = query * d.Q_FIELDS
        q[at + d.Q_NEXT] = q[at + d.Q_FOUND]
        due = min(due, q[at + d.Q_NEXT])
    scalars[d.DUE] = due
