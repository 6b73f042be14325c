"""Context-free windows: their edges follow from their parameters alone."""

from collections.abc import Iterable
from dataclasses import dataclass

from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError, integer, positive
from muntin.spec.stream import END
from muntin.spec.windows.measure import COUNT, TIME, Measure, PositionedEvent, Timeline
from muntin.spec.windows.window import ContextFreeWindow, Interval


class PeriodicWindow(ContextFreeWindow):
    """A type of windows that may, in a dialect, be open at the left and closed at the right."""

    def effective_coordinates(self, coordinate: int, dialect: Dialect) -> set[int]:
        """Where an event counts as lying, so that [a, b) stands for (a, b] or [a, b]."""
        edges = "left" if self.measure is COUNT else dialect.edges
        after, before = {coordinate}, {coordinate - 1}
        return {"left": after, "right": before, "both": after | before}[edges]

    def holds(self, interval: Interval, event: PositionedEvent, dialect: Dialect, /) -> bool:
        """Whether an event lies in an interval, its ends as the dialect has them."""
        coordinates = self.effective_coordinates(event.coordinate, dialect)
        return any(interval.start <= c < interval.end for c in coordinates)

    def completion_time(self, interval: Interval, timeline: Timeline, /) -> float | None:
        """As always; but a window that holds its very end has to wait for it."""
        wait = int(timeline.dialect.edges != "left" and self.measure is not COUNT)
        return super().completion_time(interval._replace(end=interval.end + wait), timeline)


def pane_start(coordinate: int, offset: int, slide: int, dialect: Dialect) -> int:
    """The last multiple of the slide at or before a coordinate; truncated, nearer to 0."""
    past = coordinate - offset
    up = dialect.alignment == "truncate" and past < 0 and past % slide > 0
    return coordinate - past % slide + slide * up


@dataclass(frozen=True)
class Sliding(PeriodicWindow):
    """Windows of one size, one starting at every multiple of the slide (definition W2).

    {[s, s + size) : s in offset + slide * Z} [Traub20, section 2]; slide > size samples.
    """

    size: int
    slide: int
    offset: int = 0
    measure: Measure = TIME

    def __post_init__(self) -> None:
        positive(self.size, "the size of a window")
        positive(self.slide, "the slide of a window")
        integer(self.offset, "the offset of a window")

    @property
    def name(self) -> str:
        """`tumbling`, `sliding` or `count`."""
        periodic = "tumbling" if self.size == self.slide else "sliding"
        return "count" if self.measure is COUNT else periodic

    def starts(self, coordinate: int, dialect: Dialect) -> set[int]:
        """The starts of the windows that hold an event at this coordinate."""
        coordinates = self.effective_coordinates(coordinate, dialect)
        lasts = [(c, pane_start(c, self.offset, self.slide, dialect)) for c in coordinates]
        tumbling = self.size == self.slide
        spans = [range(s, (s if tumbling else c) - self.size, -self.slide) for c, s in lasts]
        return {start for span in spans for start in span}

    def intervals(self, timeline: Timeline, /) -> Iterable[Interval]:
        """The intervals that hold an event; ranks begin at 0."""
        first = min((event.coordinate for event in timeline.events), default=0)
        pane = pane_start(first, self.offset, self.slide, timeline.dialect)
        moved = min(pane, first - first % self.slide + self.offset)
        bounds = {"nonnegative": 0, "floor_first": pane, "offset_first": moved}
        least = 0 if self.measure is COUNT else bounds.get(timeline.dialect.first_window, -END)
        starts = {s for e in timeline.events for s in self.starts(e.coordinate, timeline.dialect)}
        return {Interval(start, start + self.size) for start in starts if start >= least}

    def holds(self, interval: Interval, event: PositionedEvent, dialect: Dialect, /) -> bool:
        """Whether the window is one of those that the event belongs to."""
        return interval.start in self.starts(event.coordinate, dialect)


def sliding(size: int, slide: int, offset: int = 0, measure: Measure = TIME) -> Sliding:
    """Overlapping windows: `sliding(10, 5)` of an event at 7 is [0, 10) [5, 15)."""
    return Sliding(size, slide, offset, measure)


