"""Slices that were made elsewhere, in the place of a batch of the events in them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from muntin.kernels.slicing.arrays import Ints
from muntin.kernels.slicing.batch import Batch, objects
from muntin.kernels.slicing.moment import Clock
from muntin.kernels.slicing.parts import Part
from muntin.kernels.slicing.store import Store
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.windows.window import WindowType


@dataclass(frozen=True)
class Condensed(Batch):
    """A batch that knows no single event: its times are the first of each slice.

    Its keys are in the order in which their slices began to come.
    """

    store: Store = field(default_factory=Store)

    def __len__(self) -> int:
        """Return how many numbers arrivals take: no fewer than there are events."""
        return int(self.store.cells.arrival.max()) + 1 - self.begin

    @cached_property
    def most(self) -> int:
        """The greatest time."""
        return int(self.store.cells.high.max())


SHARED = (None, "slices")
"""The place of queries that share slices."""


class Group(Protocol):
    """What is used here of queries that see the same events."""

    @property
    def parts(self) -> Iterable[Part]: ...  # noqa: D102 - of a group


def condensed(
    slices: Store,
    groups: Mapping[tuple[int, WindowType | None, str], Group],
    clock: Clock,
    arrivals: int,
) -> Condensed:
    """Return slices as a batch, if all queries share slices; so many events came before."""
    places = [(since, group) for (since, by, how), group in groups.items() if (by, how) == SHARED]
    if len(groups) != 1 or not places:
        raise UnsupportedError("slices are taken in by queries that share slices, and by no others")
    ((since, group),) = places
    cells = replace(slices.cells, arrival=slices.cells.arrival + arrivals)
    least, limit = int(cells.low.min()), max(since + 1, clock.limit)
    if least < limit:
        raise UnsupportedError(f"a slice begins at {least}, and what is before {limit} is late")
    none, parts = np.zeros_like(cells.low), {part: slices.parts[part] for part in group.parts}
    key = cells.key[np.argsort(cells.arrival, kind="stable")]
    whole = Store(cells, parts)
    return Condensed(cells.low, key, none, none, {}, lambda: objects([]), arrivals, None, whole)


def check_numbered(slices: Store, numbers: Ints) -> None:
    """Refuse slices of keys that were numbered otherwise."""
    if (slices.cells.key != numbers).any():
        raise InvalidInputError("the keys of slices must be numbers from 0, new ones the next")
