"""Several columns as one of records, and back: a partial of several numbers lies in one place."""

import numpy as np

from muntin.kernels.slicing.arrays import Column, Fields, column_of


def packed(fields: Fields) -> Column:
    """Return columns as one.

    >>> packed((np.array([1, 2]), np.array([0.5, 1.5]))).tolist()
    [(1, 0.5), (2, 1.5)]
    """
    if len(fields) == 1:
        return fields[0]
    kinds = [(f"f{k}", column.dtype) for k, column in enumerate(fields)]
    records = np.empty(fields[0].size, np.dtype(kinds))
    for k, column in enumerate(fields):
        records[f"f{k}"] = column
    return column_of(records)


def unpacked(column: Column) -> Fields:
    """Return the columns that were packed."""
    if not column.dtype.names:
        return (column,)
    return tuple(column_of(np.ascontiguousarray(column[name])) for name in column.dtype.names)  # type: ignore[call-overload] # a record has fields
