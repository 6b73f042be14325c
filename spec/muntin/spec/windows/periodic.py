"""Context-free windows: their edges follow from their parameters alone."""

from collections.abc import Iterable
from dataclasses import dataclass

from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError, integer, positive
from muntin.spec.stream import END
from muntin.spec.windows.measure import COUNT, TIME, Measure, PositionedEvent, Timeline
from muntin.spec.windows.window import ContextFree, Interval


class PeriodicWindow(ContextFree):
    """A type of windows that may, in a dialect, be open at the left and closed at the right."""

    def nudged(self, coordinate: int, dialect: Dialect) -> set[int]:
        """Return where an event counts as lying, so that [a, b) stands for (a, b] or [a, b]."""
        edges = "left" if self.measure is COUNT else dialect.edges
        after, before = {coordinate}, {coordinate - 1}
        return {"left": after, "right": before, "both": after | before}[edges]

    def holds(self, interval: Interval, at: PositionedEvent, dialect: Dialect, /) -> bool:
        """Whether an event lies in an interval, its ends as the dialect has them."""
        places = self.nudged(at.coordinate, dialect)
        return any(interval.start <= place < interval.end for place in places)

    def due(self, interval: Interval, line: Timeline, /) -> float | None:
        """As always; but a window that holds its very end has to wait for it."""
        late = int(line.dialect.edges != "left" and self.measure is not COUNT)
        return super().due(interval._replace(end=interval.end + late), line)


def pane_start(coordinate: int, offset: int, slide: int, dialect: Dialect) -> int:
    """Return the last multiple of the slide at or before a coordinate; truncated, nearer to 0."""
    past = coordinate - offset
    up = dialect.alignment == "truncate" and past < 0 and past % slide > 0
    return coordinate - past % slide + slide * up


@dataclass(frozen=True)
class Sliding(PeriodicWindow):
    """Windows of one size, one starting at every multiple of the slide (definition W2).

    {[s, s + size) : s in offset + slide * Z} [Traub20, section 2]; slide > size samples.

    >>> sorted(Sliding(4, 2).starts(7, Dialect()))
    [4, 6]
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
        """Return the starts of the windows that an event at this coordinate belongs to."""
        places = self.nudged(coordinate, dialect)
        lasts = [(at, pane_start(at, self.offset, self.slide, dialect)) for at in places]
        tumbling = self.size == self.slide
        spans = [
            range(last, (last if tumbling else at) - self.size, -self.slide) for at, last in lasts
        ]
        return {start for span in spans for start in span}

    def intervals(self, line: Timeline, /) -> Iterable[Interval]:
        """Return the intervals that hold an event; ranks begin at 0."""
        first = min((at.coordinate for at in line.placed), default=0)
        first_pane = pane_start(first, self.offset, self.slide, line.dialect)
        lowest: dict[str, float] = {"all": -END, "nonnegative": 0, "floor_first": first_pane}
        least = 0 if self.measure is COUNT else lowest[line.dialect.first_window]
        starts = {s for at in line.placed for s in self.starts(at.coordinate, line.dialect)}
        return {Interval(start, start + self.size) for start in starts if start >= least}

    def holds(self, interval: Interval, at: PositionedEvent, dialect: Dialect, /) -> bool:
        """Whether the window is one of those that the event belongs to."""
        return interval.start in self.starts(at.coordinate, dialect)


def tumbling(size: int, offset: int = 0, measure: Measure = TIME) -> Sliding:
    """Return windows that follow each other without overlap (definition W3)."""
    return Sliding(size, size, offset, measure)


def count(size: int, slide: int | None = None) -> Sliding:
    """Return windows of so many events, in event order (definition W4)."""
    return Sliding(size, size if slide is None else slide, 0, COUNT)


def instant_windows() -> Sliding:
    """Return one window an instant (definition W5)."""
    return Sliding(1, 1)


def edges_from(first: int, every: int, line: Timeline, measure: Measure) -> range:
    """Return first, first + every, ... up to the first beyond all events and the watermark."""
    last = line.placed[-1].coordinate if line.placed else first - every
    reach = max(line.reached if measure is TIME else -END, last, first - every)
    return range(first, int(reach) + every + 1, every)


@dataclass(frozen=True)
class Landmark(PeriodicWindow):
    """All that came since a landmark, reported every so often (definition W6) [Carbone16, 3.2].

    {[at, at + k * every) : k = 1, 2, ...}
    """

    at: int
    every: int
    measure: Measure = TIME
    type_name = "landmark"

    def __post_init__(self) -> None:
        integer(self.at, "the landmark")
        positive(self.every, "the period of a landmark window")

    def intervals(self, line: Timeline, /) -> Iterable[Interval]:
        """Return the intervals that have ended, and the next."""
        ends = edges_from(self.at + self.every, self.every, line, self.measure)
        return {Interval(self.at, end) for end in ends}


@dataclass(frozen=True)
class Cumulate(PeriodicWindow):
    """Tumbling windows that report their growth at every step (definition W7).

    {[s, s + k * step) : s in offset + size * Z, k = 1 .. size / step}

    >>> [w[:2] for w in sorted(Cumulate(6, 2).around(3, Dialect()))]
    [(0, 4), (0, 6)]
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

    def around(self, coordinate: int, dialect: Dialect) -> set[Interval]:
        """Return the windows that an event at this coordinate belongs to."""
        places = self.nudged(coordinate, dialect)
        starts = [(at, pane_start(at, self.offset, self.size, dialect)) for at in places]
        steps = range(self.step, self.size + 1, self.step)
        return {Interval(s, s + step) for at, s in starts for step in steps if s + step > at}

    def intervals(self, line: Timeline, /) -> Iterable[Interval]:
        """Return the intervals that hold an event."""
        return {one for at in line.placed for one in self.around(at.coordinate, line.dialect)}

    def holds(self, interval: Interval, at: PositionedEvent, dialect: Dialect, /) -> bool:
        """Whether the window is one of those that the event belongs to."""
        return interval in self.around(at.coordinate, dialect)


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
        """Return the band."""
        return {Interval(self.start, self.end)}
