"""Trackers: what the discretiser knows of one query and key [Carbone16, sections 3.2 and 5.1].

A tracker pins the slices where windows begin, and folds them where one ends. It never looks at a
value that is aggregated.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left
from contextlib import suppress
from copy import copy, deepcopy
from typing import Generic, Literal, NamedTuple, Self, TypeVar

from muntin.optimized.in_order.slice_buffer import Slices
from muntin.spec.errors import InvalidInputError, UserCodeError, integer
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.user_defined import Machine
from muntin.spec.windows.window import ContextFreeWindow, WindowType

W = TypeVar("W", bound=WindowType)


class EmittedWindow(NamedTuple):
    """The last emission of a window, of the events before the ordinal `stop`."""

    start: int
    end: float
    stop: int
    value: object
    revision: int
    row: int


class TrackedWindow(NamedTuple):
    """A window from the event of ordinal `first` on; to the event before `stop`, once it is closed.

    It closes when an event comes at or beyond `closes`; `row` distinguishes windows that a dialect
    shows with one interval. When it closes, `total` is what it folds to,
    and `rest` is that of the events that came in the step that closed it.
    """

    start: int
    end: float
    first: int
    closes: float
    due: float | None
    stop: int | None = None
    total: object = None
    rest: object = None
    last_emission: EmittedWindow | None = None
    row: int = 0

    def complete_at(self, closing: int) -> float:
        """The least watermark at which it is complete."""
        return END if self.due is None else self.due + closing

    def final_at(self, closing: int) -> float:
        """The least watermark, but for the lateness, at which it is final."""
        return END if self.due is None else self.due + max(0, closing)


class TrackedEvent(NamedTuple):
    """An event, its coordinate, its rank in its query, and its ordinal among the slices."""

    event: Event
    coordinate: int
    rank: int
    ordinal: int


class TrackerConfig(NamedTuple):
    """A query over one key.

    It came too late to see windows that begin up to `visible_after` (rule 13). `query_number` grows
    with the queries.
    """

    query: Query
    settings: Settings
    visible_after: float
    query_number: int


WakeCondition = Literal["never", "until a time", "until a rank", "until a pause"]
"""Which events do not affect a tracker: those before its next edge, or within its gap."""


def is_open(window: TrackedWindow) -> bool:
    """Whether more events may come into a window."""
    return window.stop is None


class WindowTracker(ABC):
    """The windows of one query and key, driven by events in order.

    `windows` holds them in the order in which they close.
    """

    wake_condition: WakeCondition = "never"
    pause: int = 0

    def __init__(self, config: TrackerConfig) -> None:
        """Start with no event."""
        self.query, self.settings, self.visible_after, self.query_number = config
        kind = self.query.window
        self.measure = kind.measure
        self.fills_by_count = self.measure is COUNT and isinstance(kind, ContextFreeWindow)
        self.closing = self.settings.dialect.closing_of(kind.name)
        self.windows: list[TrackedWindow] = []
        self.first_ordinal = -1  # the ordinal of the first event
        self.last_coordinate: int | None = None  # that of the last event that affected it
        self.step_start: int | None = None  # the ordinal of the first event of the step
        self.next_wakeup: float = END  # the watermark at which to emit or evict something
        self.may_reemit = False  # whether an emitted window may hold the next event

    def observe(self, slices: Slices, event: Event) -> None:
        """Ingest an event that affects it, before the slices do."""
        self.first_ordinal = slices.count if self.first_ordinal < 0 else self.first_ordinal
        rank = slices.count - self.first_ordinal
        coordinate = self.measure.coordinate_of(event, rank)
        if self.last_coordinate is not None and coordinate < self.last_coordinate:
            fall = f"falls from {self.last_coordinate} to {coordinate} at {event}"
            raise InvalidInputError(f"measure {self.measure.name!r} {fall}")
        self.place(slices, TrackedEvent(event, coordinate, rank, slices.count))
        self.last_coordinate = coordinate

    @abstractmethod
    def place(self, slices: Slices, arrival: TrackedEvent, /) -> None:
        """Close the windows that end before the event, and open those that begin with it."""

    def next_edge(self) -> float:
        """The least coordinate of an event that may open, fill or close a window."""
        return -END

    def catch_up(self, slices: Slices, last: int, /) -> None:
        """Note the time of the last event, which may not have affected it."""
        del slices, last

    def advance(self, slices: Slices, last_finite: float, limit: float, /) -> None:
        """Apply what depends on the watermark alone: here, nothing."""
        del slices, last_finite, limit

    def next_time_action(self) -> float:
        """The watermark at which `advance` has something to apply."""
        return END

    def copy(self) -> Self:
        """An independent copy."""
        twin = copy(self)
        twin.windows = self.windows.copy()
        return twin

    def release(self, slices: Slices) -> None:
        """Unpin every begin."""
        for begin in self.pins():
            slices.unpin(begin)

    def mark_step_start(self, slices: Slices) -> None:
        """Mark where the step begins, if events emitted before it are left out of updates."""
        if self.settings.output == "discard":
            self.step_start = slices.count
            slices.pin(self.step_start)

    def clear_step_start(self, slices: Slices) -> None:
        """Unpin the begin of the step."""
        if self.step_start is not None:
            slices.unpin(self.step_start)
        self.step_start = None

    def predates_query(self, start: int) -> bool:
        """Whether the query came too late to see all of a window that begins there (rule 13)."""
        return start <= self.visible_after

    def open(self, slices: Slices, window: TrackedWindow) -> None:
        """Begin a window, and pin its first event."""
        slices.pin(window.first)
        self.windows.append(window)

    def close(
        self, slices: Slices, window: TrackedWindow, stop: int, due: float | None
    ) -> TrackedWindow:
        """Fix the content of a window, and unpin its begin."""
        total, rest = None, None
        if window.last_emission is None or window.last_emission.stop < stop:
            total = slices.fold(window.first, stop)
        if self.step_start is not None and self.step_start < stop:
            rest = slices.fold(max(window.first, self.step_start), stop)
        slices.unpin(window.first)
        return window._replace(stop=stop, total=total, rest=rest, due=due)

    def first_open_index(self) -> int:
        """The index of the first open window: those that have closed come before."""
        return bisect_left(self.windows, True, key=is_open)  # noqa: FBT003 - what is looked for

    def close_before(self, slices: Slices, arrival: TrackedEvent) -> None:
        """Close every window that ends before the event."""
        for k in range(self.first_open_index(), len(self.windows)):
            window = self.windows[k]
            if window.closes > arrival.coordinate:
                break
            due = window.due if self.measure is TIME or self.fills_by_count else arrival.event.time
            self.windows[k] = self.close(slices, window, arrival.ordinal, due)

    def due_while_open(self, end: float) -> float | None:
        """When a window is complete if no further event comes."""
        return end if self.measure is TIME else None if self.fills_by_count else END

    def mark_full(self, arrival: TrackedEvent) -> None:
        """Complete the count windows that end with this event."""
        if self.fills_by_count:
            for k in range(self.first_open_index(), len(self.windows)):
                window = self.windows[k]
                if window.end > arrival.rank + 1:
                    break
                self.windows[k] = window._replace(due=arrival.event.time + 1)

    def next_close(self) -> float:
        """The least coordinate that closes or fills an open window."""
        index = self.first_open_index()
        if index == len(self.windows):
            return END
        window = self.windows[index]
        return window.end - 1 if self.fills_by_count and window.due is None else window.closes

    def pins(self) -> list[int]:
        """The ordinals that it pins between steps: where the open windows begin."""
        return [window.first for window in self.windows[self.first_open_index() :]]

    def begins(self) -> set[int]:
        """The ordinals that it pins, also tentatively."""
        return {*self.pins(), *([] if self.step_start is None else [self.step_start])}

    def is_idle(self) -> bool:
        """Whether nothing would be lost if it were made anew for the next event."""
        return False


class KindTracker(WindowTracker, Generic[W]):
    """A tracker that knows the type of its windows."""

    def __init__(self, kind: W, config: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(config)
        self.kind = kind


class MachineTracker(WindowTracker):
    """A tracker that runs a user's machine, which may change the state that it gets."""

    state: object = None

    def copy(self) -> Self:
        """An independent copy; a state that cannot be copied has to be one that never changes."""
        twin = super().copy()
        with suppress(Exception):  # whatever the user's objects raise
            twin.state = deepcopy(self.state)
        return twin

    def run_machine(self, machine: Machine, event: Event) -> tuple[int, int]:
        """The two counts that the machine returns for the next event."""
        try:
            self.state, first, second = machine(self.state, event)
            return integer(first, "a count"), integer(second, "a count")
        except Exception as cause:
            raise UserCodeError(f"a user-defined window at {event} failed: {cause!r}") from cause
