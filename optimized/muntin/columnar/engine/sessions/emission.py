"""Rows of results for sessions: those that changed since they were reported, and those due."""

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.emission import has_room, note_copy
from muntin.columnar.engine.kernel_language import Ints, PartPhase, call, inlined, ints, outlined
from muntin.columnar.engine.sessions import layout as s
from muntin.columnar.engine.sessions.search import field, newer_of, release_row, unlink
from muntin.columnar.engine.sessions.timers import (
    CHUNK,
    CHUNK_WORDS,
    SLOTS,
    arm,
    final_at,
    first_bucket,
    release_chunk,
    report_at,
    unit_of,
)
from muntin.columnar.engine.timeline import U

END = (1 << 63) - 1
PENDING_COLUMN = s.KEPT_COLUMN
"""Where updates emit only what was not emitted, nothing is retracted."""


@outlined
def copy_values(t: Directory, base: int, column: int) -> int:
    """Copy the partials of the rows that were noted to the results."""
    scalars, parts = ints(t, d.SCALARS), ints(t, d.PARTS)
    columns = ints(t, base + s.AT_COLUMNS)
    if scalars[d.MODE] == d.DISCARDS:
        column = PENDING_COLUMN
    for part in range(scalars[d.PART_COUNT]):
        at = part * d.P_FIELDS
        call(parts[at + d.P_COPY], t, part, parts[at + d.P_OUT], columns[2 * part + column])
    scalars[d.COPIES] = 0
    return 0


@inlined
def lacks_output(t: Directory, scalars: Ints, n: int) -> bool:
    """Whether n rows of results more do not fit."""
    scalars[d.NEED] = n
    used, room = scalars[d.OUT] + n, len(ints(t, d.OUT_KEY))
    return (
        used > room or used - scalars[d.SESSION_FROM] > len(ints(t, d.SESSION_ROWS)) // d.R_FIELDS
    )


@inlined
def put_result(
    t: Directory,
    number: int,
    kind: int,
    key: int,
    first: int,
    reach: int,
    count: int,
    revision: int,
) -> None:
    """Write a row of results, but for its values; there is room."""
    scalars = ints(t, d.SCALARS)
    o = U(scalars[d.OUT])
    ints(t, d.OUT_KEY)[o], ints(t, d.OUT_COUNT)[o] = key, count
    ints(t, d.OUT_REVISION)[o] = revision
    own, at = ints(t, d.SESSION_ROWS), (scalars[d.OUT] - scalars[d.SESSION_FROM]) * d.R_FIELDS
    own[U(at + d.R_STORE)], own[U(at + d.R_KIND)] = number, kind
    own[U(at + d.R_START)], own[U(at + d.R_END)] = first, reach
    scalars[d.OUT] += 1


@inlined
def put_session(t: Directory, base: int, number: int, rows: Ints, row: int, kind: int) -> None:
    """Write the results of a session as it is."""
    scalars, at = ints(t, d.SCALARS), field(row, s.FIRST)
    if not has_room(t, scalars, 1):
        copy_values(t, base, s.LIVE_COLUMN)
    note_copy(t, scalars, row, scalars[d.OUT])
    first, reach, count = rows[at + s.FIRST], rows[at + s.REACH], rows[at + s.COUNT]
    revision = rows[at + s.STATE] >> s.REVISION_SHIFT
    put_result(t, number, kind, rows[at + s.KEY], first, reach, count, revision)


@inlined
def set_timer(
    t: Directory, base: int, store: Ints, rows: Ints, row: int, timer: int, due: int
) -> None:
    """Set one of the timers of a session, unless it is set."""
    at = field(row, s.STATE)
    if rows[at] & timer == 0:
        rows[at] |= timer
        entry = row << 1 | (timer == s.FINAL)
        arm(store, ints(t, base + s.AT_BUCKETS), ints(t, base + s.AT_CHUNKS), entry, due)


