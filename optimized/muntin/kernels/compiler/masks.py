"""Columns that hide something: what is behind a mask would be taken as it is, and a null as NaN."""

import numpy as np

from muntin.spec.errors import InvalidInputError


def check_unmasked(values: object, what: object) -> None:
    """Refuse an array with a mask, and a column of Arrow or Polars whose nulls would be NaN."""
    if isinstance(values, np.ma.MaskedArray):
        raise InvalidInputError(f"{what} must be a column without a mask; fill it")
    count: object = getattr(values, "null_count", 0)
    nulls = count() if callable(count) else count
    if nulls and np.asarray(values).dtype.kind != "O":
        raise InvalidInputError(
            f"{what} must be a column without nulls, and {nulls} are; fill them, or give a list "
            "with None"
        )
