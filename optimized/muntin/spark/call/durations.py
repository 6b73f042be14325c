"""Lengths of time in microseconds, the unit of Spark's timestamps."""

import re
from datetime import timedelta

from muntin.spec.errors import InvalidInputError, integer

UNITS = {
    "microsecond": 1,
    "millisecond": 10**3,
    "second": 10**6,
    "minute": 60 * 10**6,
    "hour": 3600 * 10**6,
    "day": 86_400 * 10**6,
    "week": 7 * 86_400 * 10**6,
}
FORM = re.compile(r"\s*(\d+)\s*([a-z]+?)s?\b\s*", re.ASCII)

Duration = str | timedelta | int


def micros(length: Duration) -> int:
    """Return a length of time in microseconds; an integer is one already.

    >>> micros("10 minutes"), micros("1 second 500 milliseconds"), micros(timedelta(hours=1))
    (600000000, 1500000, 3600000000)
    """
    if isinstance(length, timedelta):
        return length // timedelta(microseconds=1)
    if not isinstance(length, str):
        return integer(length, "a length of time")
    parts = list(FORM.finditer(length))
    whole = "".join(part[0] for part in parts) == length
    if not parts or not whole or any(part[2] not in UNITS for part in parts):
        known = ", ".join(f"{unit}s" for unit in UNITS)
        raise InvalidInputError(
            f"{length!r} is no length of time: write a number and one of {known}; "
            "months and years have no fixed length"
        )
    return sum(int(part[1]) * UNITS[part[2]] for part in parts)
