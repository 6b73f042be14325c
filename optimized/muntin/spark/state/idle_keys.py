"""What is known of the keys of an operator over columns, and how it goes on without some.

Keys are numbers here.
"""

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from muntin.kernels.slicing.arrays import Flags, Ints
from muntin.kernels.slicing.generic import Generic
from muntin.kernels.slicing.image import Dense, Image, Plain, Told
from muntin.kernels.slicing.moment import Clock
from muntin.kernels.slicing.operator import ColumnarOperator
from muntin.snapshot import SnapshotError
from muntin.spec.windows.measure import COUNT
from muntin.spec.windows.window import WindowType


class GroupStates(NamedTuple):
    """The states of groups, each under the queries that it serves; and how far all has come."""

    groups: list[tuple[list[str], str, Plain]]
    clock: Clock
    seen: float
    arrivals: int


def image_of(operator: ColumnarOperator) -> Image:
    """Return what an operator over columns tells a snapshot."""
    image = operator.state()["image"]
    if isinstance(image, Image):
        return image
    raise SnapshotError(f"{operator!r} is no operator over columns")


def state_of(operator: ColumnarOperator) -> GroupStates:
    """Return the state of an operator that keeps no dense slices."""
    image = image_of(operator)
    groups = [(names, how, one) for names, how, one in image.groups if isinstance(one, Plain)]
    return GroupStates(groups, image.clock, image.seen, image.arrivals)


def resume_from(operator: ColumnarOperator, state: GroupStates, keys: int) -> None:
    """Let an operator that was made alike go on from a state, with so many keys."""
    image = image_of(operator)
    groups: list[tuple[list[str], str, Plain | Dense]] = [*state.groups]
    numbers: list[Hashable] = [*range(keys)]
    generic, rest = Generic(image.settings), (state.clock, state.seen, state.arrivals, numbers)
    operator.resume({"image": Image(image.settings, image.queries, groups, generic, *rest)})


def live_keys(state: GroupStates, kinds: Mapping[str, WindowType], keys: int) -> Flags:
    """Tell which of so many keys have a cell, or a window that is told and may change.

    Where events are counted, those that are forgotten count too.
    """
    found = np.zeros(keys, np.bool_)
    for _, _, group in state.groups:
        if counts(group, kinds):
            found |= sized(group.dropped, keys, 0) > 0
        found[group.cells.key] = True
        for one in group.tracks:
            found[one.known.key] = True
    return found


def drop_idle_keys(state: GroupStates, kept: Flags) -> GroupStates:
    """Return the state with those keys only that are kept, which get new numbers."""
    number = np.cumsum(kept) - 1

    def fewer(group: Plain) -> Plain:
        tracks = [
            Told(one.queries, replace(one.known, key=number[one.known.key])) for one in group.tracks
        ]
        cells = replace(group.cells, key=number[group.cells.key])
        birth = ranked(sized(group.birth, kept.size)[kept])
        dropped = sized(group.dropped, kept.size, 0)[kept]
        return group._replace(tracks=tracks, cells=cells, dropped=dropped, birth=birth)

    return state._replace(groups=[(names, how, fewer(one)) for names, how, one in state.groups])


def ranked(birth: Ints) -> Ints:
    """Number keys anew, in the order in which they came; one that never did is -1.

    >>> ranked(np.array([7, -1, 4])).tolist()
    [1, -1, 0]
    """
    order, number = np.argsort(birth), np.full_like(birth, -1)
    came = order[birth[order] >= 0]
    number[came] = np.arange(came.size)
    return number


def sized(column: Ints, n: int, unknown: int = -1) -> Ints:
    """Return a column of keys for so many of them; with this for those that it does not know yet.

    >>> sized(np.array([4, 7]), 3).tolist()
    [4, 7, -1]
    """
    return np.append(column[:n], np.full(max(0, n - column.size), unknown))


def counts(group: Plain, kinds: Mapping[str, WindowType]) -> bool:
    """Whether some window of a group counts events."""
    return any(kinds[one.queries[0]].measure is COUNT for one in group.tracks)