def tumbling(size: int, offset: int = 0, measure: Measure = TIME) -> Sliding:
    """Windows back to back (definition W3): `tumbling(5)` of events at 3, 7 is [0, 5) [5, 10)."""
    return Sliding(size, size, offset, measure)


def count(size: int, slide: int | None = None) -> Sliding:
    """Windows of n events, by rank (definition W4): `count(2)` of events at 5, 7 is [0, 2)."""
    return Sliding(size, size if slide is None else slide, 0, COUNT)


def instant_windows() -> Sliding:
    """One window an instant (definition W5): `instant_windows()` of an event at 3 is [3, 4)."""
    return Sliding(1, 1)


def edges_from(first: int, every: int, timeline: Timeline, measure: Measure) -> range:
    """The edges first, first + every, ... up to the first beyond all events and the watermark."""
    last = timeline.events[-1].coordinate if timeline.events else first - every
    end = max(timeline.finite_watermark if measure is TIME else -END, last, first - every)
    return range(first, int(end) + every + 1, every)


@dataclass(frozen=True)
class Landmark(PeriodicWindow):
    """All that came since a landmark, reported periodically (definition W6) [Carbone16, 3.2].

    {[at, at + k * every) : k = 1, 2, ...}
    """

    at: int
    every: int
    measure: Measure = TIME
    type_name = "landmark"

    def __post_init__(self) -> None:
        integer(self.at, "the landmark")
        positive(self.every, "the period of a landmark window")

    def intervals(self, timeline: Timeline, /) -> Iterable[Interval]:
        """The intervals that have ended, and the next."""
        ends = edges_from(self.at + self.every, self.every, timeline, self.measure)
        return {Interval(self.at, end) for end in ends}


def landmark(at: int, every: int, measure: Measure = TIME) -> Landmark:
    """Growing windows: `landmark(0, 10)` of events at 3, 12 is [0, 10) [0, 20)."""
    return Landmark(at, every, measure)


@dataclass(frozen=True)
class Cumulate(PeriodicWindow):
    """Tumbling windows that report their growth at every step (definition W7).

    {[s, s + k * step) : s in offset + size * Z, k = 1 .. size / step}
    """

    size: int
    step: int
    offset: int = 0
    measure: Measure = TIME
    type_name = "cumulate"

    def __post_init__(self) -> None:
        integer(self.offset, "the offset of a window")
        if positive(self.size, "the size of a window") % positive(self.step, "the step"):
            raise InvalidInputError(f"the step {self.step} must divide the size {self.size}")

    def windows_at(self, coordinate: int, dialect: Dialect) -> set[Interval]:
        """The windows that hold an event at this coordinate."""
        coordinates = self.effective_coordinates(coordinate, dialect)
        starts = [(c, pane_start(c, self.offset, self.size, dialect)) for c in coordinates]
        steps = range(self.step, self.size + 1, self.step)
        return {Interval(s, s + step) for c, s in starts for step in steps if s + step > c}

    def intervals(self, timeline: Timeline, /) -> Iterable[Interval]:
        """The intervals that hold an event."""
        return {i for e in timeline.events for i in self.windows_at(e.coordinate, timeline.dialect)}

    def holds(self, interval: Interval, event: PositionedEvent, dialect: Dialect, /) -> bool:
        """Whether the window is one of those that the event belongs to."""
        return interval in self.windows_at(event.coordinate, dialect)


def cumulate(size: int, step: int, offset: int = 0, measure: Measure = TIME) -> Cumulate:
    """Tumbling windows seen as they grow: `cumulate(6, 2)` of an event at 3 is [0, 4) [0, 6)."""
    return Cumulate(size, step, offset, measure)


@dataclass(frozen=True)
class Band(PeriodicWindow):
    """One fixed interval [start, end) (definition W8)."""

    start: int
    end: int
    measure: Measure = TIME
    type_name = "band"

    def __post_init__(self) -> None:
        if integer(self.start, "the start") >= integer(self.end, "the end"):
            raise InvalidInputError(f"the band [{self.start}, {self.end}) must end after its start")

    def intervals(self, _: Timeline, /) -> Iterable[Interval]:
        """The band."""
        return {Interval(self.start, self.end)}


def band(start: int, end: int, measure: Measure = TIME) -> Band:
    """One interval: `band(5, 9)` of events at 3, 6 is [5, 9)."""
    return Band(start, end, measure)
