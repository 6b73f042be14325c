"""Kernels that add events to cells, one by one."""

from muntin.kernels.compiler.jit import kernel
from muntin.kernels.slicing.arrays import Ints
from muntin.kernels.slicing.dense.placing import Numbers, Places


@kernel
def count_each(found: Places, counts: Ints) -> None:
    """Count the events of cells."""
    for i in range(len(found)):
        counts[found[i]] += 1


@kernel
def add_each(found: Places, values: Numbers, sums: Numbers) -> None:
    """Add values to the sums of cells."""
    for i in range(len(found)):
        sums[found[i]] += values[i]
