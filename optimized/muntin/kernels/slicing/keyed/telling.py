"""Kernels that read cells in some order."""

from muntin.kernels.compiler.jit import kernel
from muntin.kernels.slicing.arrays import Ints
from muntin.kernels.slicing.dense.placing import Places


@kernel
def hear(cells: Places, counts: Ints, heard: Ints) -> None:
    """Take all events of some cells as told of."""
    for i in range(len(cells)):
        heard[cells[i]] = counts[cells[i]]


@kernel
def code(  # noqa: PLR0913, PLR0917 - each argument of a kernel is a number or an array
    cells: Places, slices: Ints, first: int, bits: int, keys: Ints, birth: Ints, out: Ints
) -> None:
    """Write codes that are in the order of slices, and in one of the births of keys."""
    for i in range(len(cells)):
        out[i] = ((slices[cells[i]] - first) << bits) | birth[keys[cells[i]]]


@kernel
def extents(cells: Places, slices: Ints, edges: Ints, start: Ints, end: Ints) -> None:
    """Write where the slices of cells begin and end."""
    for i in range(len(cells)):
        at = slices[cells[i]]
        start[i], end[i] = edges[at], edges[at + 1]
