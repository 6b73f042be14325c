"""Arrays with a mask: what is behind one would be taken as it is."""

import numpy as np

from muntin.spec.errors import InvalidInputError


def check_unmasked(values: object, what: object) -> None:
    """Refuse an array with a mask."""
    if isinstance(values, np.ma.MaskedArray):
        raise InvalidInputError(f"{what} must be a column without a mask; fill it")
