"""Tracks: what the discretiser knows of one query and key [Carbone16, sections 3.2 and 5.1].

A track tells the slices where windows begin, and asks them for a total where one ends. It never
looks at a value that is aggregated.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left
from copy import copy, deepcopy
from typing import Literal, NamedTuple, Self

from muntin.optimized.in_order.slice_buffer import SliceBuffer
from muntin.optimized.in_order.trackers.extent import TrackedWindow
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.window import ContextFreeWindow


class TrackedEvent(NamedTuple):
    """An event, its coordinate, its rank in its query, and its ordinal among the slices."""

    event: Event
    coordinate: int
    rank: int
    ordinal: int


class TrackerConfig(NamedTuple):
    """A query over one key.

    It came too late to see windows that begin up to the coordinate `after` (rule 13). `born` grows
    with the first event that it sees of its key, and `nth` with the queries.
    """

    query: Query
    settings: Settings
    after: float
    key_order: int
    nth: int


def copy_or_same(state: object) -> object:
    """Return a copy of the state of a user's machine, which may change what it gets.

    A state that cannot be copied is taken as it is: it has to be one that is never changed.
    """
    try:
        return deepcopy(state)
    except Exception:  # noqa: BLE001 - whatever the user's objects raise
        return state


WakeCondition = Literal["never", "until a time", "until a rank", "until a pause"]
"""Which events are of no concern to a track: those before its next edge, or within its gap."""


def is_open(one: TrackedWindow) -> bool:
    """Whether more events may come into a window."""
    return one.stop is None


class WindowTracker(ABC):
    """The windows of one query and key, driven by events in order.

    `live` holds its windows in the order in which they close.
    """

    sleeps: WakeCondition = "never"
    pause: int = 0

    def __init__(self, request: TrackerConfig) -> None:
        """Start with no event."""
        self.query, self.settings, self.after, self.born, self.nth = request
        kind = self.query.window
        self.measure = kind.measure
        self.fills = self.measure is COUNT and isinstance(kind, ContextFreeWindow)
        self.closing = self.settings.dialect.closing_of(kind.name)
        self.live: list[TrackedWindow] = []
        self.base = -1  # the ordinal of the first event
        self.last: int | None = None  # the coordinate of the last event that concerned it
        self.mark: int | None = None  # the ordinal of the first event of the step
        self.wake: float = END  # the watermark at which there is something to report or forget
        self.may_reemit = False  # whether a window was told of that the next event may still be in

    def observe(self, slices: SliceBuffer[object], event: Event) -> None:
        """Take in an event that concerns it, before the slices do."""
        self.base = slices.count if self.base < 0 else self.base
        rank = slices.count - self.base
        coordinate = self.measure.coordinate_of(event, rank)
        if self.last is not None and coordinate < self.last:
            fall = f"measure {self.measure.name!r} falls from {self.last} to {coordinate}"
            raise InvalidInputError(f"{fall} at {event}")
        self.place(slices, TrackedEvent(event, coordinate, rank, slices.count))
        self.last = coordinate

    @abstractmethod
    def place(self, slices: SliceBuffer[object], at: TrackedEvent, /) -> None:
        """Close the windows that end before the event, and open those that begin with it."""

    def edge(self) -> float:
        """Return the least coordinate of an event that may open, fill or close a window."""
        return -END

    def catch_up(self, slices: SliceBuffer[object], last: int, /) -> None:
        """Take note of the time of the last event, which may not have concerned it."""
        del slices, last

    def advance(self, slices: SliceBuffer[object], reached: float, limit: float, /) -> None:
        """Do what is due because of time alone: here, nothing."""
        del slices, reached, limit

    def next_time_action(self) -> float:
        """Return the watermark at which there is something to do because of time alone."""
        return END

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = copy(self)
        twin.live = self.live.copy()
        return twin

    def release(self, slices: SliceBuffer[object]) -> None:
        """Hold no begin any more."""
        for one in self.live[self.first_open() :]:
            slices.unpin(one.first)

    def set_mark(self, slices: SliceBuffer[object]) -> None:
        """Remember where the step begins, if what is told already must not be told again."""
        if self.settings.output == "discard":
            self.mark = slices.count
            slices.pin(self.mark)

    def clear_mark(self, slices: SliceBuffer[object]) -> None:
        """Forget where the step began."""
        if self.mark is not None:
            slices.unpin(self.mark)
        self.mark = None

    def predates_query(self, start: int) -> bool:
        """Whether the query came too late to see all of a window that begins there (rule 13)."""
        return start <= self.after

    def open(self, slices: SliceBuffer[object], extent: TrackedWindow) -> None:
        """Let a window begin."""
        slices.pin(extent.first)
        self.live.append(extent)

    def close(
        self, slices: SliceBuffer[object], one: TrackedWindow, stop: int, due: float | None
    ) -> TrackedWindow:
        """Fix the content of a window; it holds its begin no more."""
        total, rest = None, None
        if one.told is None or one.told.stop < stop:
            total = slices.fold(one.first, stop)
        if self.mark is not None and self.mark < stop:
            rest = slices.fold(max(one.first, self.mark), stop)
        slices.unpin(one.first)
        return one._replace(stop=stop, total=total, rest=rest, due=due)

    def first_open(self) -> int:
        """Return the index of the first open window: those that have closed come before."""
        return bisect_left(self.live, True, key=is_open)  # noqa: FBT003 - what is looked for

    def close_before(self, slices: SliceBuffer[object], at: TrackedEvent) -> None:
        """Close every window that the event lies behind."""
        for k in range(self.first_open(), len(self.live)):
            one = self.live[k]
            if one.closes > at.coordinate:
                break
            due = one.due if self.measure is TIME or self.fills else at.event.time
            self.live[k] = self.close(slices, one, at.ordinal, due)

    def due_while_open(self, end: float) -> float | None:
        """Return when a window is complete if no further event comes."""
        return end if self.measure is TIME else None if self.fills else END

    def fill(self, at: TrackedEvent) -> None:
        """Let the windows of so many events be complete that end with this one."""
        if self.fills:
            for k in range(self.first_open(), len(self.live)):
                one = self.live[k]
                if one.end > at.rank + 1:
                    break
                self.live[k] = one._replace(due=at.event.time + 1)

    def next_close(self) -> float:
        """Return the least coordinate that closes or fills an open window."""
        at = self.first_open()
        if at == len(self.live):
            return END
        one = self.live[at]
        return one.end - 1 if self.fills and one.due is None else one.closes

    def begins(self) -> set[int]:
        """Return the ordinals that it holds: where the open windows begin."""
        marked = set[int]() if self.mark is None else {self.mark}
        return marked | {one.first for one in self.live[self.first_open() :]}

    def idle(self) -> bool:
        """Whether nothing would be lost if it were made anew for the next event."""
        return False
