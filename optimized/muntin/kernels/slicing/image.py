"""The state of the operator as a snapshot has it: columns as bytes, and no function.

Forms of aggregates and their parts belong to queries; each window type stands for the queries that
ask for it. What a group derives from these is left out.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple

import numpy as np

from muntin.columnar.engine.state import EngineState, load_engine, save_engine
from muntin.columnar.engine_group import EngineGroup
from muntin.columnar.sharded_group import KeyOwners, ShardedGroup
from muntin.kernels.slicing.arrays import FIRST, LAST, Column, Fields, Ints, column_of, no_ints
from muntin.kernels.slicing.batch import objects
from muntin.kernels.slicing.cells import Cells
from muntin.kernels.slicing.forms import Form, Opaque
from muntin.kernels.slicing.generic import Generic
from muntin.kernels.slicing.grain import Records, Slices
from muntin.kernels.slicing.group import Group
from muntin.kernels.slicing.keys import KeyIds, with_one_nan
from muntin.kernels.slicing.known import Known
from muntin.kernels.slicing.moment import Clock
from muntin.kernels.slicing.sound import (
    Facts,
    ensure,
    integer_within,
    named_once,
    of_clock,
    of_group,
    row_of,
    values_within,
)
from muntin.kernels.slicing.stepping import AnyGroup
from muntin.kernels.slicing.store import Store
from muntin.kernels.slicing.track import Track
from muntin.optimized.scotty.operator import Scotty
from muntin.snapshot import register_value
from muntin.snapshot.errors import corrupt_snapshot
from muntin.spec.query import Query, Settings
from muntin.spec.windows.window import WindowType

BESIDE = Scotty
"""What a state holds beside columns: a snapshot may name only what is imported."""


def _plain(array: Column) -> tuple[str, list[int], object]:
    """Return the type, the shape and the bytes of an array, or its objects."""
    shape, kind = list(array.shape), array.dtype.str
    if array.dtype.kind == "O":
        return "O", shape, array.ravel().tolist()
    if array.dtype.fields:
        kind = ",".join(field.str for field, *_ in array.dtype.fields.values())
    return kind, shape, array.tobytes()


def _array(plain: tuple[str, list[int], bytes | list[object]]) -> Column:
    kind, shape, content = plain
    if isinstance(content, bytes):
        return np.frombuffer(content, np.dtype(kind)).reshape(shape).copy()
    return column_of(objects(content).reshape(shape))


register_value(np.ndarray, "numpy array", _plain, _array)


class TrackerState(NamedTuple):
    """The queries that ask for a window type, and what they were told."""

    queries: list[str]
    known: Known


class Plain(NamedTuple):
    """The state of a group."""

    since: int
    grain: Records | Slices
    tracks: list[TrackerState]
    cells: Cells
    parts: list[tuple[int, Fields]]  # and which of the parts that the queries need each is
    dropped: Ints
    birth: Ints


class Compiled(NamedTuple):
    """The state of a group that an engine serves."""

    since: int
    tracks: list[TrackerState]
    state: EngineState | None


class Sharded(NamedTuple):
    """The state of a group whose keys are split among engines, and which engine has each key."""

    since: int
    tracks: list[TrackerState]
    states: list[EngineState | None]
    owner: Ints


class Image(NamedTuple):
    """The state of the operator."""

    settings: Settings
    queries: dict[str, Query]
    groups: list[tuple[list[str], str, Plain | Compiled | Sharded]]
    generic: Generic
    clock: Clock
    seen: float
    arrivals: int
    keys: list[Hashable]


def image_in(fields: Mapping[str, object]) -> Image:
    """Return the state of the operator, which is one of its fields."""
    image = fields["image"]
    if not isinstance(image, Image):
        raise corrupt_snapshot(f"`image` must be an Image, found {image!r:.80}")
    return image


def image_of(group: AnyGroup) -> Plain | Compiled | Sharded:
    """Return the state of a group."""
    tracks = [TrackerState(list(track.queries), track.known) for track in group.tracks.values()]
    if isinstance(group, EngineGroup):
        return Compiled(group.since, tracks, save_engine(group))
    if isinstance(group, ShardedGroup):
        states = [save_engine(one) for one in group.shards]
        return Sharded(group.since, tracks, states, group.owners.owner)
    cells = replace(group.store.cells)  # without what it has found out of itself
    store = group.store.parts
    parts = [(nth, store[part]) for nth, part in enumerate(group.parts) if part in store]
    rest = (cells, parts, group.dropped, group.birth)
    return Plain(group.since, group.grain, tracks, *rest)


class Asked(NamedTuple):
    """What is asked: queries by name, and their forms."""

    settings: Settings
    queries: Mapping[str, Query]
    forms: Mapping[str, Form | Opaque]
    keys: int  # how many there are
    clock: Clock = Clock()

    def tracks(self, told: Sequence[TrackerState]) -> Mapping[WindowType, Track]:
        """Return tracks that know what was told."""
        found = dict[WindowType, Track]()
        for names, known in told:
            kind = self.queries[names[0]].window
            found[kind] = Track(kind, {name: self.forms[name] for name in names}, known)
        return found

    def group(self, image: Plain | Compiled | Sharded) -> AnyGroup:
        """Return a group that goes on from a state."""
        tracks = self.tracks(image.tracks)
        if isinstance(image, Plain):
            group = Group(image.since, self.settings, image.grain, tracks)
            needed = list(group.parts)
            store = Store(image.cells, {needed[nth]: fields for nth, fields in image.parts})
            group = replace(group, store=store, dropped=image.dropped, birth=image.birth)
            ensure(of_group(group, self.keys))
            return group
        ensure([integer_within("since", image.since, FIRST, LAST)])
        if isinstance(image, Compiled):
            return self._engine(image.since, tracks, image.state, self.keys)
        ensure([row_of("owner", image.owner)])
        ensure([values_within("owner", image.owner, 0, len(image.states) - 1)])
        owners = KeyOwners(len(image.states), image.owner[: self.keys]).extended(self.keys)
        shards = [
            self._engine(image.since, tracks, state, numbers.size)
            for state, numbers in zip(image.states, owners.numbers, strict=True)
        ]
        return ShardedGroup(shards, 1, owners.owner)

    def _engine(
        self, since: int, tracks: Mapping[WindowType, Track], state: EngineState | None, keys: int
    ) -> EngineGroup:
        compiled = EngineGroup(since, self.settings, tracks)
        if state is not None:
            load_engine(compiled, state, self.clock, keys)
        return compiled


def of_image(image: Image) -> Facts:
    """Checks of the state that all groups share."""
    yield from of_clock(image.clock)
    yield integer_within("arrivals", image.arrivals, 0, LAST)
    yield f"`seen` must be a time or -inf, found {image.seen!r:.80}", -inf <= image.seen < LAST
    named = [names for names, *_ in image.groups]
    told = [names for *_, state in image.groups for names, _ in state.tracks]
    yield "`groups` must have each query in one group", named_once(named, image.queries)
    yield "`tracks` must have each query in one tracker", named_once(told, image.queries)


def keys_of(ids: KeyIds) -> list[Hashable]:
    """Return all keys that have a number, in the order of these."""
    return [ids.key(number) for number in range(len(ids))]


def numbered(keys: Sequence[Hashable]) -> KeyIds:
    """Return numbers for keys, in their order."""
    ids = KeyIds()
    if keys and all(type(key) is int and -(2**63) <= key < 2**63 for key in keys):
        numbers = ids.of_column(np.array(keys, np.int64), len(keys))
    else:
        numbers = ids.of(with_one_nan(keys))
    if (numbers != np.arange(len(keys)) if len(keys) else no_ints()).any():
        raise corrupt_snapshot(f"its {len(keys)} keys must be distinct")
    return ids
