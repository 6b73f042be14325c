"""What was told of windows that are not frozen yet, and what is told in one step."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from muntin.kernels.slicing.answer import Answer, joined
from muntin.kernels.slicing.arrays import Ints, Which, no_ints
from muntin.kernels.slicing.view import View
from muntin.spec.query import ChangeKind

RETRACTED, NEW, UPDATED = 0, 1, 2
KINDS: tuple[ChangeKind, ...] = ("retracted", "new", "updated")


@dataclass(frozen=True)
class Known:
    """Windows that are published: extent, time of settling, first arrival, revision, values."""

    key: Ints = field(default_factory=no_ints)
    start: Ints = field(default_factory=no_ints)
    end: Ints = field(default_factory=no_ints)
    final_at: Ints = field(default_factory=no_ints)
    first: Ints = field(default_factory=no_ints)
    revision: Ints = field(default_factory=no_ints)
    values: Mapping[str, Answer] = field(default_factory=dict[str, Answer])

    @property
    def columns(self) -> tuple[Ints, ...]:
        """All columns but the values."""
        return self.key, self.start, self.end, self.final_at, self.first, self.revision

    def __len__(self) -> int:
        """Return the number of windows."""
        return self.key.size

    def picked(self, which: Which) -> "Known":
        """Return some windows, by their places or by a mask."""
        values = {name: answer.picked(which) for name, answer in self.values.items()}
        key, start, end, final_at, first, revision = (column[which] for column in self.columns)
        return Known(key, start, end, final_at, first, revision, values)

    def followed(self, other: "Known") -> "Known":
        """Return these windows and others."""
        if not len(self) or not len(other):
            return self if len(self) else other
        values = {
            name: joined([answer, other.values[name]])
            for name, answer in self.values.items()
            if name in other.values
        }
        numbers = map(np.concatenate, zip(self.columns, other.columns, strict=True))
        key, start, end, final_at, first, revision = numbers
        return Known(key, start, end, final_at, first, revision, values)


@dataclass(frozen=True)
class Told:
    """Lines of output: what happened to which window of which key, and the values by query.

    `birth` tells the order in which keys came, where all else is equal.
    """

    kind: Ints
    key: Ints
    start: Ints
    end: Ints
    revision: Ints
    birth: Ints
    values: Mapping[str, Answer]

    def __len__(self) -> int:
        """Return the number of windows told of."""
        return self.key.size

    def each(self) -> Iterator[tuple[str, "Told"]]:
        """Yield the lines of each query, with its values under no name."""
        for name, answer in self.values.items():
            yield name, replace(self, values={"": answer})


def places(known: Known, view: View) -> Ints:
    """Return, for each window seen, its place among those that are known, or -1."""
    n, found = len(known), np.full(len(view), -1, np.int64)
    if not n or not found.size:
        return found
    columns = [
        np.concatenate([getattr(known, name), getattr(view, name)])
        for name in ("start", "end", "key")
    ]
    order = np.lexsort(columns)  # stable: what is known comes before what is seen
    same = np.ones(order.size - 1, np.bool_)
    for column in columns:
        same &= column[order[1:]] == column[order[:-1]]
    pairs = np.flatnonzero(same)
    found[order[pairs + 1] - n] = order[pairs]
    return found


class ToldLines(Protocol):
    """Lines of some queries."""

    def __len__(self) -> int:
        """Return the number of windows told of."""
        ...

    def each(self) -> Iterator[tuple[str, Told]]:
        """Yield the lines of each query."""
        ...
