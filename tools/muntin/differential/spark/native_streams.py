"""What goes into a stream, and what a micro-batch tells of it."""

from typing import Literal, NamedTuple

Mode = Literal["append", "update"]


class Arrival(NamedTuple):
    """A row of a stream."""

    key: str
    t: int
    v: int | None


class NativeEmission(NamedTuple):
    """A window that a micro-batch tells of."""

    key: str
    start: int
    end: int
    value: object
