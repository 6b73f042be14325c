"""A slice: consecutive tuples that every window holds together or not at all."""

from dataclasses import dataclass
from typing import NamedTuple

from muntin.spec.stream import END, AcceptedEvent, Event

State = tuple[int, float, float, int, object]


class LiftedEvent(NamedTuple):
    """A tuple and its lifted value."""

    accepted: AcceptedEvent
    partial: object

    @property
    def order(self) -> tuple[int, int]:
        """Its place in event order."""
        return self.accepted.event.time, self.accepted.arrival


@dataclass(slots=True)
class Slice:
    """The partial aggregate of some tuples, and what sessions must know of them.

    `plain` is the last time of a tuple without a gap of its own, `own` the furthest that the gap
    of a tuple reaches. `tuples` is None unless tuples have to be stored. `step` is the last that
    has changed it.
    """

    first: int
    last: int
    last_default_gap_time: float
    own_gap_end: float
    size: int
    partial: object
    tuples: list[LiftedEvent] | None = None
    step: int = -1

    def reach(self, gap: int) -> float:
        """Return where a session of this slice alone ends."""
        return max(self.last_default_gap_time + gap, self.own_gap_end)

    def state(self) -> State:
        """Return what a step changes but for the list of tuples, to set it back."""
        return self.last, self.last_default_gap_time, self.own_gap_end, self.size, self.partial

    def restore(self, state: State) -> None:
        """Be again what it was."""
        self.last, self.last_default_gap_time, self.own_gap_end, self.size, self.partial = state

    def count(self, event: Event) -> None:
        """Take a further tuple into account, but for the partial aggregate."""
        time, gap = event.time, event.gap
        self.size += 1
        self.last = max(self.last, time)
        if gap is not None:
            self.own_gap_end = max(self.own_gap_end, time + gap)
        elif time > self.last_default_gap_time:
            self.last_default_gap_time = time


def singleton_slice(
    event: Event, partial: object, tuples: list[LiftedEvent] | None, step: int
) -> Slice:
    """Return the slice of one tuple."""
    time, gap = event.time, event.gap
    plain, own = (time, -END) if gap is None else (-END, time + gap)
    return Slice(time, time, plain, own, 1, partial, tuples, step)


def merged_slice(
    parts: list[Slice], partial: object, tuples: list[LiftedEvent] | None, step: int = -1
) -> Slice:
    """Return the slice of neighbours, which has this partial aggregate and these tuples."""
    return Slice(
        min(one.first for one in parts),
        max(one.last for one in parts),
        max(one.last_default_gap_time for one in parts),
        max(one.own_gap_end for one in parts),
        sum(one.size for one in parts),
        partial,
        tuples,
        step,
    )
