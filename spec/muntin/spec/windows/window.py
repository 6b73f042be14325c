"""Windows: intervals of a measure, what they hold, when they are complete (rules 7, 9, 10)."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from muntin.spec.dialect import Dialect
from muntin.spec.stream import END, Accepted
from muntin.spec.windows.measure import COUNT, TIME, Measure, PositionedEvent, Timeline

Context = Literal["CF", "FCF", "FCA"]
"""Context free, forward context free, forward context aware [Li05]."""


class Interval(NamedTuple):
    """The coordinates c with start <= c < end, where end may be END.

    `row` tells apart windows that a dialect shows with one extent.
    """

    start: int
    end: float
    row: int = 0


@dataclass(frozen=True)
class Window:
    """An interval that exists, its content in event order, and what it waits for (definition W1).

    It is complete at watermark `due`, never if that is None. It is frozen, so that nothing can
    change it any more, at watermark `settles` plus the lateness (rule 12).
    """

    interval: Interval
    content: tuple[Accepted, ...]
    due: float | None
    settles: float

    @property
    def arrivals(self) -> tuple[int, ...]:
        """The arrival numbers of the content: what tells it apart, for values are opaque."""
        return tuple(accepted.arrival for accepted in self.content)

    def complete(self, watermark: float) -> bool:
        """Whether it has ended, and no event to come can take part."""
        return self.due is not None and self.due <= watermark


class WindowType(ABC):
    """A set of intervals for every line of events: all that a type says is which exist."""

    context: ClassVar[Context]
    type_name: ClassVar[str]
    measure: Measure

    @property
    def name(self) -> str:
        """The name of the type, as transcripts spell it."""
        return self.type_name

    @abstractmethod
    def intervals(self, line: Timeline, /) -> Iterable[Interval]:
        """Return the intervals that exist, at least all those that hold an event."""

    def edges(self, line: Timeline, /) -> set[float]:
        """Return the coordinates at which a window begins or ends."""
        return {edge for one in self.intervals(line) for edge in one[:2]}

    def holds(self, interval: Interval, at: PositionedEvent, _: Dialect, /) -> bool:
        """Whether an event lies in an interval: start <= coordinate < end."""
        return interval.start <= at.coordinate < interval.end

    def shown(self, interval: Interval, _: Timeline, /) -> Interval:
        """Return the interval as it is reported."""
        return interval

    def due(self, interval: Interval, line: Timeline, /) -> float | None:
        """Return the least watermark at which the interval is complete, None if none is (rule 9).

        In time, its end. In another measure, the time of the first event at or beyond its end.
        """
        beyond = (at.time for at in line.placed if at.coordinate >= interval.end)
        return interval.end if self.measure is TIME else next(beyond, END)


class ContextFree(WindowType):
    """A type whose edges are known before any event comes."""

    context: ClassVar[Context] = "CF"

    def due(self, interval: Interval, line: Timeline, /) -> float | None:
        """As always; but a count window waits until it is full and its last event is past."""
        if self.measure is not COUNT:
            return super().due(interval, line)
        return next((at.time + 1 for at in line.placed if at.rank == interval.end - 1), None)


def materialize_windows(kind: WindowType, line: Timeline) -> list[Window]:
    """Return the windows that hold at least one event, with what a dialect adds to their ends.

    >>> from muntin.spec.windows.measure import build_timeline
    >>> from muntin.spec.windows.periodic import Sliding
    >>> from muntin.spec.stream import Event
    >>> history = [Accepted(Event(time, "v"), i) for i, time in enumerate([4, 2])]
    >>> timeline = build_timeline(history, TIME, 0, Dialect())
    >>> [w.interval[:2] for w in materialize_windows(Sliding(3, 2), timeline)]
    [(0, 3), (2, 5), (4, 7)]
    """
    add = line.dialect.closing_of(kind.name)
    found = [
        (one, tuple(at.accepted for at in line.placed if kind.holds(one, at, line.dialect)))
        for one in sorted(set(kind.intervals(line)))
    ]
    return [
        Window(kind.shown(one, line), content, None, END)
        if (due := kind.due(one, line)) is None
        else Window(kind.shown(one, line), content, due + add, due + max(0, add))
        for one, content in found
        if content
    ]
