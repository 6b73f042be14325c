"""The results of a step: windows that late rows changed, then those that are due, key by key.

What has no room is only counted; then the same windows are gone through again, from the first that
was not written on.
"""

# An item of an array at an item of another is an array to pyright, so:
# pyright: reportArgumentType=false

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import Ints, PartPhase, inlined, ints, outlined
from muntin.columnar.engine.records import layout as r
from muntin.columnar.engine.records.emission import fold_results
from muntin.columnar.engine.records.late import put_changed, sort_late
from muntin.columnar.engine.records.release import drop_rows, wait_again
from muntin.columnar.engine.records.tree import fold_nodes
from muntin.columnar.engine.records.windows import put_due
from muntin.columnar.engine.sessions import layout as s
from muntin.columnar.engine.sessions.timers import (
    CHUNK_WORDS,
    SLOTS,
    arm,
    first_bucket,
    release_chunk,
    unit_of,
)


@inlined
def note_key(store: Ints, keys: Ints, due: Ints, key: int, met: int) -> None:
    """Note a key once, and whether its timer was met."""
    at = (key << r.KEY_BITS) + r.LISTED
    if keys[at] == 0:
        due[store[r.DUE_KEYS]] = key
        store[r.DUE_KEYS] += 1
        keys[at] = r.IS_LISTED
    keys[at] |= met


@outlined
def meet_bucket(t: Directory, base: int, bucket: int, upto: int, last: int) -> int:
    """Note the keys of a bucket that are due; the others wait in a finer one, if there is one."""
    store, buckets = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_BUCKETS)
    chunks, keys = ints(t, base + r.AT_CHUNKS), ints(t, base + r.AT_KEYS)
    due, chunk = ints(t, base + r.AT_DUE), buckets[bucket]
    buckets[bucket] = 0
    while chunk:
        at = chunk * CHUNK_WORDS
        n, following = chunks[at + 1], chunks[at]
        store[s.TIMERS + bucket // SLOTS] -= n
        for i in range(n):
            key = chunks[at + 2 + i]
            wait = keys[(key << r.KEY_BITS) + r.WAIT]
            if wait and (d.FAR - wait <= upto or last):
                note_key(store, keys, due, key, r.IS_MET)
            elif wait:
                arm(store, buckets, chunks, key, d.FAR - wait)
        release_chunk(store, chunks, chunk)
        chunk = following
    return 0


@outlined
def note_due_keys(t: Directory, base: int, upto: int) -> int:
    """Note the keys whose timers are due."""
    store, buckets = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_BUCKETS)
    if store[s.NEXT_DUE] > upto:
        return 0
    last = unit_of(store, upto)
    while True:
        bucket, unit = first_bucket(store, buckets)
        if bucket < 0 or unit > last:
            break
        store[s.POSITION] = unit
        at_end = unit == last and bucket < SLOTS
        meet_bucket(t, base, bucket, upto, int(at_end))
        if at_end:
            bucket, unit = first_bucket(store, buckets)
            break
    store[s.POSITION] = max(store[s.POSITION], last)
    begin = d.FAR if bucket < 0 else (unit << store[s.SHIFT]) - d.FAR
    store[s.NEXT_DUE] = max(begin, min(upto, d.FAR - 1) + 1)
    return 0


@outlined
def put_results(t: Directory, base: int, before: int, upto: int) -> int:
    """The results of all keys; how many had no room."""
    store, late = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_SORTED)
    keys, due = ints(t, base + r.AT_KEYS), ints(t, base + r.AT_DUE)
    store[r.LINE] = store[r.LACK] = 0
    i, n = 0, store[r.LATE]
    while i < n:
        first = i
        while i < n and late[2 * i] == late[2 * first]:
            i += 1
        put_changed(t, base, first, i, before)
    if upto > before:
        for i in range(store[r.DUE_KEYS]):
            wait = keys[(due[i] << r.KEY_BITS) + r.WAIT]
            if wait and d.FAR - wait <= upto:
                put_due(t, base, due[i], before, upto)
    fold_results(t, base)
    return int(store[r.LACK])


@outlined
def end_report(t: Directory, base: int, upto: int, limit: int) -> int:
    """Forget what no window needs, and have keys wait for their next time."""
    store, late = ints(t, base + r.AT_SCALARS), ints(t, base + r.AT_SORTED)
    keys, due = ints(t, base + r.AT_KEYS), ints(t, base + r.AT_DUE)
    for i in range(store[r.LATE]):
        note_key(store, keys, due, late[2 * i], 0)
    for i in range(store[r.DUE_KEYS]):
        key, at = due[i], (due[i] << r.KEY_BITS) + r.LISTED
        met, keys[at] = keys[at] & r.IS_MET, 0
        drop_rows(t, base, key, limit)
        wait_again(t, base, key, upto, met)
    fold_nodes(t, base)
    store[r.LATE] = store[r.DUE_KEYS] = store[r.EMITTED] = store[r.PHASE] = 0
    return 0


@PartPhase
def report_records(t: Directory, part: int, to: int, origin: int) -> int:
    """The results of the windows over records, after those of sessions."""
    scalars, base = ints(t, d.SCALARS), ints(t, d.SCALARS)[d.RECORD_STORE]
    store, final = ints(t, base + r.AT_SCALARS), ints(t, d.SCALARS)[d.MODE] == d.FINAL
    before = scalars[d.BEFORE]
    upto = scalars[d.LIMIT] if final else scalars[d.WATERMARK]
    if store[r.PHASE] == 0:
        sort_late(t, base)
        note_due_keys(t, base, upto)
        store[r.PHASE] = 1
    if put_results(t, base, before, upto):
        scalars[d.NEED] = store[r.LACK]
        return d.MORE_OUTPUT
    end_report(t, base, upto, scalars[d.LIMIT])
    return d.DONE
