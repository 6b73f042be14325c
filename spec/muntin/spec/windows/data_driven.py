"""Windows whose edges depend on events: sessions, punctuations, and counts of events."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import reduce

from muntin.spec.dialect import Dialect
from muntin.spec.errors import positive
from muntin.spec.stream import END, Event
from muntin.spec.windows.measure import TIME, Measure, PositionedEvent, Timeline
from muntin.spec.windows.periodic import edges_from
from muntin.spec.windows.window import ContextFreeWindow, Interval, WindowType


def cut_intervals(cuts: list[int]) -> list[Interval]:
    """The intervals from each cut to the next, and from the last to the end."""
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

    def intervals(self, timeline: Timeline, /) -> Iterable[Interval]:
        """The sessions."""
        reach = int(timeline.dialect.session_merge == "le")

        def extend(sessions: list[Interval], event: PositionedEvent) -> list[Interval]:
            gap = event.accepted.event.gap or self.gap
            own = Interval(event.coordinate, event.coordinate + gap)
            if not sessions or own.start >= sessions[-1].end + reach:
                return [*sessions, own]
            return [*sessions[:-1], Interval(sessions[-1].start, max(sessions[-1].end, own.end))]

        return reduce(extend, timeline.events, list[Interval]())

    def reported_interval(self, interval: Interval, timeline: Timeline, /) -> Interval:
        """The session; in a dialect, without the gap after its last event."""
        last = max(e.coordinate for e in timeline.events if e.coordinate < interval.end)
        short = Interval(interval.start, last + 1, int(interval.end))
        return short if timeline.dialect.session_end == "last" else interval


def session(gap: int, measure: Measure = TIME) -> Session:
    """Activity without a pause of `gap`: `session(3)` of events at 1, 2, 7 is [1, 5) [7, 10)."""
    return Session(gap, measure)


@dataclass(frozen=True)
class Punctuation(WindowType):
    """From each punctuation to the next (definition W9) [Traub20, section 4.4].

    What comes before the first one makes a window that starts at the first event. What comes
    after the last one waits for the next.
    """

    marks: Callable[[Event], bool] = lambda event: event.punctuation
    measure: Measure = TIME
    context, type_name = "FCF", "punctuation"

    def intervals(self, timeline: Timeline, /) -> Iterable[Interval]:
        """The intervals between consecutive cuts, and the one that is still open."""
        mark = Measure("punctuation", lambda event: int(bool(self.marks(event))))
        events = timeline.events
        marked = {e.coordinate for e in events if mark.coordinate_of(e.accepted.event, e.rank)}
        return cut_intervals(sorted({e.coordinate for e in events[:1]} | marked))

    def completion_time(self, interval: Interval, timeline: Timeline, /) -> float | None:
        """As always; but a window that no punctuation has ended is never complete."""
        return None if interval.end == END else super().completion_time(interval, timeline)


def punctuation(
    marks: Callable[[Event], bool] = Punctuation.marks, measure: Measure = TIME
) -> Punctuation:
    """Mark to mark: `punctuation(lambda e: e.time > 5)` of events at 1, 6 is [1, 6) [6, END)."""
    return Punctuation(marks, measure)


@dataclass(frozen=True)
class Rolling(ContextFreeWindow):
    """With every n-th event, by default each, the last `size` units up to it (definition W10).

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

    def intervals(self, timeline: Timeline, /) -> Iterable[Interval]:
        """One interval an event; tied events share it, unless the dialect counts rows."""
        rows = timeline.dialect.ties == "rows" or timeline.dialect.rows == "event"
        return {
            Interval(e.coordinate - self.size + 1, e.coordinate + 1, rows * (e.tie + 1))
            for e in timeline.events
            if (e.rank + 1) % self.every == 0
        }

    def holds(self, interval: Interval, event: PositionedEvent, dialect: Dialect, /) -> bool:
        """As always, and no later row than its own where the dialect counts rows."""
        last = dialect.ties == "rows" and event.coordinate == interval.end - 1
        return super().holds(interval, event, dialect) and (not last or event.tie < interval.row)


def rolling(size: int, measure: Measure = TIME) -> Rolling:
    """For each event the `size` units up to it: `rolling(3)` of events at 4, 5 is [2, 5) [3, 6)."""
    return Rolling(size, measure=measure)


def slide_by_tuple(size: int, every: int) -> Rolling:
    """Every n-th (definition W11) [Li05]: `slide_by_tuple(3, 2)` of events at 4, 5 is [3, 6)."""
    return Rolling(size, every)


@dataclass(frozen=True)
class LastNEvery(WindowType):
    """Periodically, the last n events (definition W12): two measures in one window.

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

    def intervals(self, timeline: Timeline, /) -> Iterable[Interval]:
        """The intervals from the first event on."""
        ranks = {event.rank: event.time for event in timeline.events}
        first = min(((time // self.every + 1) * self.every for time in ranks.values()), default=0)
        ends = edges_from(first, self.every, timeline, TIME) if ranks else range(0)
        before = [(end, max(r for r, time in ranks.items() if time < end) + 1) for end in ends]
        return [Interval(max(0, rank - self.n), end) for end, rank in before]

    def holds(self, interval: Interval, event: PositionedEvent, _: Dialect, /) -> bool:
        """Whether an event is early enough in time and late enough in rank."""
        return interval.start <= event.rank and event.time < interval.end


def last_n_every(n: int, every: int) -> LastNEvery:
    """From rank to time: `last_n_every(2, 10)` of events at 3, 5, 12 is [0, 10) [1, 20)."""
    return LastNEvery(n, every)
