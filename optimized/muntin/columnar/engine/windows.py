"""Windows that are due or changed: which they are, and which slices they hold."""

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import Ints, Phase, inlined, ints, linked, outlined
from muntin.columnar.engine.timeline import slice_at


@inlined
def first_end(time: int, step: int, phase: int) -> int:
    """The first end of a window that is not before a time."""
    return time + (phase - time) % step


@inlined
def next_due(q: Ints, at: int, time: int) -> int:
    """When the first window of a query is due that is not due before a time; FAR if none is."""
    due = max(first_end(time, q[at + d.Q_STEP], q[at + d.Q_PHASE]), q[at + d.Q_FIRST])
    return due if time < d.FAR and due <= q[at + d.Q_LAST] else d.FAR


@inlined
def start_of(end: int, kind: int, size: int, origin: int) -> int:
    """The start of the window of a query that ends at a time."""
    if kind == d.SLIDING:
        return end - size
    return end - 1 - (end - 1 - origin) % size if kind == d.CUMULATE else origin


@inlined
def low_of(start: int, opens: int, turn: int, pane: int) -> int:
    """The least time that a window holds: truncated, a pane up to the offset reaches back."""
    return start + opens - (pane - 1 if start <= turn else 0)


@inlined
def high_of(start: int, end: int, closes: int, cut: int) -> int:
    """The first time after those that a window holds: truncated, a pane ends with its start."""
    return (start + 1 if start < cut else end) + closes


@inlined
def pane_of(q: Ints, at: int) -> int:
    """The distance of the panes of a query."""
    return q[at + d.Q_SIZE] if q[at + d.Q_KIND] == d.CUMULATE else q[at + d.Q_STEP]


@inlined
def cut_of(q: Ints, at: int) -> int:
    """The start before which panes are cut off; of windows that overlap none is."""
    return q[at + d.Q_TURN] if pane_of(q, at) == q[at + d.Q_SIZE] else -2 * d.FAR


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
    pending = ints(t, d.PENDING_ORDER)
    if scalars[d.LAYOUT] == d.LANES:
        place = ints(t, d.LAST_UNIT)  # nothing else needs it, and events are counted elsewhere
    for i in range(scalars[d.DIRTY_SLICES]):
        place[dirty[i]] = before[i]
    for i in range(scalars[d.DIRTY_CELLS]):
        order[place[slices[i]]] = keys[i]
        pending[place[slices[i]]] = i + 1
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
    o, n = 0, scalars[d.DIRTY_SLICES]
    for query in range(scalars[d.QUERY_COUNT]):
        at = query * d.Q_FIELDS
        due, wait, step = -d.FAR, q[at + d.Q_WAIT], q[at + d.Q_STEP]
        kind, size, pane = q[at + d.Q_KIND], q[at + d.Q_SIZE], q[at + d.Q_ORIGIN]
        opens, turn, width = q[at + d.Q_OPENS], q[at + d.Q_TURN], pane_of(q, at)
        closes, cut, since = q[at + d.Q_CLOSES], cut_of(q, at), q[at + d.Q_SINCE]
        name = q[at + d.Q_ID]
        limit = scalars[d.BEFORE_LIMIT] - q[at + d.Q_FINAL_WAIT]
        last = min(scalars[d.BEFORE], q[at + d.Q_LAST])
        for i in range(n):
            s = dirty[i]
            least = max(edges[s + 1] - closes + wait, limit + 1)
            due = max(due, next_due(q, at, least))
            while due <= last:
                end = due - wait
                start = start_of(end, kind, size, pane)
                first = low_of(start, opens, turn, width)
                after = high_of(start, end, closes, cut)
                if first > edges[s]:
                    break
                if start > since and after >= edges[s + 1]:
                    low = slice_at(first, edges, lookup, origin, shift, slices)
                    high = slice_at(after, edges, lookup, origin, shift, slices)
                    add_window(t, o, name, start, end, low, high, d.UPDATED)
                    o += 1
                due += step
    return o


@inlined
def last_due(t: Directory, q: Ints, at: int, upto: int) -> int:
    """A time after which no window of a query is due that holds an event.

    At the end of the stream those with one start end with the first end after all events and
    watermarks.
    """
    scalars = ints(t, d.SCALARS)
    last = ints(t, d.EDGES)[scalars[d.SLICES]] + q[at + d.Q_SIZE]
    if q[at + d.Q_KIND] == d.FIXED_START:
        ends = upto < d.FAR or q[at + d.Q_LAST] < d.NO_LAST
        last = d.FAR if ends else max(scalars[d.SEEN], scalars[d.REACHED])
    return min(upto, q[at + d.Q_LAST], last + q[at + d.Q_STEP] + 2)


