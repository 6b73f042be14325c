"""The keys of a bucket one by one: each has an operator of its own, in plain Python.

Between micro-batches it is a snapshot, which is not touched until something is due for it.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import NamedTuple

import numpy as np

from muntin.optimized.scotty.operator import Scotty
from muntin.snapshot import encode
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import Table, keys, objects, picked
from muntin.spark.execution.evaluation import events_of, operator_of, queries_of
from muntin.spark.state.column_codec import ChunkStore, read_chunk, write_chunk
from muntin.spark.streaming.timers import TimerRules
from muntin.spec.query import Result
from muntin.spec.stream import END, Event

Key = tuple[Hashable, ...]
PIECE = "key "


@dataclass(frozen=True)
class KeySnapshot:
    """What is kept of a key: when it has something to say, when it may be forgotten; a snapshot.

    The snapshot is a piece of this checksum, or here, if it is not put away yet.
    """

    due: float
    expires_at: float
    check: int = 0
    data: bytes | None = None


class BucketOutput(NamedTuple):
    """What one call says: results and late events, each with its key."""

    results: list[tuple[Key, Result]]
    late: list[tuple[Key, Event]]


class RowBucket:
    """Keys, each with what is kept of it."""

    def __init__(
        self, plan: AggregationPlan, shelf: ChunkStore, kept: Mapping[Key, KeySnapshot]
    ) -> None:
        """Start with these keys."""
        self._plan, self._shelf, self._keys = plan, shelf, dict(kept)
        self._shelved = {key for key, one in kept.items() if one.data is None}
        self._queries = queries_of(plan) if plan.windows else []
        self._settling = TimerRules(tuple(plan.kinds().values()), plan.settings)
        self._watermark: float = -END

    @property
    def due(self) -> float:
        """The least watermark at which something is to be said or forgotten; END without keys."""
        return min((min(one.due, one.expires_at) for one in self._keys.values()), default=END)

    def asked(self, rows: Table | None, watermark: float) -> bool:
        """Whether there is anything to do."""
        return bool(self._queries) and (rows is not None or self.due <= watermark)

    def take(self, rows: Table | None, watermark: float) -> BucketOutput:
        """Let the watermark rise, then take in rows: those behind the lateness limit are late."""
        self._watermark = watermark
        said, events = BucketOutput([], []), by_key(self._plan, rows)
        asked = dict.fromkeys(key for key, one in self._keys.items() if one.due <= watermark)
        for key in asked | dict.fromkeys(events):
            self._say(key, events.get(key, []), said)
        self._keys = {key: one for key, one in self._keys.items() if one.expires_at > watermark}
        return said

    def _say(self, key: Key, events: Sequence[Event], said: BucketOutput) -> None:
        kept, operator = self._keys.get(key), operator_of(self._plan, self._queries)
        if kept:
            operator.restore(self._data(key, kept))
        now = None if self._watermark == -END else self._watermark
        outputs = [operator.step([], now), operator.step(events)]
        said.results.extend((key, one) for output in outputs for one in output.results)
        late = [one for output in outputs for one in output.late]
        said.late.extend((key, one) for one in late)
        if kept or len(late) < len(events):
            self._keys[key] = self._kept(operator, kept, events)

    def _data(self, key: Key, kept: KeySnapshot) -> bytes:
        return read_chunk(self._shelf, name_of(key), kept.check) if kept.data is None else kept.data

    def _kept(
        self, operator: Scotty, kept: KeySnapshot | None, events: Sequence[Event]
    ) -> KeySnapshot:
        """Return what to keep; of a new key nothing is said before its first event is past."""
        overs = [self._settling.expiry(one.time, one.gap or 0) for one in events]
        past = -END if kept else min(one.time for one in events) - 1
        over = max([kept.expires_at, *overs] if kept else overs)
        due = self._settling.next_emission(max(self._watermark, past))
        return KeySnapshot(due, over, data=operator.snapshot())

    def persist(self) -> dict[Key, tuple[float, float, int]]:
        """Put away the snapshots that are new, and return what is known of each key."""
        for key in self._shelved - self._keys.keys():
            self._shelf.drop(name_of(key))
        for key, one in self._keys.items():
            if one.data is not None:
                self._keys[key] = KeySnapshot(
                    one.due, one.expires_at, write_chunk(self._shelf, name_of(key), one.data)
                )
        return {key: (one.due, one.expires_at, one.check) for key, one in self._keys.items()}


def name_of(key: Key) -> str:
    """Return the name of the piece of a key."""
    return PIECE + encode(list(key)).hex()


def by_key(plan: AggregationPlan, rows: Table | None) -> dict[Key, list[Event]]:
    """Return the events of each key, in the order of arrival."""
    if rows is None or not rows.num_rows:
        return {}
    found, events = keys(rows, plan.keys), events_of(plan, rows)
    columns = [objects(picked(rows, plan.keys, found.row), name) for name in plan.keys]
    each = zip(*columns, strict=True) if columns else [()]
    order = np.argsort(found.number, kind="stable")
    ends = np.cumsum(np.bincount(found.number, minlength=found.row.size))
    parts = np.split(order, ends[:-1])
    return {
        key: [events[int(i)] for i in part]
        for key, part in zip(map(hashable, each), parts, strict=True)
    }


def hashable(key: Iterable[object]) -> Key:
    """Return a key; all NaN are one object, so that they are one key."""
    items = (item if isinstance(item, Hashable) else repr(item) for item in key)
    return tuple(nan if isinstance(one, float) and isnan(one) else one for one in items)
