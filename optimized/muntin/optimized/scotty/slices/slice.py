"""A slice: consecutive tuples that every window holds together or not at all."""

from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from muntin.spec.stream import END, AcceptedEvent, Event

ORDER = attrgetter("order")
SliceState = tuple[int, float, float, int, object]


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

    `last_default_gap_time` is the last time of a tuple without an own gap, `own_gap_end` the
    furthest end of an own gap. `tuples` is None unless tuples have to be stored. `step` is the last
    step that has changed the slice.
    """

    first: int
    last: int
    last_default_gap_time: float
    own_gap_end: float
    size: int
    partial: object
    tuples: list[LiftedEvent] | None = None
    step: int = -1

    def session_end(self, gap: int) -> float:
        """Where a session of this slice alone ends."""
        return max(self.last_default_gap_time + gap, self.own_gap_end)

    def state(self) -> SliceState:
        """What a step changes except the list of tuples, to be restored."""
        return self.last, self.last_default_gap_time, self.own_gap_end, self.size, self.partial

    def restore(self, state: SliceState) -> None:
        """Undo what a step has changed."""
        self.last, self.last_default_gap_time, self.own_gap_end, self.size, self.partial = state

    def count_tuple(self, event: Event) -> None:
        """Update all but the partial aggregate for a further tuple."""
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
    """The slice of one tuple."""
    time, gap = event.time, event.gap
    default_gap_time, own_gap_end = (time, -END) if gap is None else (-END, time + gap)
    return Slice(time, time, default_gap_time, own_gap_end, 1, partial, tuples, step)


def merged_slice(
    parts: list[Slice], partial: object, tuples: list[LiftedEvent] | None, step: int = -1
) -> Slice:
    """The slice of neighbours, with this partial aggregate and these tuples."""
    return Slice(
        min(slice_.first for slice_ in parts),
        max(slice_.last for slice_ in parts),
        max(slice_.last_default_gap_time for slice_ in parts),
        max(slice_.own_gap_end for slice_ in parts),
        sum(slice_.size for slice_ in parts),
        partial,
        tuples,
        step,
    )