@outlined
def report_retracted(t: Directory, base: int, number: int) -> int:
    """Retract the sessions that were reported and have another extent now."""
    scalars, store, rows = (
        ints(t, d.SCALARS),
        ints(t, base + s.AT_SCALARS),
        ints(t, base + s.AT_ROWS),
    )
    changed = ints(t, base + s.AT_CHANGED)
    for i in range(store[s.CHANGES]):
        at = i * s.C_FIELDS
        first, reach = changed[at + s.C_FIRST], changed[at + s.C_REACH]
        own = field(changed[at + s.C_ROW], s.FIRST)
        gone = rows[own + s.STATE] & s.GONE
        if gone or first != rows[own + s.FIRST] or reach != rows[own + s.REACH]:
            if not has_room(t, scalars, 1):
                copy_values(t, base, s.KEPT_COLUMN)
            note_copy(t, scalars, i, scalars[d.OUT])
            count, revision = changed[at + s.C_COUNT], changed[at + s.C_REVISION]
            put_result(t, number, d.RETRACTED, rows[own + s.KEY], first, reach, count, revision)
    copy_values(t, base, s.KEPT_COLUMN)
    return 0


@outlined
def report_changed(t: Directory, base: int, number: int, complete: int) -> int:
    """Report the sessions that changed anew: with their extent, or a new one that is complete."""
    scalars, store, rows = (
        ints(t, d.SCALARS),
        ints(t, base + s.AT_SCALARS),
        ints(t, base + s.AT_ROWS),
    )
    changed = ints(t, base + s.AT_CHANGED)
    for i in range(store[s.CHANGES]):
        at, row = i * s.C_FIELDS, changed[i * s.C_FIELDS + s.C_ROW]
        own = field(row, s.FIRST)
        rows[own + s.STATE] &= ~s.CHANGED
        if rows[own + s.STATE] & s.GONE:
            store[s.REPORTS] -= 1
            continue
        reach = rows[own + s.REACH]
        if changed[at + s.C_FIRST] == rows[own + s.FIRST] and changed[at + s.C_REACH] == reach:
            rows[own + s.STATE] += s.REVISION
            put_session(t, base, number, rows, row, d.UPDATED)
            continue
        rows[own + s.STATE] &= s.FLAGS
        if reach + store[s.WAIT] <= complete:
            put_session(t, base, number, rows, row, d.NEW)
        else:
            rows[own + s.STATE] &= ~s.REPORTED
            store[s.REPORTS] -= 1
            due = report_at(scalars, store, reach)
            set_timer(t, base, store, rows, row, s.NEAR, due)
    store[s.CHANGES] = 0
    copy_values(t, base, s.LIVE_COLUMN)
    return 0


@outlined
def subtract_reported(t: Directory, base: int) -> int:
    """Count of each session only what was not reported of it or of those that merged into it."""
    store, rows = ints(t, base + s.AT_SCALARS), ints(t, base + s.AT_ROWS)
    changed = ints(t, base + s.AT_CHANGED)
    for i in range(store[s.CHANGES]):
        row = changed[i * s.C_FIELDS + s.C_ROW]
        while rows[field(row, s.STATE)] & s.GONE:
            row = rows[field(row, s.LEFT)]
        rows[field(row, s.COUNT)] -= changed[i * s.C_FIELDS + s.C_COUNT]
    return 0


@outlined
def find_survivors(t: Directory, base: int) -> int:
    """Write into what changed the sessions that it merged into."""
    store, rows = ints(t, base + s.AT_SCALARS), ints(t, base + s.AT_ROWS)
    changed = ints(t, base + s.AT_CHANGED)
    for i in range(store[s.OUTDATED]):
        row = changed[i * s.C_FIELDS + s.C_ROW]
        while rows[field(row, s.STATE)] & s.GONE:
            row = rows[field(row, s.LEFT)]
        changed[i * s.C_FIELDS + s.C_ROW] = row
    return 0


