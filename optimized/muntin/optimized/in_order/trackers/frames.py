"""Windows whose edges are known only when all events at a coordinate are: cuts, frames, machines.

The last of several simultaneous events may prove that a window begins with the first of them. So
the first event at each coordinate is pinned tentatively until the next coordinate comes.
"""

from abc import abstractmethod
from typing import NamedTuple

from muntin.optimized.in_order.slice_buffer import Slices
from muntin.optimized.in_order.trackers.base import (
    KindTracker,
    MachineTracker,
    TrackedEvent,
    TrackedWindow,
    W,
)
from muntin.spec.algebra.values import Number
from muntin.spec.errors import InvalidInputError, UserCodeError
from muntin.spec.stream import END
from muntin.spec.windows.data_driven import Punctuation
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.user_defined import UserWindow


class SimultaneousEvents(NamedTuple):
    """A coordinate, and the ordinal and time of the first event at it."""

    coordinate: int
    first: int
    time: int


class FrameTracker(KindTracker[W]):
    """A tracker that may cut before the current group of events."""

    group: SimultaneousEvents | None = None
    endless_due: float | None = END

    def enter(self, slices: Slices, arrival: TrackedEvent) -> tuple[SimultaneousEvents, bool]:
        """The group of the event, and whether it is the first in it."""
        if self.group is not None and self.group.coordinate == arrival.coordinate:
            return self.group, False
        self._unpin_group(slices)
        self.group = SimultaneousEvents(arrival.coordinate, arrival.ordinal, arrival.event.time)
        if self.measure is not COUNT:
            slices.pin_tentatively(arrival.ordinal)
        return self.group, True

    def release(self, slices: Slices) -> None:
        """Unpin every begin."""
        super().release(slices)
        self._unpin_group(slices)

    def begins(self) -> set[int]:
        """The ordinals that it pins: also that of the group, which may prove to be a begin."""
        pinned = self.group is not None and self.measure is not COUNT
        return super().begins() | ({self.group.first} if pinned and self.group else set[int]())

    def begin(self, slices: Slices, group: SimultaneousEvents) -> None:
        """Open a window that begins with a group, and has no end yet."""
        due = self.endless_due
        self.open(slices, TrackedWindow(group.coordinate, END, group.first, END, due))

    def end(
        self, slices: Slices, window: TrackedWindow, group: SimultaneousEvents
    ) -> TrackedWindow:
        """The window as it is when it ends before a group."""
        due = group.coordinate if self.measure is TIME else group.time
        return self.close(slices, window._replace(end=group.coordinate), group.first, due)

    def _unpin_group(self, slices: Slices) -> None:
        if self.group is not None and self.measure is not COUNT:
            slices.unpin_tentative(self.group.first)


class CutsTracker(FrameTracker[W]):
    """Windows that cover all events, from each cut to the next."""

    def place(self, slices: Slices, arrival: TrackedEvent, /) -> None:
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


class PunctuationTracker(CutsTracker[Punctuation]):
    """A punctuation cuts."""

    endless_due = None

    def is_cut(self, arrival: TrackedEvent, *, new: bool) -> bool:
        """Whether it is a punctuation."""
        del new
        return bool(self.kind.marks(arrival.event))


class StateTracker(CutsTracker[State]):
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


class DeltaTracker(CutsTracker[Delta]):
    """A value far from the first of the frame cuts."""

    first: Number | None = None  # of the frame, in earlier groups
    group_value: Number | None = None  # the first of the group
    frame_start: int | None = None  # the coordinate at which the frame begins

    def is_cut(self, arrival: TrackedEvent, *, new: bool) -> bool:
        """Whether the value is far from the first, and the frame began earlier."""
        value = number_of(arrival)
        if new:
            self.first = self.group_value if self.first is None else self.first
            self.group_value = None
        self.frame_start = arrival.coordinate if self.frame_start is None else self.frame_start
        self.group_value = value if self.group_value is None else self.group_value
        first = self.group_value if self.first is None else self.first
        limit = self.kind.threshold
        if value is None or first is None or -limit <= value - first <= limit:
            return False
        if arrival.coordinate > self.frame_start:
            self.first, self.frame_start = None, arrival.coordinate
        return True


class ThresholdTracker(FrameTracker[Threshold]):
    """Runs of high groups; one that is too short is no window, however it ends."""

    run: SimultaneousEvents | None = None  # the first group of the run, which is pinned
    in_earlier_groups = 0  # the numbers in earlier groups of the run
    in_group = 0  # those in this group
    group_is_low = False

    def place(self, slices: Slices, arrival: TrackedEvent, /) -> None:
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

    def pins(self) -> list[int]:
        """The ordinals that it pins: also where the run begins."""
        return [*super().pins(), *([self.run.first] if self.run else [])]

    def _end_run(self, slices: Slices, group: SimultaneousEvents) -> None:
        self.group_is_low, self.in_group = True, 0
        if self.run is not None:
            self._update_window(slices)
            if self._is_shown():
                self.windows[-1] = self.end(slices, self.windows[-1], group)
            slices.unpin(self.run.first)
        self.run, self.in_earlier_groups = None, 0

    def _update_window(self, slices: Slices) -> None:
        """Have an open window if and only if the run is long enough."""
        is_shown = self._is_shown()
        count = self.in_earlier_groups + self.in_group
        enough = self.run is not None and count >= self.kind.min_count
        if enough and not is_shown and self.run is not None:
            self.begin(slices, self.run)
        elif is_shown and not enough:
            slices.unpin(self.windows.pop().first)

    def _is_shown(self) -> bool:
        """Whether a window is open: it is the last."""
        return bool(self.windows) and self.windows[-1].stop is None


class UserWindowTracker(MachineTracker, FrameTracker[UserWindow]):
    """Windows as the user's machine has them; the one that began first ends first."""

    open_begins: tuple[SimultaneousEvents, ...] = ()
    begun_count = 0
    ended_starts = frozenset[int]()  # of windows that end at this coordinate

    def place(self, slices: Slices, arrival: TrackedEvent, /) -> None:
        """Run the machine, end windows, then begin some."""
        group, new = self.enter(slices, arrival)
        self.ended_starts = frozenset[int]() if new else self.ended_starts
        begins, ends = self.run_machine(self.kind.machine, arrival.event)
        if min(begins, ends) < 0:
            where = f"a user-defined window at {arrival.event}"
            raise UserCodeError(f"{where} counts {begins} and {ends}, below 0")
        if ends > len(self.open_begins):
            number = self.begun_count - len(self.open_begins) + ends
            raise UserCodeError(f"window {number} ends at {arrival.event}, not begun")
        for _ in range(ends):
            self._end_oldest(slices, group)
        self.begun_count += begins
        if begins and group.coordinate not in {begin.coordinate for begin in self.open_begins[-1:]}:
            self.begin(slices, group)
        self.open_begins += (group,) * begins

    def _end_oldest(self, slices: Slices, group: SimultaneousEvents) -> None:
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
