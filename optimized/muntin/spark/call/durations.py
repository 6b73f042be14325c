"""Durations in microseconds, the unit of Spark's timestamps."""

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
PART = re.compile(r"\s*(\d+)\s*([a-z]+?)s?\b\s*", re.ASCII)

Duration = str | timedelta | int


def micros(duration: Duration) -> int:
    """A duration in microseconds; an integer is one already.

    >>> micros("10 minutes"), micros("1 second 500 milliseconds"), micros(timedelta(hours=1))
    (600000000, 1500000, 3600000000)
    """
    if isinstance(duration, timedelta):
        return duration // timedelta(microseconds=1)
    if not isinstance(duration, str):
        return integer(duration, "a length of time")
    parts = list(PART.finditer(duration))
    is_complete = "".join(part[0] for part in parts) == duration
    if not parts or not is_complete or any(part[2] not in UNITS for part in parts):
        units = ", ".join(f"{unit}s" for unit in UNITS)
        raise InvalidInputError(
            f"{duration!r} is no length of time: write a number and one of {units}; "
            "months and years have no fixed length"
        )
    return sum(int(part[1]) * UNITS[part[2]] for part in parts)
