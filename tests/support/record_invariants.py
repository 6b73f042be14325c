"""What holds of the records of the columnar engine after each step."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.engine import ColumnarEngine
from muntin.columnar.engine.records import layout as r
from muntin.columnar.engine.records.store import RecordStore
from muntin.columnar.engine.sessions import layout as s
from muntin.columnar.engine.sessions.timers import CHUNK_WORDS, SLOTS

Relation = Iterator[tuple[str, bool]]
Slot = tuple[int, int]


class RecordState:
    """The arrays of a store, read as trees and timers."""

    def __init__(self, engine: ColumnarEngine, store: RecordStore) -> None:
        """Read all arrays."""
        arrays, base = engine.directory.arrays, store.base
        self.store, self.engine = store, [int(value) for value in engine.scalars]
        self.scalars = [int(value) for value in store.scalars]
        self.nodes, self.keys = store.nodes.tolist(), store.keys.tolist()
        self.steps = arrays[base + r.AT_STEPS].tolist()
        free_rows, free_nodes = arrays[base + r.AT_FREE_ROWS], arrays[base + r.AT_FREE_NODES]
        self.free_rows = free_rows[: self.scalars[r.FREE_ROWS]].tolist()
        self.free_nodes = free_nodes[: self.scalars[r.FREE_NODES]].tolist()
        self.buckets, self.chunks = arrays[base + r.AT_BUCKETS], arrays[base + r.AT_CHUNKS]
        self.roots = {key: one[r.ROOT] for key, one in enumerate(self.keys) if one[r.ROOT]}
        self.revisions = arrays[base + r.AT_REVISIONS].reshape(-1, r.V_FIELDS)

    def slots(self, node: int) -> list[Slot]:
        """The times and children of a node."""
        words = self.nodes[node]
        return [(words[2 * i], words[2 * i + 1]) for i in range(words[r.FILL])]

    def level(self, node: int) -> int:
        """The level of a node."""
        return int(self.nodes[node][r.LEVEL]) >> r.LEVEL_SHIFT

    def below(self, node: int) -> Iterator[int]:
        """A node and all below it, leaves from left to right."""
        if self.level(node):
            for _, child in self.slots(node):
                yield from self.below(child)
        yield node

    def rows_of(self, node: int) -> list[Slot]:
        """The rows below a node, by time."""
        leaves = [one for one in self.below(node) if self.level(one) == 0]
        return [slot for leaf in leaves for slot in self.slots(leaf)]

    def node_relations(self, node: int) -> Relation:
        """One node and its slots."""
        words, slots, level = self.nodes[node], self.slots(node), self.level(node)
        yield "a node that is in use has slots", bool(slots) and len(slots) <= r.FAN
        times = [time for time, _ in slots]
        yield "slots are in the order of time", times == sorted(times)
        yield "nothing is left to fold", not words[r.LEVEL] & r.DIRTY_FLAG
        rows = self.rows_of(node)
        yield "rows are counted", words[r.ROWS] == len(rows)
        yield "marks are counted", words[r.MARKS] == sum(child & 1 for _, child in rows)
        yield "a fold has its row", self.steps[words[r.FOLD]] == -node
        if level:
            kept = [self.nodes[child] for _, child in slots]
            yield "children know their parent", {one[r.PARENT] for one in kept} == {node}
            levels = {self.level(child) for _, child in slots}
            yield "all leaves are at one level", levels == {level - 1}
            for nth, (time, child) in enumerate(slots):
                first = self.rows_of(child)[0][0]
                yield (
                    "a slot has the first time below",
                    time == first or (nth == 0 and time < first),
                )

    def key_relations(self, key: int, root: int) -> Relation:
        """The tree of a key."""
        fields, nodes = self.keys[key], [*self.below(root)]
        leaves = [node for node in nodes if self.level(node) == 0]
        for node in nodes:
            yield from self.node_relations(node)
        yield "a root has no parent", self.nodes[root][r.PARENT] == 0
        yield "the first leaf is known", fields[r.FIRST] == leaves[0]
        yield "the last leaf is known", fields[r.LAST] == leaves[-1]
        following = [self.nodes[leaf][r.NEXT] for leaf in leaves]
        yield "leaves are in a list", following == [*leaves[1:], 0]
        times = [time for time, _ in self.rows_of(root)]
        yield "rows are in the order of time", times == sorted(times)

    def use_relations(self) -> Relation:
        """Rows and nodes, each in one use."""
        used = [node for root in self.roots.values() for node in self.below(root)]
        tops = range(1, self.scalars[r.TOP_NODE])
        yield "a node is used once, or free", sorted([*used, *self.free_nodes]) == [*tops]
        values = [child >> 1 for root in self.roots.values() for _, child in self.rows_of(root)]
        folds = [self.nodes[node][r.FOLD] for node in used]
        tops = range(r.FIRST_ROW, self.scalars[r.TOP_ROW])
        rows = sorted([*values, *folds, *self.free_rows])
        yield "a row is used once, or free", rows == [*tops]
        yield "rows of events are counted", self.scalars[r.LIVE] == len(values)
        yield "keys are counted", self.scalars[r.LIVE_KEYS] == len(self.roots)
        yield "an event knows its step", all(self.steps[row] > 0 for row in values)
        yield "a free row has no step", all(self.steps[row] == 0 for row in self.free_rows)
        leftover = (r.DIRTY, r.LATE, r.DUE_KEYS, r.PHASE, r.EMITTED)
        yield "nothing is left of a step", not any(self.scalars[field] for field in leftover)
        yield "no key is noted", not any(fields[r.LISTED] for fields in self.keys)

    def timers(self) -> Iterator[Slot]:
        """The bucket and the key of each timer."""
        for bucket in np.flatnonzero(self.buckets).tolist():
            chunk = int(self.buckets[bucket])
            while chunk:
                at = chunk * CHUNK_WORDS
                held = self.chunks[at + 2 : at + 2 + int(self.chunks[at + 1])]
                yield from ((bucket, int(key)) for key in held)
                chunk = int(self.chunks[at])

    def timer_relations(self) -> Relation:
        """Timers, and what is due."""
        timers = [*self.timers()]
        levels = Counter(bucket // SLOTS for bucket, _ in timers)
        counted = self.scalars[s.TIMERS : s.TIMERS + 8]
        yield "timers are counted", [levels[i] for i in range(8)] == counted
        waiting = {key for key, fields in enumerate(self.keys) if fields[r.WAIT]}
        yield "a key that waits has a timer", waiting <= {key for _, key in timers}
        final = self.engine[d.MODE] == d.FINAL
        upto = self.engine[d.LIMIT if final else d.WATERMARK]
        for key, root in self.roots.items():
            due = d.FAR - self.keys[key][r.WAIT]
            open_times = [time for time, _ in self.rows_of(root) if time >= upto]
            if open_times and self.keys[key][r.WAIT]:
                first = open_times[0] + 1 - self.scalars[r.MARKED]
                yield "a timer is not later than due", due <= max(first, upto + 1)
            yield "what is not reported has a timer", not open_times or due < d.FAR
            if self.keys[key][r.WAIT]:
                yield "the next time is not too late", self.scalars[s.NEXT_DUE] <= due

    def retention_relations(self) -> Relation:
        """Nothing is kept but what windows need, and its leaf."""
        limit, queries = self.engine[d.LIMIT], self.store.queries.tolist()
        only_time = all(query[r.Q_KIND] == r.ROLLING for query in queries)
        if not only_time or limit == -d.FAR:
            return
        size = max((query[r.Q_SIZE] for query in queries), default=0)
        ranked, final = self.scalars[r.RANKED], self.engine[d.MODE] == d.FINAL
        upto = self.engine[d.LIMIT if final else d.WATERMARK]
        for key, root in self.roots.items():
            due, last = d.FAR - self.keys[key][r.WAIT], self.rows_of(root)[-1][0]
            if last < upto and not ranked:
                bound = last + size + (0 if final else self.engine[d.LATENESS])
                yield "what no window needs waits to go", upto < due <= max(bound, upto + 1)

    def relations(self) -> Relation:
        """All that holds after a step."""
        for key, root in self.roots.items():
            yield from self.key_relations(key, root)
        yield from self.use_relations()
        yield from self.timer_relations()
        yield from self.retention_relations()
        entered = int(np.count_nonzero(self.revisions[:, r.V_NAME]))
        yield "revisions are counted", entered == self.scalars[r.REVISIONS]


def check_records(engine: ColumnarEngine) -> None:
    """Fail with the name of what does not hold."""
    if engine.records:
        for name, holds in RecordState(engine, engine.records).relations():
            assert holds, name
