"""One key of the queries that need tuples: the tuples in order, and where windows cut them."""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable
from operator import attrgetter
from typing import NamedTuple

from muntin.optimized.scotty.groups.user_window_state import MachineCheckpoint, found
from muntin.optimized.scotty.schedules.spans import ScheduledWindow, span
from muntin.optimized.scotty.slices.slice import LiftedEvent
from muntin.optimized.scotty.slices.tuple_slices import TupleSlice, TupleSlices
from muntin.spec.dialect import Dialect
from muntin.spec.query import Query
from muntin.spec.stream import END, AcceptedEvent
from muntin.spec.windows.data_driven import LastNEvery, Rolling
from muntin.spec.windows.measure import COUNT, Measure, Timeline, build_timeline
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import Interval, WindowType

COORDINATE, ORDER = attrgetter("coordinate"), attrgetter("order")


class OpenWindow(NamedTuple):
    """A window, the positions of its first tuple and behind its last, and what it waits for."""

    interval: Interval
    low: int
    high: int
    due: float | None
    settles: float


class TupleKeyState:
    """The tuples of one key that some window may still need, and how many were forgotten."""

    def __init__(self, key: Hashable, dialect: Dialect, tiling: TupleSlices) -> None:
        """Start with no tuple."""
        self.key, self.dialect, self.tiling = key, dialect, tiling
        self.forgotten = 0
        self.gone: AcceptedEvent | None = None  # the last one forgotten, if any
        self.front = MachineCheckpoint()  # what a user's machine knows of those that were forgotten
        self.news = False
        self.pending: list[LiftedEvent] = []  # not in slices yet: they cannot matter yet
        self.mark: int | None = None  # how many of these there were before the step
        self.undo: Callable[[], None] | None = None

    @property
    def entries(self) -> list[LiftedEvent]:
        """All tuples in slices, in order."""
        return [entry for tile in self.tiling.tiles for entry in tile.entries]

    def checkpoint(self) -> None:
        """Copy what a step changes, once a step."""
        if self.undo:
            return
        self._set_mark()
        tiles: list[TupleSlice] = list(self.tiling.tiles)
        news, pending = self.news, list(self.pending)

        def undo() -> None:
            self.tiling.restore(tiles)
            self.news, self.pending = news, pending

        self.undo = undo

    def defer(self, lifted: LiftedEvent) -> None:
        """Keep a tuple that cannot matter before the watermark is near."""
        self._set_mark()
        self.pending.append(lifted)

    def _set_mark(self) -> None:
        """Note how many tuples there were, before the step defers or flushes any."""
        self.mark = len(self.pending) if self.mark is None else self.mark

    def deferred(self, *, by_arrival: bool) -> list[LiftedEvent]:
        """Keep the tuples back no more, and return them as they are to be inserted."""
        kept, self.pending = self.pending, []
        return kept if by_arrival else sorted(kept, key=ORDER)

    def restore(self) -> None:
        """Undo what the step has done so far."""
        if self.undo:
            self.undo()
        if self.mark is not None:
            del self.pending[self.mark :]
        self.commit()

    def commit(self) -> None:
        """Take the step for done."""
        self.undo = self.mark = None

    def insert(self, lifted: LiftedEvent, *, by_arrival: bool) -> None:
        """Add a tuple where its order says."""
        self.tiling.insert(lifted, last=by_arrival)
        self.news = True

    def line(
        self, measure: Measure, reached: float, further: AcceptedEvent | None = None
    ) -> Timeline:
        """Lay out the tuples behind those that were forgotten."""
        held = [entry.accepted for entry in self.entries]
        all_ = [*([self.gone] if self.gone else []), *held, *([further] if further else [])]
        line = build_timeline(all_, measure, reached, self.dialect)
        known = (at for at in line.events if at.accepted is not self.gone)
        placed = [
            at._replace(rank=rank, coordinate=rank if measure is COUNT else at.coordinate)
            for rank, at in enumerate(known, self.forgotten)
        ]
        return line._replace(events=tuple(placed))

    def windows(
        self, query: Query, reached: float, further: AcceptedEvent | None = None
    ) -> list[OpenWindow]:
        """Return the windows of a query that hold a tuple."""
        kind = query.window
        line = self.line(kind.measure, reached, further)
        add, lives = self.dialect.closing_of(kind.name), list[OpenWindow]()
        for one in sorted(set(self._intervals(kind, line))):
            low, high = self._range(query, one, line)
            if low < high:
                due, shown = kind.completion_time(one, line), kind.reported_interval(one, line)
                settles = END if due is None else due + max(0, add)
                lives.append(
                    OpenWindow(shown, low, high, None if due is None else due + add, settles)
                )
        return lives

    def _intervals(self, kind: WindowType, line: Timeline) -> Iterable[Interval]:
        if isinstance(kind, UserWindow | UserTrigger):
            return found(kind, line, self.front).intervals
        return kind.intervals(line)

    def _range(self, query: Query, one: Interval, line: Timeline) -> tuple[int, int]:
        """Return the positions between which the tuples of a window lie: they are neighbours."""
        kind, placed = query.window, line.events
        if isinstance(kind, LastNEvery):
            low = max(0, one.start - self.forgotten)
            return low, bisect_left(placed, one.end, key=lambda at: at.time)
        start, end = one.start, one.end
        if isinstance(kind, ScheduledWindow):
            start, end = span(kind, one, self.dialect)
        elif not isinstance(kind, Rolling) and type(kind).holds is not WindowType.holds:
            held = [i for i, at in enumerate(placed) if kind.holds(one, at, self.dialect)]
            return (held[0], held[-1] + 1) if held else (0, 0)
        low, high = (bisect_left(placed, at, key=COORDINATE) for at in (start, end))
        if one.row:
            high = min(high, bisect_left(placed, end - 1, key=COORDINATE) + one.row)
        return low, high

    def release(self, count: int, front: MachineCheckpoint) -> None:
        """Forget the oldest tuples; a machine goes on behind them."""
        if count:
            self.front = front
            self.gone = self.entries[count - 1].accepted
            self.forgotten += count
            self.tiling.release(count)
