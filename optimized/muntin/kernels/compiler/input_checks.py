"""Checks on columns from outside: integers of 64 bits, which never wrap, and no hidden nulls."""

from muntin.spec.errors import InvalidInputError, MuntinError, integer


class TooLargeError(MuntinError, OverflowError):
    """A result in a column does not fit into 64 bits; the window is unchanged."""


LIMIT = 2**63


def within_64_bits(value: object, what: str = "the time") -> int:
    """The integer, if it fits into 64 bits.

    >>> within_64_bits(2**63)
    Traceback (most recent call last):
        ...
    muntin.spec.errors.InvalidInputError: the time must fit into 64 bits, and 9223372036854775808...
    """
    if -LIMIT <= integer(value, what) < LIMIT:
        return integer(value, what)
    raise InvalidInputError(f"{what} must fit into 64 bits, and {value} does not")


def check_unmasked(values: object, what: object) -> None:
    """Refuse a masked array, and a column of Arrow or Polars with nulls, which would become NaN."""
    import numpy as np  # noqa: PLC0415 - it is an extra, and lists need no NumPy

    if isinstance(values, np.ma.MaskedArray):
        raise InvalidInputError(f"{what} must be a column without a mask; fill it")
    count: object = getattr(values, "null_count", 0)
    nulls = count() if callable(count) else count
    if nulls and np.asarray(values).dtype.kind != "O":
        raise InvalidInputError(
            f"{what} must be a column without nulls, and {nulls} are; fill them, or pass a list "
            "with None"
        )
