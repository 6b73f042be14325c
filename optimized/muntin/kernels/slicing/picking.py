"""Whether lines are in the order of rule 11."""

from muntin.kernels.compiler.jit import kernel
from muntin.kernels.slicing.arrays import Ints


@kernel
def rises(kind: Ints, end: Ints, start: Ints, birth: Ints) -> bool:
    """Whether lines are in the order of rule 11: retractions, then by end, start and birth."""
    for i in range(1, len(kind)):
        a, b = int(kind[i - 1] > 0), int(kind[i] > 0)
        if (a, end[i - 1], start[i - 1], birth[i - 1]) > (b, end[i], start[i], birth[i]):
            return False
    return True
