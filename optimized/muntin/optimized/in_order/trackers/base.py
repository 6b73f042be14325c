"""Tracks: what the discretiser knows of one query and key [Carbone16, sections 3.2 and 5.1].

A track tells the slices where windows begin, and asks them for a total where one ends. It never
looks at a value that is aggregated.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left
from copy import copy, deepcopy
from typing import Literal, NamedTuple, Self

from muntin.optimized.in_order.slice_buffer import Slices
from muntin.optimized.in_order.trackers.extent import Extent
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.window import ContextFree


class At(NamedTuple):
    """An event, its coordinate, its rank in its query, and its ordinal among the slices."""

    event: Event
    coordinate: int
    rank: int
    ordinal: int


class Request(NamedTuple):
    """A query over one key.

    It came too late to see windows that begin up to the coordinate `after` (rule 13). `born` grows
    with the first event that it sees of its key, and `nth` with the queries.
    """

    query: Query
    settings: Settings
    after: float
    born: int
    nth: int


def another(state: object) -> object:
    """Return a copy of the state of a user's machine, which may change what it gets.

    A state that cannot be copied is taken as it is: it has to be one that is never changed.
    """
    try:
        return deepcopy(state)
    except Exception:  # noqa: BLE001 - whatever the user's objects raise
        return state


Sleep = Literal["never", "until a time", "until a rank", "until a pause"]
"""Which events are of no concern to a track: those before its next edge, or within its gap."""


def is_open(one: Extent) -> bool:
    """Whether more events may come into a window."""
    return one.stop is None


class Track(ABC):
    """The windows of one query and key, driven by events in order.

    `live` holds its windows in the order in which they close.
    """

    sleeps: Sleep = "never"
    pause: int = 0

    def __init__(self, request: Request) -> None:
        """Start with no event."""
        self.query, self.settings, self.after, self.born, self.nth = request
        kind = self.query.window
        self.measure = kind.measure
        self.fills = self.measure is COUNT and isinstance(kind, ContextFree)
        self.closing = self.settings.dialect.closing_of(kind.name)
        self.live: list[Extent] = []
        self.base = -1  # the ordinal of the first event
        self.last: int | None = None  # the coordinate of the last event that concerned it
        self.mark: int | None = None  # the ordinal of the first event of the step
        self.wake: float = END  # the watermark at which there is something to report or forget
        self.retold = False  # whether a window was told of that the next event may still be in

    def observe(self, slices: Slices[object], event: Event) -> None:
        """Take in an event that concerns it, before the slices do."""
        self.base = slices.count if self.base < 0 else self.base
        rank = slices.count - self.base
        coordinate = self.measure.at(event, rank)
        if self.last is not None and coordinate < self.last:
            fall = f"measure {self.measure.name!r} falls from {self.last} to {coordinate}"
            raise InvalidInputError(f"{fall} at {event}")
        self.place(slices, At(event, coordinate, rank, slices.count))
        self.last = coordinate

    @abstractmethod
    def place(self, slices: Slices[object], at: At, /) -> None:
        """Close the windows that end before the event, and open those that begin with it."""

    def edge(self) -> float:
        """Return the least coordinate of an event that may open, fill or close a window."""
        return -END

    def catch_up(self, slices: Slices[object], last: int, /) -> None:
        """Take note of the time of the last event, which may not have concerned it."""
        del slices, last

    def advance(self, slices: Slices[object], reached: float, limit: float, /) -> None:
        """Do what is due because of time alone: here, nothing."""
        del slices, reached, limit

    def stirs(self) -> float:
        """Return the watermark at which there is something to do because of time alone."""
        return END

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = copy(self)
        twin.live = self.live.copy()
        return twin

    def release(self, slices: Slices[object]) -> None:
        """Hold no begin any more."""
        for one in self.live[self.first_open() :]:
            slices.unpin(one.first)

    def set_mark(self, slices: Slices[object]) -> None:
        """Remember where the step begins, if what is told already must not be told again."""
        if self.settings.output == "discard":
            self.mark = slices.count
            slices.pin(self.mark)

    def clear_mark(self, slices: Slices[object]) -> None:
        """Forget where the step began."""
        if self.mark is not None:
            slices.unpin(self.mark)
        self.mark = None

    def early(self, start: int) -> bool:
        """Whether the query came too late to see all of a window that begins there (rule 13)."""
        return start <= self.after

    def open(self, slices: Slices[object], extent: Extent) -> None:
        """Let a window begin."""
        slices.pin(extent.first)
        self.live.append(extent)

    def close(self, slices: Slices[object], one: Extent, stop: int, due: float | None) -> Extent:
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

    def close_before(self, slices: Slices[object], at: At) -> None:
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

    def fill(self, at: At) -> None:
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
