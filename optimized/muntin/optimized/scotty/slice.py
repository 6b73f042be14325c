"""A slice: consecutive tuples that every window holds together or not at all."""

from typing import NamedTuple

from muntin.spec.stream import END, Accepted


class Lifted(NamedTuple):
    """A tuple and its lifted value."""

    accepted: Accepted
    partial: object

    @property
    def order(self) -> tuple[int, int]:
        """Its place in event order."""
        return self.accepted.event.time, self.accepted.arrival


class Slice(NamedTuple):
    """The partial aggregate of some tuples, and what sessions must know of them.

    `plain` is the last time of a tuple without a gap of its own, `own` the furthest that the gap
    of a tuple reaches. `tuples` is empty unless tuples have to be stored.
    """

    first: int
    last: int
    plain: float
    own: float
    size: int
    partial: object
    tuples: tuple[Lifted, ...] = ()

    def reach(self, gap: int) -> float:
        """Return where a session of this slice alone ends."""
        return max(self.plain + gap, self.own)

    def joined(self, other: "Slice", partial: object, tuples: tuple[Lifted, ...]) -> "Slice":
        """Return the slice of both, which has this partial aggregate and these tuples."""
        return Slice(
            min(self.first, other.first),
            max(self.last, other.last),
            max(self.plain, other.plain),
            max(self.own, other.own),
            self.size + other.size,
            partial,
            tuples,
        )


def alone(lifted: Lifted, partial: object, *, stored: bool) -> Slice:
    """Return the slice of one tuple."""
    time, gap = lifted.accepted.event.time, lifted.accepted.event.gap
    plain, own = (time, -END) if gap is None else (-END, time + gap)
    return Slice(time, time, plain, own, 1, partial, (lifted,) if stored else ())
