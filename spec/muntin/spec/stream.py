"""Streams: events, steps, event order, disorder (rules 1, 2, 3, 5) [Traub20, Tangwongsan19]."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from muntin.spec.errors import InvalidInputError, integer, positive

END = float("inf")
"""The watermark after which no event comes, and the end of a window that nothing has ended."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened; perhaps with a gap of its own, perhaps an edge (definition E1)."""

    time: int  # in the user's unit
    value: object
    key: Hashable = None
    gap: int | None = None
    punctuation: bool = False

    def __post_init__(self) -> None:
        integer(self.time, "the time of an event")
        _ = self.gap is None or positive(self.gap, f"the gap of the event at {self.time}")
        try:
            hash(self.key)
        except TypeError as cause:
            raise InvalidInputError(f"the key {self.key!r} cannot be hashed") from cause


@dataclass(frozen=True)
class Step:
    """Events in arrival order, then perhaps a watermark (definition E2).

    A watermark promises that no event with a smaller time comes; a smaller one changes nothing.
    """

    events: tuple[Event, ...] = ()
    watermark: float | None = None

    def __post_init__(self) -> None:
        _ = self.watermark in {None, END} or integer(self.watermark, "a watermark")
        for event in self.events:
            if not isinstance(event, Event):  # pyright: ignore[reportUnnecessaryIsInstance] - untyped
                raise InvalidInputError(f"a step takes events: Event(time, value), not {event!r}")


class AcceptedEvent(NamedTuple):
    """An event that takes part, and its place in the order of arrival (definition E3)."""

    event: Event
    arrival: int


def event_order(history: Sequence[AcceptedEvent]) -> list[AcceptedEvent]:
    """Sort by time, and by arrival where times are equal (definition E4).

    >>> history = [AcceptedEvent(Event(time, "v"), i) for i, time in enumerate([7, 5, 7])]
    >>> [accepted.arrival for accepted in event_order(history)]
    [1, 0, 2]
    """
    return sorted(history, key=lambda accepted: (accepted.event.time, accepted.arrival))


def out_of_order_distances(times: Sequence[float]) -> list[int]:
    """For each event, how many earlier arrivals have a greater time (definition E5).

    The out-of-order distance of [Tangwongsan19]; a stream is in order iff all are 0.

    >>> out_of_order_distances([20, 35, 30, 21])
    [0, 0, 1, 2]
    """
    return [sum(other > time for other in times[:i]) for i, time in enumerate(times)]


def check_order(times: Sequence[float]) -> None:
    """Refuse a stream that was declared in order and is not (rule 14)."""
    for i in [i for i, distance in enumerate(out_of_order_distances(times)) if distance][:1]:
        message = f"this stream was declared in order, but time {times[i]} follows {times[i - 1]}"
        raise InvalidInputError(message)
