"""Windows that no event can be known to begin: every event is a slice [Carbone16, section 5.4].

As in the Reactive Aggregator, records are what is stored; those that no window can reach go.
"""

from typing import Self

from muntin.optimized.in_order.slice_buffer import SliceBuffer
from muntin.optimized.in_order.trackers.base import (
    TrackedEvent,
    TrackedWindow,
    TrackerConfig,
    WindowTracker,
    copy_or_same,
)
from muntin.spec.errors import UserCodeError, integer
from muntin.spec.stream import END
from muntin.spec.windows.data_driven import LastNEvery, Rolling
from muntin.spec.windows.measure import TIME
from muntin.spec.windows.user_defined import UserTrigger


class RecordTracker(WindowTracker):
    """A track that holds the youngest events one by one: coordinates and ordinals."""

    def __init__(self, request: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(request)
        self.records: list[tuple[int, int]] = []

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = super().copy()
        twin.records = self.records.copy()
        return twin

    def keep(self, slices: SliceBuffer[object], at: TrackedEvent) -> None:
        """Hold an event."""
        slices.pin(at.ordinal)
        self.records.append((at.coordinate, at.ordinal))

    def drop(self, slices: SliceBuffer[object], count: int) -> None:
        """Hold the oldest ones no more."""
        for _, ordinal in self.records[:count]:
            slices.unpin(ordinal)
        del self.records[:count]

    def begins(self) -> set[int]:
        """Return the ordinals that it holds: also those of the records."""
        return super().begins() | {ordinal for _, ordinal in self.records}

    def release(self, slices: SliceBuffer[object]) -> None:
        """Hold no begin any more."""
        super().release(slices)
        self.drop(slices, len(self.records))


class RollingTracker(RecordTracker):
    """With every n-th event, a window of the last so many units."""

    def __init__(self, kind: Rolling, request: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(request)
        self.kind = kind
        self.rows = self.settings.dialect.ties == "rows"
        self.row = 0

    def place(self, slices: SliceBuffer[object], at: TrackedEvent, /) -> None:
        """Open the window that ends with the event, unless a simultaneous one has."""
        self.close_before(slices, at)
        c, start, end = at.coordinate, at.coordinate + 1 - self.kind.size, at.coordinate + 1
        self.row = self.row + 1 if self.rows and c == self.last else int(self.rows)
        self.keep(slices, at)
        self._drop_before(slices, start)
        known = any((one.end, one.row) == (end, self.row) for one in self.live[-1:])
        if (at.rank + 1) % self.kind.every == 0 and not known and not self.predates_query(start):
            first, closes, due = self.records[0][1], end - self.rows, self.due_while_open(end)
            self.open(slices, TrackedWindow(start, end, first, closes, due, row=self.row))
        self.fill(at)

    def advance(self, slices: SliceBuffer[object], reached: float, limit: float, /) -> None:
        """Drop the events that no further one can reach."""
        del reached
        if self.measure is TIME:
            self._drop_before(slices, limit - self.kind.size + 1)

    def idle(self) -> bool:
        """Whether no further event reaches any before it, and none is counted."""
        timely = self.measure is TIME and self.kind.every == 1
        return timely and not self.live and not self.records

    def next_time_action(self) -> float:
        """Return when the oldest event can be dropped."""
        if self.measure is not TIME or not self.records:
            return END
        return self.records[0][0] + self.kind.size + self.settings.allowed_lateness

    def _drop_before(self, slices: SliceBuffer[object], coordinate: float) -> None:
        count = 0
        while count < len(self.records) and self.records[count][0] < coordinate:
            count += 1
        self.drop(slices, count)


class LastNEveryTracker(RecordTracker):
    """The last n events before each edge. There is always one window that has not ended."""

    def __init__(self, kind: LastNEvery, request: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(request)
        self.kind = kind
        self.next: int | None = None
        self.rank = 0  # of the next event

    def place(self, slices: SliceBuffer[object], at: TrackedEvent, /) -> None:
        """Close the windows that have ended, then let the others slide by one event."""
        if self.next is None:
            self.next = (at.event.time // self.kind.every + 1) * self.kind.every
        else:
            self._extend(slices, at.event.time)
        self.close_before(slices, at)
        self.keep(slices, at)
        self.rank = at.rank + 1
        self._slide(slices, max(0, self.rank - self.kind.n))
        self.drop(slices, max(0, len(self.records) - self.kind.n))
        self._extend(slices, at.event.time)

    def advance(self, slices: SliceBuffer[object], reached: float, limit: float, /) -> None:
        """Open the windows up to the first that ends beyond the watermark."""
        del limit
        self._extend(slices, reached)

    def next_time_action(self) -> float:
        """Return the end of the youngest window, which must not be the last."""
        return END if self.next is None else self.next - self.kind.every

    def _slide(self, slices: SliceBuffer[object], start: int) -> None:
        first = self.records[max(0, len(self.records) - self.kind.n)][1]
        for k in range(self.first_open(), len(self.live)):
            one = self.live[k]
            if one.first != first:
                slices.pin(first)
                slices.unpin(one.first)
            self.live[k] = one._replace(start=start, first=first)

    def _extend(self, slices: SliceBuffer[object], reach: float) -> None:
        """Open the windows up to the first that ends beyond `reach`."""
        start = max(0, self.rank - self.kind.n)
        while self.next is not None and self.next <= reach + self.kind.every:
            first = self.records[0][1]
            slices.pin(first)
            self.live.append(TrackedWindow(start, self.next, first, self.next, self.next))
            self.next += self.kind.every


class TriggerTracker(RecordTracker):
    """A buffer that the user's machine evicts from, and fires."""

    def __init__(self, kind: UserTrigger, request: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(request)
        self.machine = kind.machine
        self.state: object = None
        self.gone = 0

    def copy(self) -> Self:
        """Return an independent copy: a machine may change the state that it gets."""
        twin = super().copy()
        twin.state = copy_or_same(self.state)
        return twin

    def place(self, slices: SliceBuffer[object], at: TrackedEvent, /) -> None:
        """Ask the machine, evict, and open the window if it fires."""
        self.close_before(slices, at)
        self.keep(slices, at)
        evicted, fires = self._ask(at)
        self.gone += evicted
        self.drop(slices, self.gone - self.records[0][0])
        if fires and self.records:
            end, first = at.rank + 1, self.records[0][1]
            self.open(slices, TrackedWindow(self.gone, end, first, end, at.event.time + 1))

    def _ask(self, at: TrackedEvent) -> tuple[int, int]:
        try:
            self.state, first, second = self.machine(self.state, at.event)
            evicted, fires = integer(first, "a count"), integer(second, "a count")
        except Exception as cause:
            raise UserCodeError(f"a user-defined window at {at.event} failed: {cause!r}") from cause
        if evicted < 0:
            where = f"a user-defined window at {at.event}"
            raise UserCodeError(f"{where} evicts {evicted} records, below 0")
        return evicted, fires
