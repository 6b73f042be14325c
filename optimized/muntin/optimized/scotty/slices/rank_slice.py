"""A slice of count windows: the tuples of consecutive ranks."""

from collections import deque
from dataclasses import dataclass
from operator import attrgetter

from muntin.optimized.scotty.slices.count_slices import RankInterval
from muntin.optimized.scotty.slices.slice import LiftedEvent

Order = tuple[int, int]
ORDER = attrgetter("order")
BEGIN = attrgetter("begin")
FIRST = attrgetter("first")
BEHIND = attrgetter("cell.high")


@dataclass(slots=True)
class CountSlice:
    """A slice that begins at an edge, up to the next edge when it is full.

    `begin` and `last` are the places of its first and last tuple in event order. Where it is not
    known, the partial aggregate is computed from the tuples when it is asked for. `revision` is
    how often the windows that end with it have been told again, once they are `told`.
    """

    cell: RankInterval
    begin: Order
    last: Order
    size: int
    partial: object
    tuples: deque[LiftedEvent] | None
    known: bool = True
    revision: int = 0
    told: bool = False

    @property
    def first(self) -> int:
        """The rank of its first tuple."""
        return self.cell.low

    @property
    def full(self) -> bool:
        """Whether the next tuple comes behind the edge."""
        return self.size == self.cell.high - self.cell.low

    @property
    def past(self) -> int:
        """The time at which the windows that end with it are past, once it is full."""
        return self.last[0] + 1

    def become(self, other: "CountSlice") -> None:
        """Take over all that a tuple changes, but for the tuples."""
        self.begin, self.last, self.size = other.begin, other.last, other.size
        self.partial, self.known = other.partial, other.known
