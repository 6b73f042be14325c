"""Kernels that add events to cells, one by one, and sums over ranges of cells."""

from muntin.kernels.jit import kernel
from muntin.kernels.slicing.arrays import Column, Ints
from muntin.kernels.slicing.dense.placing import Numbers, Places
from muntin.kernels.slicing.dense.running import greater, lesser


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


@kernel
def lower_each(found: Places, values: Column, least: Column) -> None:
    """Lower the least values of cells."""
    for i in range(len(found)):
        at = int(found[i])
        least[at] = lesser(least[at], values[i])


@kernel
def lift_each(found: Places, values: Column, greatest: Column) -> None:
    """Lift the greatest values of cells."""
    for i in range(len(found)):
        at = int(found[i])
        greatest[at] = greater(greatest[at], values[i])
