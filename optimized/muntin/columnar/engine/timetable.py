"""Edges of slices, cut ahead of the events: what Python does for the timeline, now and then.

A blank slice holds no event, so it may be as long as a pause or as the time before the first event;
an event that falls into one has it cut first.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from muntin.columnar.engine.cells import BLOCK
from muntin.columnar.engine.directory import FAR, AnyArray
from muntin.columnar.engine.kernel_language import Ints

AHEAD, FARTHEST_AHEAD = 256, 2048
"""Slices that are cut beyond the last event: the least, and the most of four times those in use.
"""


def edges_between(periods: Ints, low: int, high: int) -> Ints:
    """All edges in [low, high], in order; of each period the length and the phase."""
    length, phase = periods.T
    first = low + (phase - low) % length
    counts = np.maximum((high - first) // length + 1, 0)
    each = np.repeat(np.cumsum(counts) - counts, counts)
    nth: Ints = np.arange(each.size) - each
    edges: Ints = np.repeat(first, counts) + nth * np.repeat(length, counts)
    edges.sort()
    return edges[np.diff(edges, prepend=low - 1) > 0]


def edge_at_or_before(periods: Ints, time: int) -> int:
    """The last edge that is not after a time."""
    return int((time - (time - periods[:, 1]) % periods[:, 0]).max())


def edge_after(periods: Ints, time: int) -> int:
    """The first edge after a time; it may lie beyond all words."""
    return time + 1 + int(((periods[:, 1] - time - 1) % periods[:, 0]).min())


class Timetable:
    """The edges of slices, and which slices are blank."""

    def __init__(self, periods: Sequence[tuple[int, int]], single: Sequence[int] = ()) -> None:
        """Start with one blank slice that holds all times; `single` edges come once."""
        self.single, length = single, single[-1] - single[0] if single else 0
        self._needed: Ints = np.array(periods, np.int64).reshape(-1, 2)
        # where no period is needed slices end all the same, so that old ones can be forgotten
        self.periods = self._needed if periods else np.array([[length, single[0] % length]])
        self.edges: Ints = np.array([-FAR, FAR], np.int64)
        self.blank = np.array([True])
        self.look_ahead(0)

    def look_ahead(self, slices: int, span: int = 0) -> None:
        """Cut a multiple of the slices in use, or of a batch, beyond the last event."""
        density = float((1 / self.periods[:, 0]).sum())
        ahead = max(AHEAD, 4 * slices, int(16 * span * density))
        ahead = min(ahead, max(AHEAD, FARTHEST_AHEAD, slices))
        margin = int(ahead / density) + int(self.periods[:, 0].max())
        self.margin = min(margin, FAR // 4)  # so that no distance is beyond all words

    @property
    def widest(self) -> int:
        """The bound of the width of a slice that has no edge inside."""
        return int(self.periods[:, 0].min())

    def edges_between(self, low: int, high: int) -> Ints:
        """All edges in [low, high], in order."""
        edges = edges_between(self.periods, low, high)
        more = [edge for edge in self.single if low <= edge <= high]
        return np.union1d(edges, np.array(more, np.int64)) if more else edges

    def edge_at_or_before(self, time: int) -> int:
        """The last edge that is not after a time."""
        last = edge_at_or_before(self.periods, time)
        return max([last, *(edge for edge in self.single if edge <= time)])

    def edge_after(self, time: int) -> int:
        """The first edge after a time."""
        return self._edge_after(time, self.periods)

    def needed_edge_after(self, time: int) -> int:
        """The first edge of a window after a time, FAR if there is none."""
        return self._edge_after(time, self._needed)

    def _edge_after(self, time: int, periods: Ints) -> int:
        if time >= FAR:
            return FAR
        ends = [edge_after(periods, time)] if periods.size else []
        return min([FAR, *ends, *(edge for edge in self.single if edge > time)])

    def extremes(self, times: Ints, lows: AnyArray, highs: AnyArray) -> Ints:
        """The times of blocks that reach into blank slices; of short blocks in one the extremes."""
        blocks = (times.size + BLOCK - 1) // BLOCK
        low, high = (ends[:blocks].astype(np.int64, copy=False) for ends in (lows, highs))
        first, last = (np.searchsorted(self.edges, one, "right") - 1 for one in (low, high))
        blanks = np.append(0, np.cumsum(self.blank))
        some = blanks[last + 1] > blanks[first]
        short = (first == last) & (high - low <= self.margin)
        chosen = np.flatnonzero(some & ~short).tolist()
        inner = [times[BLOCK * block : BLOCK * (block + 1)] for block in chosen]
        return np.concatenate([low[some & short], high[some & short], *inner])

    def cut(self, times: Ints) -> Ints | None:
        """Cut the blank slices that some times fall into; the old slice of each new one."""
        if not times.size:
            return None
        at = np.searchsorted(self.edges, times, "right") - 1
        hit = np.unique(at[self.blank[at]])
        if not hit.size:
            return None
        edges, blank, old = [self.edges[:-1]], [self.blank], [np.arange(self.blank.size)]
        for s in hit.tolist():
            inner, holes = self._pieces(np.sort(times[at == s]), *self.edges[s : s + 2].tolist())
            edges.append(inner)
            blank.append(holes[1:])
            blank[0][s] = holes[0]
            old.append(np.full(inner.size, s))
        starts = np.concatenate(edges)
        order = np.argsort(starts, kind="stable")
        self.edges = np.append(starts[order], FAR)
        self.blank = np.concatenate(blank)[order]
        origin: Ints = np.concatenate(old)[order]
        return origin

    def _pieces(self, times: Ints, low: int, high: int) -> tuple[Ints, NDArray[np.bool_]]:
        """The edges inside a blank slice that has times, and which pieces are blank still."""
        gaps = np.flatnonzero(np.diff(times) > 4 * self.margin)
        firsts, lasts = [int(times[0]), *times[gaps + 1].tolist()], times[gaps].tolist()
        lasts.append(int(times[-1]) + (self.margin if high == FAR else 0))
        starts: list[Ints] = []
        for first, last in zip(firsts, lasts, strict=True):
            begin = self.edge_at_or_before(max(first - self.margin // 8, low))
            starts.append(self.edges_between(begin, self.edge_after(last)))
        ends = {int(one[-1]) for one in starts}
        inner: Ints = np.unique(np.concatenate(starts)) if len(starts) > 1 else starts[0]
        inner = inner[(inner > low) & (inner < high)]
        holes = np.zeros(inner.size + 1, np.bool_)
        bounds = [low, *inner.tolist(), high]
        suspects = [0, *(np.flatnonzero(np.isin(inner, list(ends))) + 1).tolist()]
        for i in suspects:
            holes[i] = self.edge_after(bounds[i]) < bounds[i + 1]
        return inner, holes

    def drop(self, keep: int) -> None:
        """Make one blank slice of the first slices."""
        self.edges = np.append(self.edges[:1], self.edges[keep:])
        self.blank = np.append(True, self.blank[keep:])

    def fold(self, heads: Ints, used: NDArray[np.bool_]) -> None:
        """Make one slice of those from each head to the next; what has no rows is blank."""
        of_one = np.diff(np.append(heads, self.blank.size)) == 1
        self.edges = np.append(self.edges[heads], self.edges[-1])
        self.blank = np.where(of_one, self.blank[heads], ~used)


def stretches_of(edges: Ints, first: int, shift: int) -> Ints:
    """The slice at the beginning of each stretch of 2^shift times."""
    distance = edges.astype(np.uint64) - edges[:1].astype(np.uint64)  # up to 2^63
    beyond = (distance + np.uint64((1 << shift) - 1) >> np.uint64(shift)).astype(np.int64)
    beyond[-1] = (int(distance[-1]) >> shift) + 1
    return np.repeat(np.arange(first, first + edges.size - 1), np.diff(beyond))
