"""Times and lengths of time as people read them."""

import numpy as np

from muntin.audit.job_files import UNITS


def time_text(time: int, unit: int | None) -> str:
    """A time as people read it: an integer, or a timestamp.

    >>> time_text(1_500, 10**6), time_text(7, None)
    ('1970-01-01T00:00:01.5', '7')
    """
    if unit is None:
        return str(time)
    letters = next(letters for letters, size in UNITS.items() if size == unit)
    text = str(np.datetime64(time, letters))  # type: ignore[call-overload]  # a unit of NumPy
    return text.rstrip("0").rstrip(".") if "." in text else text


def length_text(length: int, unit: int | None) -> str:
    """A length of time with its unit, if it has one.

    >>> length_text(90_000, 10**6), length_text(1_500, 10**6), length_text(5, None)
    ('90 s', '1.5 s', '5')
    """
    return str(length) if unit is None else f"{length * unit / 10**9:g} s"
