"""The keys of a bucket one by one: each has a row-at-a-time operator, in plain Python.

Task after the shuffle. Between micro-batches an operator is a snapshot, which is a chunk and is not
read until the key has rows or a timer.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from muntin.optimized.scotty.operator import Scotty
from muntin.snapshot import encode
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import ArrowBatch, keys, objects, picked
from muntin.spark.execution.evaluation import events_by_key, operator_of, queries_of
from muntin.spark.state.chunk_store import ChunkStore, read_chunk, write_chunk
from muntin.spark.state.state_header import Key, KeySnapshot, hashable
from muntin.spark.streaming.timers import TimerRules
from muntin.spec.query import Result
from muntin.spec.stream import END, Event

KEY_CHUNK_PREFIX = "key "


class BucketOutput(NamedTuple):
    """Results and late events of one call, each with its key."""

    results: list[tuple[Key, Result]]
    late: list[tuple[Key, Event]]


class RowBucket:
    """Keys, each with the snapshot of its operator."""

    def __init__(
        self, plan: AggregationPlan, store: ChunkStore, snapshots: Mapping[Key, KeySnapshot]
    ) -> None:
        """Start with the keys of these snapshots."""
        self._plan, self._store, self._snapshots = plan, store, dict(snapshots)
        self._stored = {key for key, snapshot in snapshots.items() if snapshot.data is None}
        self._queries = queries_of(plan) if plan.windows else []
        self._timer_rules = TimerRules(tuple(plan.kinds().values()), plan.settings)
        self._watermark: float = -END

    @property
    def next_timer(self) -> float:
        """The least watermark at which a window is emitted or a key expires; END without keys."""
        snapshots = self._snapshots.values()
        return min((min(each.next_emission, each.expires_at) for each in snapshots), default=END)

    def has_work(self, rows: ArrowBatch | None, watermark: float) -> bool:
        """Whether there are rows, or a key has a timer by this watermark."""
        return bool(self._queries) and (rows is not None or self.next_timer <= watermark)

    def process(self, rows: ArrowBatch | None, watermark: float) -> BucketOutput:
        """Advance the watermark, then ingest rows; those before the allowed lateness are late."""
        self._watermark = watermark
        output, events = BucketOutput([], []), arrivals(self._plan, rows)
        snapshots = self._snapshots.items()
        due = dict.fromkeys(key for key, each in snapshots if each.next_emission <= watermark)
        for key in due | dict.fromkeys(events):
            self._step_key(key, events.get(key, []), output)
        self._snapshots = {key: each for key, each in snapshots if each.expires_at > watermark}
        return output

    def _step_key(self, key: Key, events: Sequence[Event], output: BucketOutput) -> None:
        before, operator = self._snapshots.get(key), operator_of(self._plan, self._queries)
        if before:
            operator.restore(self._data(key, before))
        watermark = None if self._watermark == -END else self._watermark
        steps = [operator.step([], watermark), operator.step(events)]
        output.results.extend((key, result) for step in steps for result in step.results)
        late = [event for step in steps for event in step.late]
        output.late.extend((key, event) for event in late)
        if before or len(late) < len(events):
            self._snapshots[key] = self._snapshot(operator, before, events)

    def _data(self, key: Key, snapshot: KeySnapshot) -> bytes:
        if snapshot.data is not None:
            return snapshot.data
        return read_chunk(self._store, chunk_name(key), snapshot.checksum)

    def _snapshot(
        self, operator: Scotty, before: KeySnapshot | None, events: Sequence[Event]
    ) -> KeySnapshot:
        """Snapshot an operator; a new key emits nothing up to its first event."""
        expiries = [self._timer_rules.expiry(event.time, event.gap or 0) for event in events]
        quiet_until = -END if before else min(event.time for event in events) - 1
        expires_at = max([before.expires_at, *expiries] if before else expiries)
        next_emission = self._timer_rules.next_emission(max(self._watermark, quiet_until))
        return KeySnapshot(next_emission, expires_at, data=operator.snapshot())

    def persist(self) -> Mapping[Key, KeySnapshot]:
        """Write the new snapshots as chunks, delete those of expired keys, and return all."""
        for key in self._stored - self._snapshots.keys():
            self._store.delete(chunk_name(key))
        for key, snapshot in self._snapshots.items():
            if snapshot.data is not None:
                checksum = write_chunk(self._store, chunk_name(key), snapshot.data)
                timers = snapshot.next_emission, snapshot.expires_at
                self._snapshots[key] = KeySnapshot(*timers, checksum)
        return self._snapshots


def chunk_name(key: Key) -> str:
    """The name of the chunk of a key."""
    return KEY_CHUNK_PREFIX + encode(list(key)).hex()


def arrivals(plan: AggregationPlan, rows: ArrowBatch | None) -> dict[Key, list[Event]]:
    """The events of each key, in order of arrival."""
    if rows is None or not rows.num_rows:
        return {}
    numbers = keys(rows, plan.keys)
    columns = [objects(picked(rows, plan.keys, numbers.row), name) for name in plan.keys]
    key_rows = zip(*columns, strict=True) if columns else [()]
    return dict(zip(map(hashable, key_rows), events_by_key(plan, rows, numbers), strict=True))
