"""What goes wrong, by kind. Every message names the offending thing, its value, and what is right.

An error is raised before any state changes. Late events are data, not errors.
"""


class MuntinError(Exception):
    """The root of every error that this library raises on purpose."""


class InvalidInputError(MuntinError, ValueError):
    """A value that no operation accepts: a time that is no integer, a size that is not positive."""


class UnsupportedError(MuntinError):
    """A combination that this implementation does not offer, though the specification does."""


class InOrderError(InvalidInputError):
    """An event older than its predecessor on a stream that was declared to be in order."""


class MeasureError(InvalidInputError):
    """A measure that is not monotone in event order."""


class EmptyWindowError(MuntinError, LookupError):
    """Something was asked of a window that holds nothing."""


class UserCodeError(MuntinError):
    """An aggregate or window of the user's raised; the cause is attached."""


class TranscriptError(InvalidInputError):
    """A transcript that does not follow the format."""


class SnapshotError(MuntinError):
    """A saved state that cannot be restored."""


def integer(value: object, what: str) -> int:
    """Return the value if it is an integer (not a boolean), or say what is wrong.

    >>> integer(7, "the time")
    7
    >>> integer(7.5, "the time")
    Traceback (most recent call last):
        ...
    muntin.spec.errors.InvalidInputError: the time must be an integer, not 7.5 (float)
    """
    if type(value) is int:
        return value
    raise InvalidInputError(f"{what} must be an integer, not {value!r} ({type(value).__name__})")


def positive(value: object, what: str) -> int:
    """Return the value if it is a positive integer, or say what is wrong."""
    number = integer(value, what)
    if number > 0:
        return number
    raise InvalidInputError(f"{what} must be greater than 0, not {number}")
