"""Windows whose edges are known only when all events at a coordinate are: cuts, frames, machines.

The last of several simultaneous events may prove that a window begins with the first of them. So
the first event at each coordinate is hinted as a begin until the next coordinate comes.
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
    """A track that may cut before the current group of events."""

    group: SimultaneousEvents | None = None
    endless_due: float | None = END

    def enter(
        self, slices: SliceBuffer[object], at: TrackedEvent
    ) -> tuple[SimultaneousEvents, bool]:
        """Return the group of the event, and whether it is the first there."""
        if self.group is not None and self.group.coordinate == at.coordinate:
            return self.group, False
        self._drop_hint(slices)
        self.group = SimultaneousEvents(at.coordinate, at.ordinal, at.event.time)
        if self.measure is not COUNT:
            slices.pin_tentatively(at.ordinal)
        return self.group, True

    def release(self, slices: SliceBuffer[object]) -> None:
        """Hold no begin any more."""
        super().release(slices)
        self._drop_hint(slices)

    def begins(self) -> set[int]:
        """Return the ordinals that it holds: also that of the group, which may prove to be one."""
        hinted = self.group is not None and self.measure is not COUNT
        return super().begins() | ({self.group.first} if hinted and self.group else set[int]())

    def begin(self, slices: SliceBuffer[object], group: SimultaneousEvents) -> None:
        """Open a window that begins with a group, and has no end yet."""
        due = self.endless_due
        self.open(slices, TrackedWindow(group.coordinate, END, group.first, END, due))

    def end(
        self, slices: SliceBuffer[object], one: TrackedWindow, group: SimultaneousEvents
    ) -> TrackedWindow:
        """Return the window as it is when it ends before a group."""
        due = group.coordinate if self.measure is TIME else group.time
        return self.close(slices, one._replace(end=group.coordinate), group.first, due)

    def _drop_hint(self, slices: SliceBuffer[object]) -> None:
        if self.group is not None and self.measure is not COUNT:
            slices.unhint(self.group.first)


class CutsTracker(FrameTracker):
    """Windows that cover all events, from each cut to the next."""

    def place(self, slices: SliceBuffer[object], at: TrackedEvent, /) -> None:
        """Cut before the group of the event, if the event says so."""
        group, new = self.enter(slices, at)
        cut = self.cuts(at, new=new)
        k = self.first_open()
        if k == len(self.live):
            self.begin(slices, group)
        elif cut and group.coordinate > self.live[k].start:
            self.live[k] = self.end(slices, self.live[k], group)
            self.begin(slices, group)

    @abstractmethod
    def cuts(self, at: TrackedEvent, *, new: bool) -> bool:
        """Whether an event cuts before its group, which may be a new one."""


class PunctuationTracker(CutsTracker):
    """A punctuation cuts."""

    endless_due = None

    def __init__(self, kind: Punctuation, request: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(request)
        self.kind = kind

    def cuts(self, at: TrackedEvent, *, new: bool) -> bool:
        """Whether it is a punctuation."""
        del new
        return bool(self.kind.marks(at.event))


class StateTracker(CutsTracker):
    """A value that differs from the last of the group before cuts."""

    before: tuple[object, ...] = ()
    now: tuple[object, ...] = ()

    def cuts(self, at: TrackedEvent, *, new: bool) -> bool:
        """Whether the state is another."""
        value = at.event.value
        if new:
            self.before = self.now
        self.now = (value,)
        return any(value != last for last in self.before)


def numeric(at: TrackedEvent) -> Number | None:
    """Return the value of an event if it is a number or null."""
    value = at.event.value
    if isinstance(value, bool) or not isinstance(value, Number | None):
        raise InvalidInputError(f"a frame needs numbers, not {value!r} at {at.event}")
    return value


class DeltaTracker(CutsTracker):
    """A value far from the first of the frame cuts."""

    def __init__(self, kind: Delta, request: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(request)
        self.limit = kind.threshold
        self.first: Number | None = None  # of the frame, in earlier groups
        self.here: Number | None = None  # of the group
        self.began: int | None = None  # the coordinate at which the frame begins

    def cuts(self, at: TrackedEvent, *, new: bool) -> bool:
        """Whether the value is far from the first, and the frame began earlier."""
        value = numeric(at)
        if new:
            self.first = self.here if self.first is None else self.first
            self.here = None
        self.began = at.coordinate if self.began is None else self.began
        self.here = value if self.here is None else self.here
        first = self.here if self.first is None else self.first
        if value is None or first is None or -self.limit <= value - first <= self.limit:
            return False
        if at.coordinate > self.began:
            self.first, self.began = None, at.coordinate
        return True


class ThresholdTracker(FrameTracker):
    """Runs of high groups; one that is too short is no window, however it ends."""

    def __init__(self, kind: Threshold, request: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(request)
        self.kind = kind
        self.run: SimultaneousEvents | None = None  # the first group of the run, which is held
        self.past = 0  # the numbers in earlier groups of the run
        self.here = 0  # those in this group
        self.low = False

    def place(self, slices: SliceBuffer[object], at: TrackedEvent, /) -> None:
        """Begin, continue or end a run."""
        value = numeric(at)
        group, new = self.enter(slices, at)
        if new:
            self.past += self.here
            self.here, self.low = 0, False
        if value is None or self.low:
            return
        if value >= self.kind.at_least:
            self.here += 1
            if self.run is None:
                self.run = group
                slices.pin(group.first)
        else:
            self._end_run(slices, group)
        self._show(slices)

    def release(self, slices: SliceBuffer[object]) -> None:
        """Hold no begin any more."""
        super().release(slices)
        if self.run is not None:
            slices.unpin(self.run.first)

    def begins(self) -> set[int]:
        """Return the ordinals that it holds: also where the run begins."""
        return super().begins() | ({self.run.first} if self.run else set[int]())

    def _end_run(self, slices: SliceBuffer[object], group: SimultaneousEvents) -> None:
        self.low, self.here = True, 0
        if self.run is not None:
            self._show(slices)
            if self._shown():
                self.live[-1] = self.end(slices, self.live[-1], group)
            slices.unpin(self.run.first)
        self.run, self.past = None, 0

    def _show(self, slices: SliceBuffer[object]) -> None:
        """Have an open window if and only if the run is long enough."""
        known = self._shown()
        enough = self.run is not None and self.past + self.here >= self.kind.min_count
        if enough and not known and self.run is not None:
            self.begin(slices, self.run)
        elif known and not enough:
            slices.unpin(self.live.pop().first)

    def _shown(self) -> bool:
        """Whether a window is open: it is the last."""
        return bool(self.live) and self.live[-1].stop is None


class UserWindowTracker(FrameTracker):
    """Windows as the user's machine has them; the one that began first ends first."""

    def __init__(self, kind: UserWindow, request: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(request)
        self.machine = kind.machine
        self.state: object = None
        self.begun: tuple[SimultaneousEvents, ...] = ()
        self.total = 0
        self.ended: frozenset[int] = frozenset()  # starts of windows that end at this coordinate

    def copy(self) -> Self:
        """Return an independent copy: a machine may change the state that it gets."""
        twin = super().copy()
        twin.state = copy_or_same(self.state)
        return twin

    def place(self, slices: SliceBuffer[object], at: TrackedEvent, /) -> None:
        """Ask the machine, end windows, then begin some."""
        group, new = self.enter(slices, at)
        self.ended = frozenset() if new else self.ended
        begins, ends = self._ask(at)
        if ends > len(self.begun):
            gone = self.total - len(self.begun) + ends
            raise UserCodeError(f"window {gone} ends at {at.event}, not begun")
        for _ in range(ends):
            self._end_oldest(slices, group)
        self.total += begins
        if begins and group.coordinate not in {one.coordinate for one in self.begun[-1:]}:
            self.begin(slices, group)
        self.begun += (group,) * begins

    def _ask(self, at: TrackedEvent) -> tuple[int, int]:
        try:
            self.state, first, second = self.machine(self.state, at.event)
            begins, ends = integer(first, "a count"), integer(second, "a count")
        except Exception as cause:
            raise UserCodeError(f"a user-defined window at {at.event} failed: {cause!r}") from cause
        if min(begins, ends) < 0:
            where = f"a user-defined window at {at.event}"
            raise UserCodeError(f"{where} counts {begins} and {ends}, below 0")
        return begins, ends

    def _end_oldest(self, slices: SliceBuffer[object], group: SimultaneousEvents) -> None:
        oldest, self.begun = self.begun[0], self.begun[1:]
        start = oldest.coordinate
        k = self.first_open()
        known = start == group.coordinate or start in self.ended
        if not known:
            slices.pin(oldest.first)
            self.live.insert(k, self.end(slices, self.live[k], group))
            k += 1
        if start not in {one.coordinate for one in self.begun[:1]}:
            slices.unpin(oldest.first)
            del self.live[k]
        self.ended |= {start}
