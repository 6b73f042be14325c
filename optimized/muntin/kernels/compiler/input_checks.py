"""What a 64-bit integer can hold: what cannot is refused, and never wrapped."""

from muntin.spec.errors import InvalidInputError, MuntinError, integer


class TooLargeError(MuntinError, OverflowError):
    """An answer that does not fit into 64 bits, in a column of them; the window is as it was."""


LIMIT = 2**63


def within_64_bits(value: object, what: str = "the time") -> int:
    """Return an integer if it fits into 64 bits.

    >>> within_64_bits(2**63)
    Traceback (most recent call last):
        ...
    muntin.spec.errors.InvalidInputError: the time must fit into 64 bits, and 9223372036854775808...
    """
    if -LIMIT <= integer(value, what) < LIMIT:
        return integer(value, what)
    raise InvalidInputError(f"{what} must fit into 64 bits, and {value} does not")
