"""Kernels that number integers in the order in which they come: open addressing, no deletion."""

import numpy as np
from numpy.typing import NDArray

from muntin.kernels.compiler.jit import inlined, kernel
from muntin.kernels.slicing.arrays import Ints

SPREAD = 0x9E3779B97F4A7C15
"""2^64 over the golden ratio: its multiples are far apart in their highest bits."""


Slots = NDArray[np.int64]
"""Rows: a key, and its number and 1, or 0 where there is none."""


@inlined
def slot_of(key: int, slots: Slots, shift: int) -> int:
    """Return the slot that holds a key, or the empty one where it belongs."""
    slot = np.uint64(key) * np.uint64(SPREAD) >> np.uint64(shift)
    last = np.uint64(len(slots) - 1)
    while slots[slot, 1] and slots[slot, 0] != key:
        slot = slot + np.uint64(1) & last
    return np.int64(slot)  # type: ignore[return-value] # an integer, to a kernel


@kernel
def number(  # noqa: PLR0913, PLR0917 - each argument of a kernel is a number or an array
    column: Ints, slots: Slots, shift: int, n: int, out: Ints, new: Ints
) -> int:
    """Write the number of each key; return how many keys there are then, of which n were known."""
    first = n
    for i in range(len(column)):
        slot = slot_of(column[i], slots, shift)
        if not slots[slot, 1]:
            new[n - first] = column[i]
            n += 1
            slots[slot, 0], slots[slot, 1] = column[i], n
        out[i] = slots[slot, 1] - 1
    return n


@kernel
def move(old: Slots, slots: Slots, shift: int) -> None:
    """Fill a larger table."""
    for at in range(len(old)):
        if old[at, 1]:
            slot = slot_of(old[at, 0], slots, shift)
            slots[slot, 0], slots[slot, 1] = old[at, 0], old[at, 1]


@kernel
def unborn(key: Ints, birth: Ints) -> bool:
    """Whether some key has no number of birth."""
    for one in key:  # noqa: SIM110 - a kernel has no generators
        if birth[one] < 0:
            return True
    return False


@kernel
def bear(key: Ints, birth: Ints, n: int) -> None:
    """Number the keys that have no number yet, in their order, from one on."""
    for one in key:
        if birth[one] < 0:
            birth[one] = n
            n += 1
