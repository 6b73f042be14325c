"""Columns of values of any type, as the parts of the engine take them."""

import numpy as np

from muntin.kernels.slicing.arrays import column_of
from muntin.kernels.slicing.batch import Values, objects
from muntin.kernels.slicing.columns_in import bare, value_column
from muntin.kernels.slicing.over import is_row
from muntin.spec.errors import InvalidInputError, UnsupportedError

ONE_TIME = "datetime64[us]"
"""The finest times that Python has a type for."""


def any_column(values: object, what: object, n: int) -> Values:
    """Numbers as numbers of 64 bits; if some are none, values as they are, None as null.

    >>> column = any_column(["b", None, "a"], "name", 3)
    >>> column.data.tolist(), column.valid.tolist()
    (['b', None, 'a'], [True, False, True])
    """
    try:
        return value_column(values, what, n)
    except UnsupportedError:
        array = bare(values, what)
    if array.shape != (n,):
        raise InvalidInputError(f"{what} has the shape {array.shape}, and there are {n} times")
    data: list[object] = list(values) if is_row(values) else array.tolist()
    if array.dtype.kind == "M":
        data = array.astype(ONE_TIME).tolist()
    valid = np.array([one is not None for one in data], np.bool_)
    return Values(column_of(objects(data)), None if valid.all() else valid)
