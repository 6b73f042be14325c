"""Whether sums of integers fit into 64 bits, whatever window they are of."""

from collections.abc import Mapping

import numpy as np

from muntin.kernels.slicing.arrays import Fields
from muntin.kernels.slicing.parts import WIDE, Part, Squares, Sum

Terms = Mapping[Part, float]
"""For each sum, the most that all its terms so far can come to."""


def fitting(terms: Terms, fields: Mapping[Part, Fields]) -> Terms | None:
    """Return the terms with those of a batch, or None if there may be too much for 64 bits."""
    now = dict(terms)
    for part, columns in fields.items():
        if any(column.dtype == np.object_ for column in columns):
            return None
        column = columns[-1]
        if isinstance(part, Sum | Squares) and column.dtype == np.int64:
            most = max(abs(int(column.max())), abs(int(column.min())))
            now[part] = now.get(part, 0.0) + float(most) * column.size
    return None if any(term >= WIDE for term in now.values()) else now
