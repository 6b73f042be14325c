"""The order of slices: by numbers of keys, and by times."""

import numpy as np

from muntin.kernels.slicing.arrays import Ints
from muntin.kernels.slicing.cells import SAFE

SMALL = 2**16
"""So many numbers are sorted by counting."""


def ordered(key: Ints, slot: Ints, unit: int) -> Ints:
    """Return the order by key and slot; what came first stays first."""
    least, n = int(slot.min()), int(key.max()) + 1
    span = (int(slot.max()) - least) // unit + 1
    if n * span > SAFE:
        return np.lexsort((slot, key))
    code = key * span + ((slot - least) // unit if unit > 1 else slot - least)
    return np.argsort(code.astype(np.uint16) if n * span <= SMALL else code, kind="stable")
