"""Windows whose edges are known only when all events at a coordinate are: cuts, frames, machines.

The last of several simultaneous events may prove that a window begins with the first of them. So
the first event at each coordinate is pinned tentatively until the next coordinate comes.
"""

from abc import abstractmethod
from typing import NamedTuple, Self

from muntin.optimized.in_order.slice_buffer import SliceBuffer
from muntin.optimized.in_order.trackers.base import (
    TrackedEvent,
    TrackedWindow,
    TrackerConfig,
    WindowTracker,
    copy_or_same,
)
from muntin.spec.algebra.values import Number
from muntin.spec.errors import InvalidInputError, UserCodeError, integer
from muntin.spec.stream import END
from muntin.spec.windows.data_driven import Punctuation
from muntin.spec.windows.frames import Delta, Threshold
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.user_defined import UserWindow


class SimultaneousEvents(NamedTuple):
    """A coordinate, and the ordinal and time of the first event at it."""

    coordinate: int
    first: int
    time: int


class FrameTracker(WindowTracker):
    """A tracker that may cut before the current group of events."""

    group: SimultaneousEvents | None = None
    endless_due: float | None = END

    def enter(
        self, slices: SliceBuffer[object], arrival: TrackedEvent
    ) -> tuple[SimultaneousEvents, bool]:
        """The group of the event, and whether it is the first in it."""
        if self.group is not None and self.group.coordinate == arrival.coordinate:
            return self.group, False
        self._unpin_group(slices)
        self.group = SimultaneousEvents(arrival.coordinate, arrival.ordinal, arrival.event.time)
        if self.measure is not COUNT:
            slices.pin_tentatively(arrival.ordinal)
        return self.group, True

    def release(self, slices: SliceBuffer[object]) -> None:
        """Unpin every begin."""
        super().release(slices)
        self._unpin_group(slices)

    def begins(self) -> set[int]:
        """The ordinals that it pins: also that of the group, which may prove to be a begin."""
        pinned = self.group is not None and self.measure is not COUNT
        return super().begins() | ({self.group.first} if pinned and self.group else set[int]())

    def begin(self, slices: SliceBuffer[object], group: SimultaneousEvents) -> None:
        """Open a window that begins with a group, and has no end yet."""
        due = self.endless_due
        self.open(slices, TrackedWindow(group.coordinate, END, group.first, END, due))

    def end(
        self, slices: SliceBuffer[object], window: TrackedWindow, group: SimultaneousEvents
    ) -> TrackedWindow:
        """The window as it is when it ends before a group."""
        due = group.coordinate if self.measure is TIME else group.time
        return self.close(slices, window._replace(end=group.coordinate), group.first, due)

    def _unpin_group(self, slices: SliceBuffer[object]) -> None:
        if self.group is not None and self.measure is not COUNT:
            slices.unpin_tentative(self.group.first)


class CutsTracker(FrameTracker):
    """Windows that cover all events, from each cut to the next."""

    def place(self, slices: SliceBuffer[object], arrival: TrackedEvent, /) -> None:
        """Cut before the group of the event, if the event cuts."""
        group, new = self.enter(slices, arrival)
        cut = self.is_cut(arrival, new=new)
        k = self.first_open_index()
        if k == len(self.windows):
            self.begin(slices, group)
        elif cut and group.coordinate > self.windows[k].start:
            self.windows[k] = self.end(slices, self.windows[k], group)
            self.begin(slices, group)

    @abstractmethod
    def is_cut(self, arrival: TrackedEvent, *, new: bool) -> bool:
        """Whether an event cuts before its group, which may be a new one."""


