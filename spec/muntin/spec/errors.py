"""Errors by kind, raised before any state changes. Late events are no errors."""


class MuntinError(Exception):
    """The root of every error that this library raises on purpose."""


class InvalidInputError(MuntinError, ValueError):
    """A value that no operation accepts: a time that is no integer, a stream out of order."""


class UnsupportedError(MuntinError):
    """A combination that this implementation does not offer, though the specification does."""


class EmptyWindowError(MuntinError, LookupError):
    """A call that needs an item, on a window that holds none."""


class UserCodeError(MuntinError):
    """An aggregate or window of the user's raised; the cause is attached."""


def integer(value: object, what: object, *more: object) -> int:
    """The value, which must be an integer and neither a boolean nor a float."""
    if type(value) is int:
        return value
    where, kind = " ".join(map(str, (what, *more))), type(value).__name__
    raise InvalidInputError(f"{where} must be an integer, not {value!r} ({kind})")


def positive(value: object, what: str, above: int = 0) -> int:
    """The value, which must be an integer above 0, or above another bound."""
    if integer(value, what) > above:
        return integer(value, what)
    raise InvalidInputError(f"{what} must be greater than {above}, not {value}")
