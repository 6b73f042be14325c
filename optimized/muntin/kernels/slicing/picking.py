"""Values at some places of a column, as NumPy has it, but for places of 32 bits; lines in order."""

import numpy as np

from muntin.kernels.compiler.jit import kernel
from muntin.kernels.slicing.arrays import Column, Ints, column_of, ints
from muntin.kernels.slicing.dense.placing import Numbers, Places


@kernel
def pick(values: Numbers, places: Places | Ints, out: Numbers) -> None:
    """Write the values at some places."""
    for i in range(len(places)):
        out[i] = values[places[i]]


def picked(values: Column, places: Places | Ints) -> Column:
    """Return the values at some places."""
    out = np.empty(places.size, values.dtype)
    pick(values, places, out)
    return out


def whole(values: Ints, places: Places | Ints) -> Ints:
    """Return integers at some places.

    >>> whole(np.array([7, 8, 9]), np.array([2, 0])).tolist()
    [9, 7]
    """
    return ints(picked(column_of(values), places))


@kernel
def rises(kind: Ints, end: Ints, start: Ints, birth: Ints) -> bool:
    """Whether lines are in the order of rule 11: retractions, then by end, start and birth."""
    for i in range(1, len(kind)):
        a, b = int(kind[i - 1] > 0), int(kind[i] > 0)
        if (a, end[i - 1], start[i - 1], birth[i - 1]) > (b, end[i], start[i], birth[i]):
            return False
    return True
