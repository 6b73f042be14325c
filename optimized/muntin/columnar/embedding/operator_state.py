"""The state of a columnar operator: export, import, and the state without its idle keys.

Keys are numbers, and those that stay are numbered anew.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from muntin.columnar.operator import ColumnarOperator
from muntin.kernels.slicing.arrays import Flags, Ints
from muntin.kernels.slicing.generic import Generic
from muntin.kernels.slicing.image import Compiled, Image, Plain, Sharded, TrackerState
from muntin.kernels.slicing.moment import Clock
from muntin.snapshot import SnapshotError
from muntin.spec.windows.measure import COUNT
from muntin.spec.windows.window import WindowType


class OperatorState(NamedTuple):
    """The state of each group with the ids of its queries and its method; and the watermarks."""

    groups: list[tuple[list[str], str, Plain]]
    clock: Clock
    seen: float
    arrivals: int


def operator_image(operator: ColumnarOperator) -> Image:
    """What an operator puts into a snapshot."""
    image = operator.state()["image"]
    if isinstance(image, Image):
        return image
    raise SnapshotError(f"{operator!r} is not a columnar operator: it has no image of its state")


def export_state(operator: ColumnarOperator) -> OperatorState:
    """The state of an operator of the method `slices`."""
    image = operator_image(operator)
    groups = [
        (ids, method, group) for ids, method, group in image.groups if isinstance(group, Plain)
    ]
    if len(groups) < len(image.groups):
        raise SnapshotError("a checkpoint has no place for the compiled engine; use `slices`")
    return OperatorState(groups, image.clock, image.seen, image.arrivals)


def import_state(operator: ColumnarOperator, state: OperatorState, n_keys: int) -> None:
    """Give a new operator of the same queries this state, with the keys 0 to n_keys - 1."""
    image = operator_image(operator)
    groups: list[tuple[list[str], str, Plain | Compiled | Sharded]] = [*state.groups]
    generic, rest = Generic(image.settings), (state.clock, state.seen, state.arrivals)
    imported = Image(image.settings, image.queries, groups, generic, *rest, [*range(n_keys)])
    operator.resume({"image": imported})


def live_keys(state: OperatorState, kinds: Mapping[str, WindowType], n_keys: int) -> Flags:
    """Flag the keys that have a slice, or an emitted window that may still change.

    Where windows count events, a key with evicted events is live too.
    """
    live = np.zeros(n_keys, np.bool_)
    for _, _, group in state.groups:
        if counts_events(group, kinds):
            live |= resized(group.dropped, n_keys, 0) > 0
        live[group.cells.key] = True
        for track in group.tracks:
            live[track.known.key] = True
    return live


def drop_idle_keys(state: OperatorState, live: Flags) -> OperatorState:
    """The state of the live keys only, with new numbers."""
    number = np.cumsum(live) - 1

    def without_idle(group: Plain) -> Plain:
        tracks = [
            TrackerState(track.queries, replace(track.known, key=number[track.known.key]))
            for track in group.tracks
        ]
        cells = replace(group.cells, key=number[group.cells.key])
        arrival = arrival_ranks(resized(group.birth, live.size)[live])
        dropped = resized(group.dropped, live.size, 0)[live]
        return group._replace(tracks=tracks, cells=cells, dropped=dropped, birth=arrival)

    groups = [(queries, method, without_idle(group)) for queries, method, group in state.groups]
    return state._replace(groups=groups)


def arrival_ranks(arrival: Ints) -> Ints:
    """The rank of each key in order of arrival; -1 for a key that has not arrived.

    >>> arrival_ranks(np.array([7, -1, 4])).tolist()
    [1, -1, 0]
    """
    order, rank = np.argsort(arrival), np.full_like(arrival, -1)
    arrived = order[arrival[order] >= 0]
    rank[arrived] = np.arange(arrived.size)
    return rank


def resized(column: Ints, n_keys: int, default: int = -1) -> Ints:
    """A column with a row for each key, the default for keys that the column does not have yet.

    >>> resized(np.array([4, 7]), 3).tolist()
    [4, 7, -1]
    """
    return np.append(column[:n_keys], np.full(max(0, n_keys - column.size), default))


def counts_events(group: Plain, kinds: Mapping[str, WindowType]) -> bool:
    """Whether some window of a group is measured in events."""
    return any(kinds[track.queries[0]].measure is COUNT for track in group.tracks)