class PunctuationTracker(CutsTracker):
    """A punctuation cuts."""

    endless_due = None

    def __init__(self, kind: Punctuation, config: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(config)
        self.kind = kind

    def is_cut(self, arrival: TrackedEvent, *, new: bool) -> bool:
        """Whether it is a punctuation."""
        del new
        return bool(self.kind.marks(arrival.event))


class StateTracker(CutsTracker):
    """A value that differs from the last of the group before cuts."""

    previous: tuple[object, ...] = ()
    current: tuple[object, ...] = ()

    def is_cut(self, arrival: TrackedEvent, *, new: bool) -> bool:
        """Whether the state differs from the last of the group before."""
        value = arrival.event.value
        if new:
            self.previous = self.current
        self.current = (value,)
        return any(value != last for last in self.previous)


def number_of(arrival: TrackedEvent) -> Number | None:
    """The value of an event if it is a number or null."""
    value = arrival.event.value
    if isinstance(value, bool) or not isinstance(value, Number | None):
        raise InvalidInputError(f"a frame needs numbers, not {value!r} at {arrival.event}")
    return value


class DeltaTracker(CutsTracker):
    """A value far from the first of the frame cuts."""

    def __init__(self, kind: Delta, config: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(config)
        self.limit = kind.threshold
        self.first: Number | None = None  # of the frame, in earlier groups
        self.group_value: Number | None = None  # the first of the group
        self.frame_start: int | None = None  # the coordinate at which the frame begins

    def is_cut(self, arrival: TrackedEvent, *, new: bool) -> bool:
        """Whether the value is far from the first, and the frame began earlier."""
        value = number_of(arrival)
        if new:
            self.first = self.group_value if self.first is None else self.first
            self.group_value = None
        self.frame_start = arrival.coordinate if self.frame_start is None else self.frame_start
        self.group_value = value if self.group_value is None else self.group_value
        first = self.group_value if self.first is None else self.first
        if value is None or first is None or -self.limit <= value - first <= self.limit:
            return False
        if arrival.coordinate > self.frame_start:
            self.first, self.frame_start = None, arrival.coordinate
        return True


class ThresholdTracker(FrameTracker):
    """Runs of high groups; one that is too short is no window, however it ends."""

    def __init__(self, kind: Threshold, config: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(config)
        self.kind = kind
        self.run: SimultaneousEvents | None = None  # the first group of the run, which is pinned
        self.in_earlier_groups = 0  # the numbers in earlier groups of the run
        self.in_group = 0  # those in this group
        self.group_is_low = False

    def place(self, slices: SliceBuffer[object], arrival: TrackedEvent, /) -> None:
        """Begin, continue or end a run."""
        value = number_of(arrival)
        group, new = self.enter(slices, arrival)
        if new:
            self.in_earlier_groups += self.in_group
            self.in_group, self.group_is_low = 0, False
        if value is None or self.group_is_low:
            return
        if value >= self.kind.at_least:
            self.in_group += 1
            if self.run is None:
                self.run = group
                slices.pin(group.first)
        else:
            self._end_run(slices, group)
        self._update_window(slices)

    def release(self, slices: SliceBuffer[object]) -> None:
        """Unpin every begin."""
        super().release(slices)
        if self.run is not None:
            slices.unpin(self.run.first)

    def begins(self) -> set[int]:
        """The ordinals that it pins: also where the run begins."""
        return super().begins() | ({self.run.first} if self.run else set[int]())

    def _end_run(self, slices: SliceBuffer[object], group: SimultaneousEvents) -> None:
        self.group_is_low, self.in_group = True, 0
        if self.run is not None:
            self._update_window(slices)
            if self._is_shown():
                self.windows[-1] = self.end(slices, self.windows[-1], group)
            slices.unpin(self.run.first)
        self.run, self.in_earlier_groups = None, 0

    def _update_window(self, slices: SliceBuffer[object]) -> None:
        """Have an open window if and only if the run is long enough."""
        is_shown = self._is_shown()
        enough = (
            self.run is not None and self.in_earlier_groups + self.in_group >= self.kind.min_count
        )
        if enough and not is_shown and self.run is not None:
            self.begin(slices, self.run)
        elif is_shown and not enough:
            slices.unpin(self.windows.pop().first)

    def _is_shown(self) -> bool:
        """Whether a window is open: it is the last."""
        return bool(self.windows) and self.windows[-1].stop is None


class UserWindowTracker(FrameTracker):
    """Windows as the user's machine has them; the one that began first ends first."""

    def __init__(self, kind: UserWindow, config: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(config)
        self.machine = kind.machine
        self.state: object = None
        self.open_begins: tuple[SimultaneousEvents, ...] = ()
        self.begun_count = 0
        self.ended_starts = frozenset[int]()  # of windows that end at this coordinate

    def copy(self) -> Self:
        """An independent copy: a machine may change the state that it gets."""
        twin = super().copy()
        twin.state = copy_or_same(self.state)
        return twin

    def place(self, slices: SliceBuffer[object], arrival: TrackedEvent, /) -> None:
        """Run the machine, end windows, then begin some."""
        group, new = self.enter(slices, arrival)
        self.ended_starts = frozenset[int]() if new else self.ended_starts
        begins, ends = self._run_machine(arrival)
        if ends > len(self.open_begins):
            number = self.begun_count - len(self.open_begins) + ends
            raise UserCodeError(f"window {number} ends at {arrival.event}, not begun")
        for _ in range(ends):
            self._end_oldest(slices, group)
        self.begun_count += begins
        if begins and group.coordinate not in {begin.coordinate for begin in self.open_begins[-1:]}:
            self.begin(slices, group)
        self.open_begins += (group,) * begins

    def _run_machine(self, arrival: TrackedEvent) -> tuple[int, int]:
        try:
            self.state, first, second = self.machine(self.state, arrival.event)
            begins, ends = integer(first, "a count"), integer(second, "a count")
        except Exception as cause:
            raise UserCodeError(
                f"a user-defined window at {arrival.event} failed: {cause!r}"
            ) from cause
        if min(begins, ends) < 0:
            where = f"a user-defined window at {arrival.event}"
            raise UserCodeError(f"{where} counts {begins} and {ends}, below 0")
        return begins, ends

    def _end_oldest(self, slices: SliceBuffer[object], group: SimultaneousEvents) -> None:
        oldest, self.open_begins = self.open_begins[0], self.open_begins[1:]
        start = oldest.coordinate
        k = self.first_open_index()
        has_ended = start == group.coordinate or start in self.ended_starts
        if not has_ended:
            slices.pin(oldest.first)
            self.windows.insert(k, self.end(slices, self.windows[k], group))
            k += 1
        if start not in {begin.coordinate for begin in self.open_begins[:1]}:
            slices.unpin(oldest.first)
            del self.windows[k]
        self.ended_starts |= {start}
