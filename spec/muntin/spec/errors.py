"""What goes wrong, by kind; it is said before any state changes. Late events are no errors."""


class MuntinError(Exception):
    """The root of every error that this library raises on purpose."""


class InvalidInputError(MuntinError, ValueError):
    """A value that no operation accepts: a time that is no integer, a stream out of order."""


class UnsupportedError(MuntinError):
    """A combination that this implementation does not offer, though the specification does."""


class EmptyWindowError(MuntinError, LookupError):
    """Something was asked of a window that holds nothing."""


class UserCodeError(MuntinError):
    """An aggregate or window of the user's raised; the cause is attached."""


def integer(value: object, what: object, *more: object) -> int:
    """Return the value if it is an integer, and neither a boolean nor a float.

    >>> integer(7.5, "the time")
    Traceback (most recent call last):
        ...
    muntin.spec.errors.InvalidInputError: the time must be an integer, not 7.5 (float)
    """
    if type(value) is int:
        return value
    where, kind = " ".join(map(str, (what, *more))), type(value).__name__
    raise InvalidInputError(f"{where} must be an integer, not {value!r} ({kind})")


def positive(value: object, what: str, above: int = 0) -> int:
    """Return the value if it is an integer above 0, or above another bound."""
    if integer(value, what) > above:
        return integer(value, what)
    raise InvalidInputError(f"{what} must be greater than {above}, not {value}")
