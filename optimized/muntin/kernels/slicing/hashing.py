"""Kernels that number integers in the order in which they come: open addressing, no deletion."""

import numpy as np

from muntin.kernels.jit import inlined, kernel
from muntin.kernels.slicing.arrays import Ints

SPREAD = 0x9E3779B97F4A7C15
"""2^64 over the golden ratio: its multiples are far apart in their highest bits."""


@inlined
def slot_of(key: int, keys: Ints, numbers: Ints, shift: int) -> int:
    """Return the slot that holds a key, or the empty one where it belongs."""
    slot = np.uint64(key) * np.uint64(SPREAD) >> np.uint64(shift)
    last = np.uint64(len(keys) - 1)
    while numbers[slot] >= 0 and keys[slot] != key:
        slot = slot + np.uint64(1) & last
    return np.int64(slot)  # type: ignore[return-value] # an integer, to a kernel


@kernel
def number(  # noqa: PLR0913, PLR0917 - each argument of a kernel is a number or an array
    column: Ints, keys: Ints, numbers: Ints, shift: int, n: int, out: Ints, new: Ints
) -> int:
    """Write the number of each key; return how many keys there are then, of which n were known."""
    first = n
    for i in range(len(column)):
        slot = slot_of(column[i], keys, numbers, shift)
        if numbers[slot] < 0:
            keys[slot], numbers[slot] = column[i], n
            new[n - first] = column[i]
            n += 1
        out[i] = numbers[slot]
    return n


@kernel
def move(old_keys: Ints, old_numbers: Ints, keys: Ints, numbers: Ints, shift: int) -> None:
    """Fill a larger table."""
    for at in range(len(old_keys)):
        if old_numbers[at] >= 0:
            slot = slot_of(old_keys[at], keys, numbers, shift)
            keys[slot], numbers[slot] = old_keys[at], old_numbers[at]
