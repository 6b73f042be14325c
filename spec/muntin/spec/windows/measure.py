"""Measures: what windows are intervals of (rule 6; [Traub20], section 4.3)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import NamedTuple

from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError, UserCodeError, integer
from muntin.spec.stream import AcceptedEvent, Event, event_order


@dataclass(frozen=True)
class Measure:
    """A map from events to integers that never falls in event order (definition M1)."""

    name: str
    of: Callable[[Event], int] | None = field(default=None, repr=False)

    def coordinate_of(self, event: Event, rank: int) -> int:
        """Where the event lies on this measure; an error names the event."""
        try:
            coordinate = self.of(event) if self.of else rank
        except Exception as cause:
            raise UserCodeError(f"measure {self.name!r} at {event}: {cause!r}") from cause
        return integer(coordinate, f"measure {self.name!r} at", event)

    def __reduce__(self) -> str | tuple[object, ...]:  # TIME and COUNT are compared by identity
        return {id(TIME): "TIME", id(COUNT): "COUNT"}.get(id(self)) or super().__reduce__()


TIME = Measure("time", lambda event: event.time)

COUNT = Measure("count")
"""The rank in event order: a late event moves the rank of every later one."""


class PositionedEvent(NamedTuple):
    """An accepted event, its rank, coordinate, and number among its ties (definition M2)."""

    accepted: AcceptedEvent
    rank: int
    coordinate: int
    tie: int = 0

    @property
    def time(self) -> int:
        """The time of the event."""
        return self.accepted.event.time


class Timeline(NamedTuple):
    """A history laid out along a measure: all that a window type may look at (definition M3).

    `finite_watermark` is the greatest watermark so far that is not the end of the stream.
    """

    events: tuple[PositionedEvent, ...]
    finite_watermark: float
    dialect: Dialect


def build_timeline(
    history: Sequence[AcceptedEvent], measure: Measure, finite_watermark: float, dialect: Dialect
) -> Timeline:
    """Order a history and give each event its coordinate, or name the event that breaks it.

    >>> history = [AcceptedEvent(Event(5, 40), arrival=0), AcceptedEvent(Event(3, 7), arrival=1)]
    >>> [event.coordinate for event in build_timeline(history, COUNT, 0, Dialect()).events]
    [0, 1]
    >>> build_timeline(history, Measure("km", lambda event: -event.time), 0, Dialect())
    Traceback (most recent call last):
        ...
    muntin.spec.errors.InvalidInputError: measure 'km' falls from -3 to -5 at Event(time=5, ...
    """
    by_arrival = measure is COUNT and dialect.count_order == "arrival"
    ordered = sorted(history, key=lambda a: a.arrival) if by_arrival else event_order(history)
    ranked = [(measure.coordinate_of(a.event, rank), rank, a) for rank, a in enumerate(ordered)]
    events = tuple(
        PositionedEvent(accepted, rank, coordinate, tie)
        for coordinate, tied in groupby(ranked, key=lambda triple: triple[0])
        for tie, (_, rank, accepted) in enumerate(tied)
    )
    for a, b in [(a, b) for a, b in pairwise(events) if b.coordinate < a.coordinate][:1]:
        fall = f"measure {measure.name!r} falls from {a.coordinate} to {b.coordinate}"
        raise InvalidInputError(f"{fall} at {b.accepted.event}")
    return Timeline(events, finite_watermark, dialect)
