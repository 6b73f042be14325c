"""Windows as ranges of cells: those that a step has to look at."""

from dataclasses import dataclass, field, fields
from typing import NamedTuple

import numpy as np

from muntin.kernels.slicing.arrays import FIRST, Ints, Which, no_ints
from muntin.kernels.slicing.cells import Cells
from muntin.kernels.slicing.moment import Clock, Within


class Line(NamedTuple):
    """The cells of a group, and what is known besides.

    `rank` is that of each cell's first event, `since` the time that queries came too late to see.
    """

    cells: Cells
    rank: Ints
    since: int
    clock: Clock
    final: bool


@dataclass(frozen=True)
class View:
    """Windows that hold an event: key, extent, the range of cells, and the time of settling."""

    key: Ints = field(default_factory=no_ints)
    start: Ints = field(default_factory=no_ints)
    end: Ints = field(default_factory=no_ints)
    lo: Ints = field(default_factory=no_ints)
    hi: Ints = field(default_factory=no_ints)
    settles: Ints = field(default_factory=no_ints)

    def __len__(self) -> int:
        """Return the number of windows."""
        return self.key.size

    def picked(self, which: Which) -> "View":
        """Return some windows, by their places or by a mask."""
        return View(*(getattr(self, one.name)[which] for one in fields(self)))


def ranges(cells: Cells, lo: Ints, start: Ints, end: Ints) -> View:
    """Return windows in time, given their first cells."""
    return View(cells.key[lo], start, end, lo, cells.find(lo, end), end)


def settling(view: View, among: Within) -> View:
    """Return the windows that settle in time."""
    return view.picked((view.settles > among.after) & (view.settles <= among.upto))


def whole(view: View, since: int) -> View:
    """Return the windows that a query did not come too late to see whole (rule 13)."""
    return view if since == FIRST else view.picked(view.start > since)


def last_of_keys(cells: Cells) -> Ints:
    """Return, for each cell, the last time of its key."""
    return np.asarray(cells.high[cells.bounds[1:] - 1][cells.run], np.int64)
