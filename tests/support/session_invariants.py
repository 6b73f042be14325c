"""What holds of the sessions of the columnar engine after each step."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.engine import ColumnarEngine
from muntin.columnar.engine.sessions import layout as s
from muntin.columnar.engine.sessions.store import SessionStore
from muntin.columnar.engine.sessions.timers import CHUNK_WORDS, DIGIT, LAST_SLOT, SLOTS

Relation = Iterator[tuple[str, bool]]


class SessionState:
    """The arrays of a store, read as lists, trees and timers."""

    def __init__(self, engine: ColumnarEngine, store: SessionStore) -> None:
        """Read all arrays."""
        arrays, base = engine.directory.arrays, store.base
        self.engine, self.scalars = engine.scalars, [int(value) for value in store.scalars]
        self.rows = [[int(value) for value in row] for row in store.rows[: self.scalars[s.TOP]]]
        self.free = [int(r) for r in arrays[base + s.AT_FREE][: self.scalars[s.FREE]]]
        self.heads = [int(head) for head in arrays[base + s.AT_HEADS]]
        self.buckets, self.chunks = arrays[base + s.AT_BUCKETS], arrays[base + s.AT_CHUNKS]
        self.lists = {key: list(self.sessions(head)) for key, head in enumerate(self.heads) if head}
        self.live = [row for rows in self.lists.values() for row in rows]
        self.timers = list(self.all_timers())
        store_columns = [
            (place, value)
            for part, kernels in store.kernels.items()
            for place, value in zip(store.places[part], kernels.identity, strict=True)
        ]
        self.identities = [(arrays[place][s.IDENTITY], value) for place, value in store_columns]

    def field(self, row: int, name: np.uint64) -> int:
        """A field of a row."""
        return self.rows[row][int(name)]

    def sessions(self, head: int) -> Iterator[int]:
        """The sessions of a list, from the newest on."""
        row = head & s.LOW_HALF
        while row:
            yield row
            row = self.field(row, s.LINK) & s.LOW_HALF

    def tree(self, row: int) -> Iterator[int]:
        """The sessions of a tree, from the oldest on."""
        if row:
            yield from self.tree(self.field(row, s.LEFT))
            yield row
            yield from self.tree(self.field(row, s.RIGHT))

    def all_timers(self) -> Iterator[tuple[int, int]]:
        """The bucket and the name of each timer."""
        for bucket in np.flatnonzero(self.buckets).tolist():
            chunk = int(self.buckets[bucket])
            while chunk:
                at = chunk * CHUNK_WORDS
                yield from (
                    (bucket, int(t)) for t in self.chunks[at + 2 : at + 2 + self.chunks[at + 1]]
                )
                chunk = int(self.chunks[at])

    def due(self, row: int, timer: int) -> int:
        """The watermark at which a timer is due."""
        due = self.field(row, s.REACH) + self.scalars[s.LINGER if timer == s.FINAL else s.WAIT]
        if timer != s.FINAL and self.engine[d.MODE] != d.FINAL:
            return due
        lateness = int(self.engine[d.LATENESS])
        return d.FAR if lateness < 0 else due + lateness

    def list_relations(self) -> Relation:
        """Lists, trees and rows."""
        roots = [head >> s.HALF for head in self.heads if head >> s.HALF]
        gone = [r for r in range(s.FIRST_ROW, len(self.rows)) if self.field(r, s.STATE) & s.GONE]
        used = [*self.live, *roots, *gone]
        yield (
            "each row is live, a root or gone",
            sorted(used) == list(range(s.FIRST_ROW, len(self.rows))),
        )
        armed = {t >> 1 for _, t in self.timers}
        yield (
            "what is gone is free iff no timer names it",
            sorted(self.free) == [r for r in gone if r not in armed],
        )
        yield "live sessions are counted", self.scalars[s.LIVE] == len(self.live)
        reports = [r for r in self.live if self.field(r, s.STATE) & s.REPORTED]
        yield "reported sessions are counted", self.scalars[s.REPORTS] == len(reports)
        for key, rows in self.lists.items():
            newer = [self.field(row, s.LINK) >> s.HALF for row in rows]
            yield "links agree", newer == [0, *rows[:-1]]
            yield "a list is of one key", {self.field(row, s.KEY) for row in rows} == {key}
            root = self.heads[key] >> s.HALF
            if root:
                top = self.field(root, s.LEFT)
                yield "a tree has the sessions of its list", list(self.tree(top)) == rows[::-1]
            for row, older in zip(rows, [*rows[1:], 0], strict=True):
                first, reach = self.field(row, s.FIRST), self.field(row, s.REACH)
                disjoint = not older or self.field(older, s.REACH) + self.scalars[s.ADJOIN] <= first
                yield "sessions are disjoint", first < reach and disjoint

    def timer_relations(self) -> Relation:
        """Timers, and what is due."""
        names = Counter(t for _, t in self.timers)
        flags = Counter(
            r << 1 | far
            for r in range(s.FIRST_ROW, len(self.rows))
            for far, flag in enumerate((s.NEAR, s.FINAL))
            if r not in self.free and self.field(r, s.STATE) & flag
        )
        yield "a session knows its timers", names == flags
        levels = Counter(bucket // SLOTS for bucket, _ in self.timers)
        yield (
            "timers are counted",
            [levels[i] for i in range(8)] == self.scalars[s.TIMERS : s.TIMERS + 8],
        )
        position, shift = self.scalars[s.POSITION], self.scalars[s.SHIFT]
        for bucket, timer in self.timers:
            level, slot = divmod(bucket, SLOTS)
            begin = ((position >> level * DIGIT & ~LAST_SLOT) | slot) << level * DIGIT
            row = timer >> 1
            yield "a timer lies ahead", begin >= position if level else slot >= position & LAST_SLOT
            if not self.field(row, s.STATE) & s.GONE:
                due = self.due(row, s.FINAL if timer & 1 else s.NEAR)
                late = begin == position
                yield "a timer is not later than due", late or (begin << shift) - d.FAR <= due
        for row in self.live:
            kind = s.FINAL if self.field(row, s.STATE) & s.REPORTED else s.NEAR
            yield "a live session has its timer", bool(self.field(row, s.STATE) & kind)
            yield "the next time is not too late", self.scalars[s.NEXT_DUE] <= self.due(row, kind)

    def relations(self) -> Relation:
        """All that holds after a step."""
        yield from self.list_relations()
        yield from self.timer_relations()
        upto, limit = int(self.engine[d.WATERMARK]), int(self.engine[d.LIMIT])
        for row in self.live:
            end = self.field(row, s.REACH)
            yield "no live session is final", end + self.scalars[s.LINGER] > limit
            open_ = not self.field(row, s.STATE) & s.REPORTED
            reported = (
                self.engine[d.MODE] == d.FINAL or not open_ or end + self.scalars[s.WAIT] > upto
            )
            yield "what is complete is reported", reported
        left = [self.scalars[i] for i in (s.NEW_ROWS, s.MERGES, s.CHANGES, s.CHAIN, s.LAST_CHAIN)]
        yield "nothing is left of a step", not any(left)
        yield "the identity stays", all(a == b for a, b in self.identities)


def check_sessions(engine: ColumnarEngine) -> None:
    """Fail with the name of what does not hold."""
    for store in engine.stores:
        for name, holds in SessionState(engine, store).relations():
            assert holds, name