@outlined
def renew_pending(t: Directory, base: int) -> int:
    """After a report: what is pending of a session that was not reported is all that it holds."""
    scalars, store, parts = ints(t, d.SCALARS), ints(t, base + s.AT_SCALARS), ints(t, d.PARTS)
    rows, changed = ints(t, base + s.AT_ROWS), ints(t, base + s.AT_CHANGED)
    columns, froms, tos = ints(t, base + s.AT_COLUMNS), ints(t, d.COPY_FROM), ints(t, d.COPY_TO)
    for begin in range(0, store[s.OUTDATED], len(froms)):
        n = 0
        for i in range(begin, min(begin + len(froms), store[s.OUTDATED])):
            row = changed[i * s.C_FIELDS + s.C_ROW]
            rows[field(row, s.COUNT)] += changed[i * s.C_FIELDS + s.C_COUNT]
            if rows[field(row, s.STATE)] & (s.GONE | s.REPORTED) == 0:
                froms[n], tos[n] = row, row
                n += 1
        scalars[d.COPIES] = n
        for part in range(scalars[d.PART_COUNT]):
            copy = parts[part * d.P_FIELDS + d.P_COPY]
            if columns[2 * part]:
                call(copy, t, part, columns[2 * part + 1], columns[2 * part])
    scalars[d.COPIES] = store[s.OUTDATED] = 0
    return 0


@inlined
def end_session(t: Directory, base: int, row: int) -> None:
    """Let a final session go; its row is free once no timer names it."""
    store, rows = ints(t, base + s.AT_SCALARS), ints(t, base + s.AT_ROWS)
    unlink(t, base, rows, ints(t, base + s.AT_HEADS), row)
    at = field(row, s.STATE)
    store[s.LIVE] -= 1
    store[s.REPORTS] -= rows[at] & s.REPORTED
    rows[at] |= s.GONE
    if rows[at] & (s.NEAR | s.FINAL) == 0:
        release_row(store, ints(t, base + s.AT_FREE), rows, row)


@inlined
def meet_timer(t: Directory, base: int, number: int, timer: int, complete: int, limit: int) -> None:
    """What a timer of a session brings about: a report, its end, or a later timer."""
    scalars, store, rows = (
        ints(t, d.SCALARS),
        ints(t, base + s.AT_SCALARS),
        ints(t, base + s.AT_ROWS),
    )
    row = timer >> 1
    at, end = field(row, s.STATE), rows[field(row, s.REACH)]
    rows[at] &= ~(s.FINAL if timer & 1 else s.NEAR)
    if rows[at] & s.GONE:
        if rows[at] & (s.NEAR | s.FINAL) == 0:
            release_row(store, ints(t, base + s.AT_FREE), rows, row)
        return
    kind, due = s.FINAL, final_at(scalars, end + store[s.LINGER])
    if rows[at] & s.REPORTED == 0:
        if timer & 1:
            return
        if end + store[s.WAIT] > complete:
            kind, due = s.NEAR, report_at(scalars, store, end)
        else:
            put_session(t, base, number, rows, row, d.NEW)
            rows[at] |= s.REPORTED
            store[s.REPORTS] += 1
    if end + store[s.LINGER] <= limit:
        end_session(t, base, row)
    else:
        set_timer(t, base, store, rows, row, kind, due)


@outlined
def read_ahead(t: Directory, base: int, at: int) -> int:
    """Read what the timers of a chunk need, so that misses of the cache overlap."""
    rows, heads = ints(t, base + s.AT_ROWS), ints(t, base + s.AT_HEADS)
    chunks, near = ints(t, base + s.AT_CHUNKS), 0
    timers = chunks[at + 2 : at + 2 + chunks[at + 1]]
    for i in range(len(timers)):
        near += rows[field(timers[U(i)] >> 1, s.KEY)]
    for i in range(len(timers)):
        row = timers[U(i)] >> 1
        near += heads[U(rows[field(row, s.KEY)])]
        near += rows[field(newer_of(rows, row), s.LINK)]
    return near


