"""What a 64-bit integer can hold: what cannot is refused, and never wrapped."""

from muntin.spec.errors import InvalidInputError, integer

LIMIT = 2**63


def within_64_bits(value: int, what: str = "the time") -> int:
    """Return an integer if it fits into 64 bits.

    >>> within_64_bits(2**63)
    Traceback (most recent call last):
        ...
    muntin.spec.errors.InvalidInputError: the time must fit into 64 bits, and 9223372036854775808...
    """
    if -LIMIT <= integer(value, what) < LIMIT:
        return value
    raise InvalidInputError(f"{what} must fit into 64 bits, and {value} does not")