@inlined
def first_used(t: Directory, low: int) -> int:
    """The first slice from one on that has rows."""
    units, slices = ints(t, d.UNIT), ints(t, d.SCALARS)[d.SLICES]
    while low < slices and units[low] == 0:
        low += 1
    return low


@outlined
def find_due(t: Directory, o: int, upto: int) -> int:
    """Windows that are due after the time that was reported, and not after another."""
    scalars, q = ints(t, d.SCALARS), ints(t, d.QUERIES)
    edges, lookup = ints(t, d.EDGES), ints(t, d.LOOKUP)
    origin, shift, slices = scalars[d.LOOKUP_ORIGIN], scalars[d.LOOKUP_SHIFT], scalars[d.SLICES]
    lanes = scalars[d.LAYOUT] == d.LANES
    for query in range(scalars[d.QUERY_COUNT]):
        at = query * d.Q_FIELDS
        if q[at + d.Q_NEXT] > upto:
            q[at + d.Q_FOUND] = q[at + d.Q_NEXT]
            continue
        wait, last = q[at + d.Q_WAIT], last_due(t, q, at, upto)
        kind, size, pane = q[at + d.Q_KIND], q[at + d.Q_SIZE], q[at + d.Q_ORIGIN]
        opens, turn, width = q[at + d.Q_OPENS], q[at + d.Q_TURN], pane_of(q, at)
        closes, cut, closing = q[at + d.Q_CLOSES], cut_of(q, at), wait - q[at + d.Q_CLOSES]
        due = next_due(q, at, max(scalars[d.BEFORE], edges[0]) + 1)
        if q[at + d.Q_KIND] == d.FIXED_START:  # all windows hold the first events, or none any
            low = slice_at(pane + opens, edges, lookup, origin, shift, slices)
            used = first_used(t, low)
            due = max(due, next_due(q, at, edges[used] + closing + 1)) if used < slices else d.FAR
        while due <= last and due < d.FAR:
            end = due - wait
            start = start_of(end, kind, size, pane)
            first = low_of(start, opens, turn, width)
            after = high_of(start, end, closes, cut)
            low = slice_at(first, edges, lookup, origin, shift, slices)
            high = slice_at(after, edges, lookup, origin, shift, slices)
            if high > low:
                if start > q[at + d.Q_SINCE] and holds_events(t, lanes, low, high):
                    add_window(t, o, q[at + d.Q_ID], start, end, low, high, d.NEW)
                    o += 1
                due += q[at + d.Q_STEP]
            else:  # in one slice that holds no event: it may be very long
                later = max(due, edges[min(low + 1, slices)] + closing) + 1
                due = next_due(q, at, later)
        q[at + d.Q_FOUND] = next_due(q, at, min(upto + 1, d.FAR))
    return o


@inlined
def is_endless(q: Ints, at: int) -> bool:
    """Whether a query has windows from one time on that are never all final."""
    endless: bool = q[at + d.Q_KIND] == d.FIXED_START and q[at + d.Q_LAST] == d.NO_LAST
    return endless


@outlined
def horizon_of(t: Directory, limit: int) -> int:
    """The time before which no window that is not final begins, but for landmarks."""
    scalars, q, low = ints(t, d.SCALARS), ints(t, d.QUERIES), d.FAR
    for query in range(scalars[d.QUERY_COUNT]):
        at = query * d.Q_FIELDS
        due = next_due(q, at, limit + 1 - q[at + d.Q_FINAL_WAIT])
        if due < d.FAR and not is_endless(q, at):
            end = due - q[at + d.Q_WAIT]
            start = start_of(end, q[at + d.Q_KIND], q[at + d.Q_SIZE], q[at + d.Q_ORIGIN])
            low = min(low, low_of(start, q[at + d.Q_OPENS], q[at + d.Q_TURN], pane_of(q, at)))
    return low


@Phase
def find_horizon(t: Directory, limit: int) -> int:
    """Write the horizon, for Python."""
    ints(t, d.SCALARS)[d.NEED] = horizon_of(t, limit)
    return 0


@inlined
def take_next_ends(scalars: Ints, q: Ints) -> None:
    """Take over the next ends, once all windows had room."""
    due = d.FAR
    for query in range(scalars[d.QUERY_COUNT]):
        at = query * d.Q_FIELDS
        q[at + d.Q_NEXT] = q[at + d.Q_FOUND]
        due = min(due, q[at + d.Q_NEXT])
    scalars[d.DUE] = due