@outlined
def meet_chain(t: Directory, base: int, number: int, complete: int, limit: int) -> int:
    """Meet the timers of a chain of chunks; those of a chunk have room, or wait."""
    scalars, store = ints(t, d.SCALARS), ints(t, base + s.AT_SCALARS)
    chunks = ints(t, base + s.AT_CHUNKS)
    while store[s.CHAIN]:
        chunk = store[s.CHAIN]
        at = chunk * CHUNK_WORDS
        if lacks_output(t, scalars, CHUNK):
            copy_values(t, base, s.LIVE_COLUMN)
            return d.MORE_OUTPUT
        store[s.CHAIN] = chunks[U(at)]
        store[s.PREFETCHED] = read_ahead(t, base, at)
        for i in range(chunks[U(at + 1)]):
            meet_timer(t, base, number, chunks[U(at + 2 + i)], complete, limit)
        release_chunk(store, chunks, chunk)
    return d.DONE


@outlined
def report_due(t: Directory, base: int, number: int, upto: int, complete: int, limit: int) -> int:
    """Meet all timers up to the watermark, and move the others nearer."""
    store, buckets = ints(t, base + s.AT_SCALARS), ints(t, base + s.AT_BUCKETS)
    chunks, last = ints(t, base + s.AT_CHUNKS), unit_of(store, upto)
    while True:
        code = meet_chain(t, base, number, complete, limit)
        if code:
            return code
        bucket, unit = first_bucket(store, buckets)
        if bucket < 0 or unit > last or store[s.LAST_CHAIN]:
            break
        store[s.POSITION] = unit
        store[s.CHAIN] = chunk = buckets[bucket]
        buckets[bucket] = 0
        store[s.LAST_CHAIN] = unit == last and bucket < SLOTS
        while chunk:
            store[s.TIMERS + bucket // SLOTS] -= chunks[chunk * CHUNK_WORDS + 1]
            chunk = chunks[chunk * CHUNK_WORDS]
    store[s.LAST_CHAIN] = 0
    store[s.POSITION] = max(store[s.POSITION], last)
    begin = d.FAR if bucket < 0 else (unit << store[s.SHIFT]) - d.FAR
    store[s.NEXT_DUE] = max(begin, min(upto, d.FAR) + 1)  # all that is due has been met
    copy_values(t, base, s.LIVE_COLUMN)
    return d.DONE


@outlined
def report_store(t: Directory, base: int, number: int) -> int:
    """The results of a store; they go on where they had no room."""
    scalars, store = ints(t, d.SCALARS), ints(t, base + s.AT_SCALARS)
    upto, limit = scalars[d.WATERMARK], scalars[d.LIMIT]
    if upto == d.FAR:
        upto = END
    if limit == d.FAR:
        limit = END
    complete = limit if scalars[d.MODE] == d.FINAL else upto
    if store[s.CHANGES]:
        if lacks_output(t, scalars, 2 * store[s.CHANGES]):
            return d.MORE_OUTPUT
        if scalars[d.MODE] == d.RETRACTS:
            report_retracted(t, base, number)
        discards, changes = scalars[d.MODE] == d.DISCARDS, store[s.CHANGES]
        if discards:
            subtract_reported(t, base)
        report_changed(t, base, number, complete)
        if discards:
            store[s.OUTDATED] = changes
            find_survivors(t, base)
    if store[s.NEXT_DUE] <= upto or store[s.CHAIN]:
        code = report_due(t, base, number, upto, complete, limit)
        if code:
            return code
    if store[s.OUTDATED]:
        renew_pending(t, base)
    return d.DONE


@PartPhase
def report_sessions(t: Directory, part: int, to: int, origin: int) -> int:
    """The results of all stores, after those of windows."""
    scalars, stores = ints(t, d.SCALARS), ints(t, d.STORES)
    for number in range(scalars[d.STORE_AT], scalars[d.STORE_COUNT]):
        code = report_store(t, stores[number], number)
        if code:
            scalars[d.STORE_AT] = number
            return code
    scalars[d.STORE_AT] = 0
    return d.DONE
