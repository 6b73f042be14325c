"""Windows: intervals of a measure, what they hold, when they are complete (rules 7, 9, 10)."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from muntin.spec.dialect import Dialect
from muntin.spec.stream import END, AcceptedEvent
from muntin.spec.windows.measure import COUNT, TIME, Measure, PositionedEvent, Timeline

Context = Literal["CF", "FCF", "FCA"]
"""Context free, forward context free, forward context aware [Li05]."""


class Interval(NamedTuple):
    """The coordinates c with start <= c < end, where end may be END.

    `row` distinguishes windows that a dialect reports with the same start and end.
    """

    start: int
    end: float
    row: int = 0


@dataclass(frozen=True)
class Window:
    """An interval that exists, its content in event order, and what it waits for (definition W1).

    It is complete at watermark `completes_at`, never if that is None. No event can change it any
    more at watermark `final_at` plus the allowed lateness (rule 12).
    """

    interval: Interval
    content: tuple[AcceptedEvent, ...]
    completes_at: float | None
    final_at: float

    @property
    def arrivals(self) -> tuple[int, ...]:
        """The arrival numbers of the content: its identity, for values are opaque."""
        return tuple(accepted.arrival for accepted in self.content)

    def is_complete(self, watermark: float) -> bool:
        """Whether the window has ended, and no event to come can take part."""
        return self.completes_at is not None and self.completes_at <= watermark


class WindowType(ABC):
    """A set of intervals for every timeline: all that a type determines is which exist."""

    context: ClassVar[Context]
    type_name: ClassVar[str]
    measure: Measure

    @property
    def name(self) -> str:
        """The name of the type, as transcripts spell it."""
        return self.type_name

    @abstractmethod
    def intervals(self, timeline: Timeline, /) -> Iterable[Interval]:
        """The intervals that exist, at least all those that hold an event."""

    def holds(self, interval: Interval, event: PositionedEvent, _: Dialect, /) -> bool:
        """Whether an event lies in an interval: start <= coordinate < end."""
        return interval.start <= event.coordinate < interval.end

    def reported_interval(self, interval: Interval, _: Timeline, /) -> Interval:
        """The start and end that results show."""
        return interval

    def completion_time(self, interval: Interval, timeline: Timeline, /) -> float | None:
        """The least watermark at which the interval is complete, None if none is (rule 9).

        In time, its end. In another measure, the time of the first event at or beyond its end.
        """
        beyond = (event.time for event in timeline.events if event.coordinate >= interval.end)
        return interval.end if self.measure is TIME else next(beyond, END)


class ContextFreeWindow(WindowType):
    """A type whose edges are known before any event comes."""

    context: ClassVar[Context] = "CF"

    def completion_time(self, interval: Interval, timeline: Timeline, /) -> float | None:
        """As always; but a count window waits until it is full and its last event has passed."""
        if self.measure is not COUNT:
            return super().completion_time(interval, timeline)
        return next((e.time + 1 for e in timeline.events if e.rank == interval.end - 1), None)


def materialize_windows(window_type: WindowType, timeline: Timeline) -> list[Window]:
    """The windows that hold at least one event, with what a dialect adds to their ends."""
    delay, dialect = timeline.dialect.closing_of(window_type.name), timeline.dialect
    contents = [
        (i, tuple(e.accepted for e in timeline.events if window_type.holds(i, e, dialect)))
        for i in sorted(set(window_type.intervals(timeline)))
    ]
    return [
        Window(window_type.reported_interval(i, timeline), content, None, END)
        if (end := window_type.completion_time(i, timeline)) is None
        else Window(
            window_type.reported_interval(i, timeline), content, end + delay, end + max(0, delay)
        )
        for i, content in contents
        if content
    ]
