"""Timers of sessions: wheels of 256 buckets, each bucket as wide as the wheel before it.

A timer lies at the highest digit in which its time and the position differ, so it moves at most
once from wheel to wheel, however far it was away, and a jump of the watermark costs no more than
the buckets that hold something.
"""

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.kernel_language import Ints, inlined, outlined
from muntin.columnar.engine.sessions import layout as s
from muntin.columnar.engine.timeline import U

LEVELS, DIGIT = 8, 8
SLOTS = 1 << DIGIT
LAST_SLOT = SLOTS - 1
BUCKETS = LEVELS * SLOTS
CHUNK_WORDS, CHUNK = 32, 30
"""A chunk has the next one of its bucket, how many timers it holds, and those."""


@inlined
def unit_of(store: Ints, time: int) -> int:
    """The bucket of the finest wheel that a time lies in."""
    return int((min(time, d.FAR - 1) + d.FAR) >> store[s.SHIFT])


@inlined
def final_at(scalars: Ints, end: int) -> int:
    """The watermark at which what ends at a time is final."""
    lateness = scalars[d.LATENESS]
    return end + lateness if lateness >= 0 and end < d.FAR - lateness else d.FAR


@inlined
def report_at(scalars: Ints, store: Ints, end: int) -> int:
    """The watermark at which a session that ends at a time is reported."""
    due = end + store[s.WAIT]
    return final_at(scalars, due) if scalars[d.MODE] == d.FINAL else due


@inlined
def take_chunk(store: Ints, chunks: Ints) -> int:
    """A free chunk; there is one."""
    chunk = int(store[s.FREE_CHUNK])
    if chunk:
        store[s.FREE_CHUNK] = chunks[chunk * CHUNK_WORDS]
    else:
        chunk = int(store[s.CHUNK_TOP])
        store[s.CHUNK_TOP] = chunk + 1
    return chunk


@inlined
def arm(store: Ints, buckets: Ints, chunks: Ints, timer: int, due: int) -> None:
    """Set a timer; one that is overdue is met at the next step."""
    position = store[s.POSITION]
    unit = max(unit_of(store, due), position)
    store[s.NEXT_DUE] = min(store[s.NEXT_DUE], due)
    level, differing = 0, unit ^ position
    while differing >= SLOTS:
        level, differing = level + 1, differing >> DIGIT
    bucket = U(level << DIGIT | (unit >> level * DIGIT & LAST_SLOT))
    chunk = buckets[bucket]
    if chunk == 0 or chunks[U(chunk * CHUNK_WORDS + 1)] == CHUNK:
        fresh = take_chunk(store, chunks)
        chunks[U(fresh * CHUNK_WORDS)], chunks[U(fresh * CHUNK_WORDS + 1)] = chunk, 0
        buckets[bucket] = chunk = fresh
    at = chunk * CHUNK_WORDS + 1
    chunks[U(at + 1 + chunks[U(at)])] = timer
    chunks[U(at)] += 1
    store[U(s.TIMERS + level)] += 1


@outlined
def first_bucket(store: Ints, buckets: Ints) -> tuple[int, int]:
    """The first bucket that holds timers, and where it begins; no bucket is -1."""
    position = store[s.POSITION]
    for level in range(LEVELS):
        if store[s.TIMERS + level] == 0:
            continue
        prefix = position >> level * DIGIT
        for slot in range((prefix & LAST_SLOT) + (level > 0), SLOTS):
            if buckets[level << DIGIT | slot]:
                unit = ((prefix & ~LAST_SLOT) | slot) << level * DIGIT
                return level << DIGIT | slot, unit
    return -1, d.FAR


@inlined
def release_chunk(store: Ints, chunks: Ints, chunk: int) -> None:
    """Give a chunk back."""
    chunks[chunk * CHUNK_WORDS] = store[s.FREE_CHUNK]
    store[s.FREE_CHUNK] = chunk
