"""Times out of order, in batches."""

from collections.abc import Iterator

import numpy as np

from muntin.kernels.slicing.arrays import Ints


def stream(n: int, late: int) -> Ints:
    """Times out of order by less than `late`."""
    rng = np.random.default_rng(1)
    times = np.arange(n) // 2
    return times[np.argsort(times + rng.integers(0, late, n), kind="stable")]


def time_batches(times: Ints, size: int) -> Iterator[Ints]:
    """Yield the times in batches of this size."""
    for begin in range(0, times.size, size):
        yield times[begin : begin + size]
