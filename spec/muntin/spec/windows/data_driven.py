"""Windows that events make: sessions, punctuations, rolling windows, the last n."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import reduce

from muntin.spec.dialect import Dialect
from muntin.spec.errors import positive
from muntin.spec.stream import END, Event
from muntin.spec.windows.measure import TIME, Measure, PositionedEvent, Timeline
from muntin.spec.windows.periodic import edges_from
from muntin.spec.windows.window import ContextFree, Interval, WindowType


def cut_intervals(cuts: list[int]) -> list[Interval]:
    """Return the intervals from each cut to the next, and from the last to the end."""
    return [Interval(start, end) for start, end in zip(cuts, [*cuts[1:], END], strict=False)]


@dataclass(frozen=True)
class Session(WindowType):
    """Periods of activity: events belong together iff they are nearer than the gap (rule 8).

    The maximal unions of overlapping [c, c + gap) [Traub20, section 6]. An event may bring its
    own gap. Exactly one gap apart is two sessions, for at watermark last + gap the first must be
    complete, and an event at that very time may still come.
    """

    gap: int
    measure: Measure = TIME
    context, type_name = "FCF", "session"

    def __post_init__(self) -> None:
        positive(self.gap, "the gap of a session")

    def intervals(self, line: Timeline, /) -> Iterable[Interval]:
        """Return the sessions."""
        reach = int(line.dialect.session_merge == "le")

        def extend(sessions: list[Interval], at: PositionedEvent) -> list[Interval]:
            own = Interval(at.coordinate, at.coordinate + (at.accepted.event.gap or self.gap))
            if not sessions or own.start >= sessions[-1].end + reach:
                return [*sessions, own]
            return [*sessions[:-1], Interval(sessions[-1].start, max(sessions[-1].end, own.end))]

        return reduce(extend, line.placed, list[Interval]())

    def shown(self, interval: Interval, line: Timeline, /) -> Interval:
        """Return the session; in a dialect, without the gap after its last event."""
        last = max(at.coordinate for at in line.placed if at.coordinate < interval.end)
        short = Interval(interval.start, last + 1, int(interval.end))
        return short if line.dialect.session_end == "last" else interval


@dataclass(frozen=True)
class Punctuation(WindowType):
    """From each punctuation to the next (definition W9) [Traub20, section 4.4].

    What comes before the first one makes a window that starts at the first event. What comes
    after the last one waits for the next.
    """

    marks: Callable[[Event], bool] = lambda event: event.punctuation
    measure: Measure = TIME
    context, type_name = "FCF", "punctuation"

    def intervals(self, line: Timeline, /) -> Iterable[Interval]:
        """Return the intervals between consecutive cuts, and the one that is still open."""
        asked = Measure("punctuation", lambda event: int(bool(self.marks(event))))
        marked = {at.coordinate for at in line.placed if asked.at(at.accepted.event, at.rank)}
        return cut_intervals(sorted({at.coordinate for at in line.placed[:1]} | marked))

    def due(self, interval: Interval, line: Timeline, /) -> float | None:
        """As always; but a window that no punctuation has ended is never complete."""
        return None if interval.end == END else super().due(interval, line)


@dataclass(frozen=True)
class Rolling(ContextFree):
    """With every n-th event, here each, the last `size` units that end with it (definition W10).

    {(c - size, c] : c the coordinate of an n-th event}
    """

    size: int
    every: int = 1
    measure: Measure = TIME
    context, type_name = "FCA", "rolling"

    def __post_init__(self) -> None:
        positive(self.size, "the size of a window")
        positive(self.every, "the number of events between windows")

    @property
    def name(self) -> str:
        """`rolling` or `slide_by_tuple`."""
        return "rolling" if self.every == 1 else "slide_by_tuple"

    def intervals(self, line: Timeline, /) -> Iterable[Interval]:
        """Return one interval an event; tied events share it, unless the dialect counts rows."""
        rows = line.dialect.ties == "rows"
        return {
            Interval(at.coordinate - self.size + 1, at.coordinate + 1, rows * (at.tie + 1))
            for at in line.placed
            if (at.rank + 1) % self.every == 0
        }

    def holds(self, interval: Interval, at: PositionedEvent, dialect: Dialect, /) -> bool:
        """As always, and no later row than its own where the dialect counts rows."""
        last = interval.row and at.coordinate == interval.end - 1
        return super().holds(interval, at, dialect) and (not last or at.tie < interval.row)


def slide_by_tuple(size: int, every: int) -> Rolling:
    """Return windows of a time extent, a new one every so many events (definition W11) [Li05]."""
    return Rolling(size, every)


@dataclass(frozen=True)
class LastNEvery(WindowType):
    """Every so often, the last n events (definition W12): two measures in one window.

    {[max(0, r - n), e) : e in every * Z, r the number of events before e}: it starts at a rank
    and ends at a time [Traub20, section 4.4].
    """

    n: int
    every: int
    measure: Measure = field(default=TIME, init=False)
    context, type_name = "FCA", "last_n_every"

    def __post_init__(self) -> None:
        positive(self.n, "the number of events")
        positive(self.every, "the period")

    def intervals(self, line: Timeline, /) -> Iterable[Interval]:
        """Return the intervals from the first event on."""
        ranks = {at.rank: at.time for at in line.placed}
        first = min(((time // self.every + 1) * self.every for time in ranks.values()), default=0)
        ends = edges_from(first, self.every, line, TIME) if ranks else range(0)
        before = [(end, max(r for r, time in ranks.items() if time < end) + 1) for end in ends]
        return [Interval(max(0, rank - self.n), end) for end, rank in before]

    def holds(self, interval: Interval, at: PositionedEvent, _: Dialect, /) -> bool:
        """Whether an event is early enough in time and late enough in rank."""
        return interval.start <= at.rank and at.time < interval.end
