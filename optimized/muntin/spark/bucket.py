"""A bucket of keys: the state that one call of a stateful processor takes up and puts down.

This is the seam between Spark's state and the operators. Here each key has an operator of its own,
which is a snapshot until something is due for it: what does not change is not written anew.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import NamedTuple

import numpy as np

from muntin.kernels.slicing.over import is_record
from muntin.optimized.scotty.operator import Scotty
from muntin.snapshot import SnapshotError, decode, encode
from muntin.snapshot.frame import Frame, framed, installed, unframed
from muntin.snapshot.given import described as text
from muntin.spark.answering import events_of, operator_of, queries_of
from muntin.spark.answers import is_row
from muntin.spark.arrow import Table, keys, objects, picked
from muntin.spark.plan import Plan
from muntin.spark.settling import Settling
from muntin.spec.query import Result
from muntin.spec.stream import END, Event

Key = tuple[Hashable, ...]
FORMAT = 1
"""The present form of the state of a bucket."""


@dataclass(frozen=True)
class Kept:
    """What is kept of a key: a snapshot, when it has something to say, when it may be forgotten."""

    data: bytes
    due: float
    over: float


class Said(NamedTuple):
    """What one call says: results and late events, each with its key."""

    results: list[tuple[Key, Result]]
    late: list[tuple[Key, Event]]


class Bucket:
    """Keys, and the watermark up to which all was said."""

    def __init__(self, plan: Plan, data: bytes | None = None) -> None:
        """Start without keys, or from a state; a state of something else is refused."""
        self._plan, self._queries = plan, queries_of(plan)
        self._settling = Settling(tuple(plan.kinds().values()), plan.settings)
        self._watermark: float = -END
        self._keys: dict[Key, Kept] = {}
        if data is not None:
            self._watermark, self._keys = restored(plan, data)

    @property
    def due(self) -> float | None:
        """The least watermark at which something is to be said or forgotten; None without keys."""
        return min((min(one.due, one.over) for one in self._keys.values()), default=None)

    def state(self) -> bytes | None:
        """Return the state; None if there is none."""
        if not self._keys:
            return None
        held = {key: (one.data, one.due, one.over) for key, one in self._keys.items()}
        return framed_state("bucket", described(self._plan), [self._watermark, held])

    def take(self, rows: Table | None, watermark: float) -> Said:
        """Let the watermark rise, then take in rows: those behind the lateness limit are late."""
        self._watermark = max(self._watermark, watermark)
        said, events = Said([], []), by_key(self._plan, rows)
        asked = dict.fromkeys(key for key, one in self._keys.items() if one.due <= watermark)
        for key in asked | dict.fromkeys(events):
            self._say(key, events.get(key, []), said)
        over = [key for key, one in self._keys.items() if one.over <= self._watermark]
        for key in over:
            del self._keys[key]
        return said

    def _say(self, key: Key, events: Sequence[Event], said: Said) -> None:
        kept, operator = self._keys.get(key), operator_of(self._plan, self._queries)
        if kept:
            operator.restore(kept.data)
        now = None if self._watermark == -END else self._watermark
        outputs = [operator.step([], now), operator.step(events)]
        said.results.extend((key, one) for output in outputs for one in output.results)
        late = [one for output in outputs for one in output.late]
        said.late.extend((key, one) for one in late)
        if kept or len(late) < len(events):
            self._keys[key] = self._kept(operator, kept, events)

    def _kept(self, operator: Scotty, kept: Kept | None, events: Sequence[Event]) -> Kept:
        """Return what to keep; of a new key nothing is said before its first event is past."""
        overs = [self._settling.over(one.time, one.gap or 0) for one in events]
        past = -END if kept else min(one.time for one in events) - 1
        over = max([kept.over, *overs] if kept else overs)
        return Kept(operator.snapshot(), self._settling.next(max(self._watermark, past)), over)


def by_key(plan: Plan, rows: Table | None) -> dict[Key, list[Event]]:
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


def described(plan: Plan) -> list[str]:
    """Return what must be alike where a state is written and where it is read."""
    settings, columns = plan.settings, [f"{n}: {plan.types[n].simpleString()}" for n in plan.read]
    lines = [f"the columns {', '.join(columns)}", f"the keys {', '.join(plan.keys) or 'none'}"]
    lines += [f"the window {name!r}: {text(kind)}" for name, kind in plan.kinds().items()]
    lines += [f"the aggregate {one.described}" for one in plan.wanted]
    lateness = f"the allowed lateness {settings.allowed_lateness}"
    return [*lines, lateness, f"the output {settings.output}", f"the dialect {settings.dialect}"]


def framed_state(kind: str, told: Sequence[str], held: object) -> bytes:
    """Return a state as bytes: its kind, what it is a state of, and what is held."""
    return framed(Frame(FORMAT, installed(), encode([kind, list(told), held])))


def held_in(kind: str, told: Sequence[str], data: bytes) -> object:
    """Return what is held by a state of this kind, and of this very call; or refuse it."""
    whole = decode(unframed(data, FORMAT).body)
    if not is_row(whole) or len(whole) != 3 or whole[0] != kind:  # noqa: PLR2004 - as above
        raise SnapshotError(f"this is no state of a {kind}")
    before = [str(line) for line in whole[1]] if is_row(whole[1]) else []
    for line in (*before, *told):
        if line not in before or line not in told:
            gone = [one for one in before if one not in told]
            new = [one for one in told if one not in before]
            raise SnapshotError(
                "this checkpoint is of another call of muntin.spark.aggregate: there were "
                f"{'; '.join(gone) or 'none'}; now there are {'; '.join(new) or 'none'}. "
                "Go on with the call as it was, or begin with a new checkpoint"
            )
    return whole[2]


def restored(plan: Plan, data: bytes) -> tuple[float, dict[Key, Kept]]:
    """Return the watermark and the keys of a state."""
    held = held_in("bucket", described(plan), data)
    if not is_row(held) or len(held) != 2 or not isinstance(held[0], int | float):  # noqa: PLR2004
        raise SnapshotError("the state of a bucket is damaged: it holds no watermark and keys")
    if not is_record(held[1]):
        raise SnapshotError("the state of a bucket is damaged: its keys are no table")
    return held[0], {_key(key): _kept(one) for key, one in held[1].items()}


def _key(key: object) -> Key:
    if is_row(key):
        return hashable(key)
    raise SnapshotError(f"the state of a bucket is damaged: {key!r} is no key")


def _kept(one: object) -> Kept:
    match one:
        case (bytes(data), int() | float() as due, int() | float() as over):
            return Kept(data, due, over)
        case _:
            raise SnapshotError(
                "the state of a bucket is damaged: what is kept of a key is not whole"
            )
