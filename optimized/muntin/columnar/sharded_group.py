"""Queries that see the same events, on an engine a thread: keys are split among them.

A step has two phases. First each engine gets its rows, which may be refused; only then all step, so
a step either takes effect on every engine, or raises before.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from muntin.columnar.engine.kernel_language import Ints
from muntin.columnar.engine_group import EngineGroup, EngineRows
from muntin.columnar.threads import LEAST_ROWS, run_in_threads
from muntin.kernels.slicing.arrays import NONE, Flags
from muntin.kernels.slicing.batch import Batch
from muntin.kernels.slicing.forms import Form, Opaque
from muntin.kernels.slicing.known import Told
from muntin.kernels.slicing.moment import Moment
from muntin.kernels.slicing.parts import Part
from muntin.kernels.slicing.track import Track
from muntin.spec.query import Settings
from muntin.spec.windows.window import WindowType


class KeyOwners:
    """Which engine has each key, by the key's number, and the number that it has there.

    The numbers of an engine are in the order of the keys' own.
    """

    def __init__(self, shards: int, owner: Ints = NONE) -> None:
        """Start with these owners."""
        self._shards, self.owner = shards, owner
        self.numbers = [np.flatnonzero(owner == shard) for shard in range(shards)]
        self.local: Ints = np.empty(owner.size, np.int64)
        for numbers in self.numbers:
            self.local[numbers] = np.arange(numbers.size)

    def extended(self, keys: int) -> "KeyOwners":
        """Owners of more keys: each in turn, so that all have as many."""
        if keys <= self.owner.size:
            return self
        room = max(keys, 2 * self.owner.size)
        more = np.arange(self.owner.size, room) % self._shards
        return KeyOwners(self._shards, np.append(self.owner, more))


class ShardedGroup:
    """Groups of the same queries, each of some keys; it changes in place."""

    method = "compiled"

    def __init__(self, shards: Sequence[EngineGroup], threads: int, owner: Ints = NONE) -> None:
        """Have groups that have seen the events of the keys that they own."""
        self.shards, self.threads = tuple(shards), threads
        self.owners = KeyOwners(len(self.shards), owner)

    @property
    def since(self) -> int:
        """The time after which events are seen."""
        return self.shards[0].since

    @property
    def settings(self) -> Settings:
        """The settings of the operator."""
        return self.shards[0].settings

    @property
    def tracks(self) -> Mapping[WindowType, Track]:
        """The queries by window type."""
        return self.shards[0].tracks

    @property
    def parts(self) -> list[Part]:
        """The parts that the queries need."""
        return self.shards[0].parts

    def with_query(self, name: str, kind: WindowType, values: Form | Opaque) -> "ShardedGroup":
        """The group with one query more; it has seen no event."""
        return ShardedGroup(
            [one.with_query(name, kind, values) for one in self.shards], self.threads
        )

    def without(self, name: str) -> "ShardedGroup":
        """The group with one query less."""
        self.shards = tuple(one.without(name) for one in self.shards)
        return self

    def __len__(self) -> int:
        """The number of rows of the state that hold events."""
        return sum(map(len, self.shards))

    def takes(self, batch: Batch, limit: int) -> Flags:
        """Which events take part."""
        return self.shards[0].takes(batch, limit)

    def live_keys(self, keys: int) -> Flags:
        """Which numbers of keys are in use."""
        self.owners = self.owners.extended(keys)
        live = np.zeros(self.owners.owner.size, np.bool_)
        for one, numbers in zip(self.shards, self.owners.numbers, strict=True):
            live[numbers] = one.live_keys(numbers.size)
        return live[:keys]

    def renumber_keys(self, kept: Ints) -> None:
        """Number the keys anew that have these numbers; each stays where it is."""
        owner, local = self.owners.owner[kept], self.owners.local[kept]
        for shard, one in enumerate(self.shards):
            one.renumber_keys(local[owner == shard])
        self.owners = KeyOwners(len(self.shards), owner)

    def step(self, batch: Batch, moment: Moment) -> "tuple[ShardedGroup, list[ShardRows]]":
        """Take in the rows of a batch, whose keys are numbered, and advance the watermark."""
        owners = self.owners.extended(int(batch.key.max(initial=-1)) + 1)
        owner = owners.owner[batch.key]
        threads = self.threads if len(batch) >= LEAST_ROWS else 1
        prepare = [partial(self._prepare, nth, batch, owner) for nth in range(len(self.shards))]
        self.owners, batches = owners, list[Batch]()
        try:
            batches = run_in_threads([partial(work, owners, moment) for work in prepare], threads)
        finally:
            if not batches:
                self._unbind()
        commit = [
            partial(one.commit, len(its), moment)
            for one, its in zip(self.shards, batches, strict=True)
        ]
        rows = run_in_threads(commit, threads)
        told = zip(rows, owners.numbers, strict=True)
        return self, [ShardRows(one, numbers) for each, numbers in told for one in each]

    def _prepare(
        self, shard: int, batch: Batch, owner: Ints, owners: KeyOwners, moment: Moment
    ) -> Batch:
        """Give the engine of a shard its rows; nothing but their types is changed."""
        mine = batch.picked(np.asarray(owner == shard, np.bool_))
        mine = mine.keyed(owners.local[mine.key])
        self.shards[shard].prepare(mine, moment)
        return mine

    def _unbind(self) -> None:
        for one in self.shards:
            if one.engine:
                one.engine.unbind()


class ShardRows:
    """The rows of a step of one engine, with the numbers that their keys had then."""

    def __init__(self, rows: EngineRows, numbers: Ints) -> None:
        """Know the number of each key of the engine."""
        self._rows, self._numbers = rows, numbers

    def __len__(self) -> int:
        """How many windows there are."""
        return len(self._rows)

    def each(self) -> Iterator[tuple[str, Told]]:
        """The rows of each query."""
        for name, told in self._rows.each():
            key = self._numbers[told.key]
            columns = told.kind, key, told.start, told.end, told.revision, key
            yield name, Told(*columns, told.values)
