"""A sample of a job: some keys, or slices of time, on which a rule can be scored at once.

A window counts only if all rows that might lie in it, or join it, are in the sample.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from muntin.audit.job import Arrivals, Job, WindowTable
from muntin.kernels.slicing.arrays import Flags, Ints

ROWS = 20_000
"""About how many rows a sample has."""


@dataclass(frozen=True)
class Sample:
    """Rows of a job, the windows that were emitted of them, and which windows count."""

    rows: Arrivals
    emitted: WindowTable
    has_key: Flags
    slices: Sequence[tuple[int, int]]
    margin: int

    def counts(self, windows: WindowTable) -> Flags:
        """Which windows count: those of a key of the sample, well within a slice."""
        inside = np.zeros(windows.key.size, np.bool_)
        for first, last in self.slices:
            within = windows.start - self.margin >= first
            inside |= within & (windows.end + self.margin <= last)
        return inside & self.has_key[windows.key]


def sample_of(job: Job, first: Ints, rows: int = ROWS) -> Sample:
    """A sample with the keys of some rows first, then others, up to about this number."""
    keys = np.random.default_rng(0).permutation(len(job.keys))
    distinct, places = np.unique(np.concatenate((job.rows.key[first], keys)), return_index=True)
    order = distinct[np.argsort(places)]
    sizes = np.bincount(job.rows.key, minlength=len(job.keys))[order]
    chosen = order[: max(1, int(np.searchsorted(np.cumsum(sizes), rows)))]
    has_key = np.zeros(len(job.keys), np.bool_)
    has_key[chosen] = True
    of_keys = job.rows.picked(has_key[job.rows.key])
    margin = job.length + 1
    slices = slices_of(of_keys.time, rows, margin, job.rows.time[first])
    inside = np.zeros(of_keys.time.size, np.bool_)
    for low, high in slices:
        inside |= (of_keys.time >= low) & (of_keys.time <= high)
    sample = Sample(of_keys.picked(inside), job.emitted, has_key, slices, margin)
    counted = job.emitted.picked(sample.counts(job.emitted))
    return Sample(sample.rows, counted, has_key, slices, margin)


def slices_of(time: Ints, rows: int, margin: int, first: Ints) -> list[tuple[int, int]]:
    """All of the time, if the rows are few; else slices at its begin, its middle and some times."""
    far = 4 * margin
    if time.size <= 2 * rows or not time.size:
        return [(int(time.min(initial=0)) - far, int(time.max(initial=0)) + far)]
    ordered, third = np.sort(time), rows // 3
    middle = time.size // 2
    bounds = [
        (int(ordered[0]) - far, int(ordered[third])),
        (int(ordered[middle]), int(ordered[middle + third])),
    ]
    for place in np.searchsorted(ordered, first[:16]):
        low, high = max(0, int(place) - rows // 48), min(time.size - 1, int(place) + rows // 48)
        bounds.append((int(ordered[low]), int(ordered[high])))
    return bounds
