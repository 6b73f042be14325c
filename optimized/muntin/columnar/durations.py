"""Durations in words, and the unit of a time column, in which windows have their lengths.

The calls on tables and on DataFrames read them by this one grammar. A window of the specification
has integers for lengths. Beside timestamps an integer has no unit, and beside integers nothing
knows the unit of a duration; either is refused with its remedy.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import TypeAlias

from muntin.spec.errors import InvalidInputError, integer

Duration: TypeAlias = str | timedelta
"""A length of time: `"10 minutes"`, or a timedelta."""
Length: TypeAlias = int | Duration
"""A length in the unit of integer times, or a duration."""
Position: TypeAlias = int | datetime
"""A point in time."""

UNITS: Mapping[str, int] = {
    "nanosecond": 1,
    "microsecond": 10**3,
    "millisecond": 10**6,
    "second": 10**9,
    "minute": 60 * 10**9,
    "hour": 3600 * 10**9,
    "day": 86_400 * 10**9,
    "week": 7 * 86_400 * 10**9,
}
"""Nanoseconds of each unit."""
SHORT_NAMES: Mapping[str, str] = {
    **dict.fromkeys(("ns", "nano", "nanos"), "nanosecond"),
    **dict.fromkeys(("us", "micro", "micros"), "microsecond"),
    **dict.fromkeys(("ms", "milli", "millis"), "millisecond"),
    **dict.fromkeys(("s", "sec", "secs"), "second"),
    **dict.fromkeys(("min", "mins"), "minute"),
    **dict.fromkeys(("h", "hr", "hrs"), "hour"),
    "d": "day",
    "w": "week",
}
PART = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", re.ASCII)
ISO = re.compile(
    r"p(?:(\d+)w)?(?:(\d+)d)?(?:t(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?)?", re.ASCII
)
ISO_UNITS = ("week", "day", "hour", "minute", "second")


def nanoseconds(duration: Duration) -> Fraction:
    """A duration in nanoseconds, exactly.

    >>> [int(nanoseconds(each) / 10**9) for each in ("10 minutes", "1.5 hours", "PT1M", "1h 30min")]
    [600, 5400, 60, 5400]
    """
    if isinstance(duration, timedelta):
        below = getattr(duration, "nanoseconds", 0)  # those of pandas have them
        seconds = 86_400 * duration.days + duration.seconds
        return Fraction(10**9 * seconds + 1000 * duration.microseconds + int(below))
    text = duration.strip().lower()
    iso = ISO.fullmatch(text)
    if iso and any(iso.groups()):
        numbers = zip(iso.groups("0"), ISO_UNITS, strict=True)
        return sum((Fraction(n) * UNITS[unit] for n, unit in numbers), Fraction(0))
    text = text.removeprefix("interval ")
    parts = [(part[0], part[1], unit_name(part[2])) for part in PART.finditer(text)]
    is_complete = "".join(part[0] for part in parts) == text
    if not parts or not is_complete or any(unit not in UNITS for _, _, unit in parts):
        raise InvalidInputError(f"{duration!r} is no length of time: {remedy_for(text)}")
    return sum((Fraction(n) * UNITS[unit] for _, n, unit in parts), Fraction(0))


def unit_name(word: str) -> str:
    """The unit that a word names, in the singular, or the word."""
    return SHORT_NAMES.get(word, word.removesuffix("s"))


def remedy_for(text: str) -> str:
    """What to write instead of a text that is no length of time."""
    if re.fullmatch(r"[\d.]+\s*m", text, re.ASCII):
        return f"m may be minutes or months; write '{text[:-1].strip()} minutes'"
    if re.search(r"month|quarter|year", text):
        return "months, quarters and years have no fixed length; write a number of days or weeks"
    if text.startswith("-"):
        return "a length of time is not below 0; write it without the sign"
    units = ", ".join(f"{unit}s" for unit in UNITS)
    return f"write a number and one of {units}, such as '10 minutes'"


@dataclass(frozen=True)
class TimeUnit:
    """The unit of a time column.

    Timestamps have one, in nanoseconds, and may have a zone. Of integers only the caller
    knows it.
    """

    column: str
    nanoseconds: int | None = None
    has_zone: bool = False

    def length(self, value: object, what: str) -> int:
        """A length of time in this unit.

        >>> TimeUnit("ts", 1000).length("1 second", "the size"), TimeUnit("t").length(5, "the size")
        (1000000, 5)
        >>> TimeUnit("ts", 1000).length(60, "the size")
        Traceback (most recent call last):
            ...
        muntin.spec.errors.InvalidInputError: the size is 60, without a unit, and the time 'ts' ...
        """
        if self.nanoseconds is None or not isinstance(value, str | timedelta):
            words = f"'{value} seconds' or " if type(value) is int and value > 0 else ""
            return self._integer(value, what, f"{words}timedelta(seconds={value})")
        try:
            units = nanoseconds(value) / self.nanoseconds
        except InvalidInputError as error:
            raise InvalidInputError(f"{what}: {error}") from error
        if units.denominator == 1:
            return int(units)
        raise InvalidInputError(
            f"{what} is {value!r}, and the time {self.column!r} counts in {self.nanoseconds} ns: "
            f"write a multiple of that, or cast {self.column!r} to a finer timestamp"
        )

    def position(self, value: object, what: str) -> int:
        """A point in time in this unit, since 1970; without a zone as the clock shows it.

        >>> TimeUnit("ts", 10**9).position(datetime(1970, 1, 2), "the start")
        86400
        """
        remedy = f"datetime(2024, 1, 1{', tzinfo=UTC' * self.has_zone})"
        if self.nanoseconds is None or not isinstance(value, datetime):
            return self._integer(value, what, remedy)
        if (value.tzinfo is not None) != self.has_zone:
            raise InvalidInputError(
                f"{what} is {value!r}, and the time {self.column!r} has "
                f"{'a' if self.has_zone else 'no'} zone: write it as {remedy}"
            )
        return self.length(value - datetime(1970, 1, 1, tzinfo=value.tzinfo and UTC), what)

    def _integer(self, value: object, what: str, remedy: str) -> int:
        """An integer; beside timestamps only 0 needs no unit."""
        is_time = isinstance(value, str | timedelta | datetime)
        if self.nanoseconds is None and is_time:
            raise InvalidInputError(
                f"{what} is {value!r}, and the time {self.column!r} holds integers, whose unit "
                f"only you know: write an integer, or cast {self.column!r} to a timestamp"
            )
        if self.nanoseconds is not None and type(value) is not int:
            raise InvalidInputError(
                f"{what} is {value!r}, and the time {self.column!r} is a timestamp: write a "
                "length as '10 minutes' or timedelta(minutes=10), a point in time as a datetime"
            )
        number = integer(value, what)
        if self.nanoseconds is None or number == 0:
            return number
        raise InvalidInputError(
            f"{what} is {number}, without a unit, and the time {self.column!r} is a timestamp: "
            f"write {remedy}"
        )
