"""Windows that no event can be known to begin: every event is a slice [Carbone16, section 5.4].

As in the Reactive Aggregator, records are stored; those that no window can reach are evicted.
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
    """A tracker of the youngest events one by one: coordinates and ordinals."""

    def __init__(self, config: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(config)
        self.records: list[tuple[int, int]] = []

    def copy(self) -> Self:
        """An independent copy."""
        twin = super().copy()
        twin.records = self.records.copy()
        return twin

    def keep(self, slices: SliceBuffer[object], arrival: TrackedEvent) -> None:
        """Pin an event."""
        slices.pin(arrival.ordinal)
        self.records.append((arrival.coordinate, arrival.ordinal))

    def drop(self, slices: SliceBuffer[object], count: int) -> None:
        """Unpin the oldest events."""
        for _, ordinal in self.records[:count]:
            slices.unpin(ordinal)
        del self.records[:count]

    def begins(self) -> set[int]:
        """The ordinals that it pins: also those of the records."""
        return super().begins() | {ordinal for _, ordinal in self.records}

    def release(self, slices: SliceBuffer[object]) -> None:
        """Unpin every begin."""
        super().release(slices)
        self.drop(slices, len(self.records))


class RollingTracker(RecordTracker):
    """With every n-th event, a window that reaches back by its size."""

    def __init__(self, kind: Rolling, config: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(config)
        self.kind = kind
        self.by_rows = self.settings.dialect.ties == "rows"
        self.row = 0

    def place(self, slices: SliceBuffer[object], arrival: TrackedEvent, /) -> None:
        """Open the window that ends with the event, unless a simultaneous one has."""
        self.close_before(slices, arrival)
        c, start, end = (
            arrival.coordinate,
            arrival.coordinate + 1 - self.kind.size,
            arrival.coordinate + 1,
        )
        self.row = self.row + 1 if self.by_rows and c == self.last_coordinate else int(self.by_rows)
        self.keep(slices, arrival)
        self._drop_before(slices, start)
        is_open = any((last.end, last.row) == (end, self.row) for last in self.windows[-1:])
        if (
            (arrival.rank + 1) % self.kind.every == 0
            and not is_open
            and not self.predates_query(start)
        ):
            first, closes, due = self.records[0][1], end - self.by_rows, self.due_while_open(end)
            self.open(slices, TrackedWindow(start, end, first, closes, due, row=self.row))
        self.mark_full(arrival)

    def advance(self, slices: SliceBuffer[object], last_finite: float, limit: float, /) -> None:
        """Drop the events that no further one can reach."""
        del last_finite
        if self.measure is TIME:
            self._drop_before(slices, limit - self.kind.size + 1)

    def is_idle(self) -> bool:
        """Whether no further event reaches any before it, and none is counted."""
        timely = self.measure is TIME and self.kind.every == 1
        return timely and not self.windows and not self.records

    def next_time_action(self) -> float:
        """The watermark at which the oldest event can be dropped."""
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

    def __init__(self, kind: LastNEvery, config: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(config)
        self.kind = kind
        self.next_end: int | None = None
        self.rank = 0  # of the next event

    def place(self, slices: SliceBuffer[object], arrival: TrackedEvent, /) -> None:
        """Close the windows that have ended, then let the others slide by one event."""
        if self.next_end is None:
            self.next_end = (arrival.event.time // self.kind.every + 1) * self.kind.every
        else:
            self._extend(slices, arrival.event.time)
        self.close_before(slices, arrival)
        self.keep(slices, arrival)
        self.rank = arrival.rank + 1
        self._slide(slices, max(0, self.rank - self.kind.n))
        self.drop(slices, max(0, len(self.records) - self.kind.n))
        self._extend(slices, arrival.event.time)

    def advance(self, slices: SliceBuffer[object], last_finite: float, limit: float, /) -> None:
        """Open the windows up to the first that ends beyond the watermark."""
        del limit
        self._extend(slices, last_finite)

    def next_time_action(self) -> float:
        """The end of the youngest window, which a further one must follow."""
        return END if self.next_end is None else self.next_end - self.kind.every

    def _slide(self, slices: SliceBuffer[object], start: int) -> None:
        first = self.records[max(0, len(self.records) - self.kind.n)][1]
        for k in range(self.first_open_index(), len(self.windows)):
            window = self.windows[k]
            if window.first != first:
                slices.pin(first)
                slices.unpin(window.first)
            self.windows[k] = window._replace(start=start, first=first)

    def _extend(self, slices: SliceBuffer[object], reach: float) -> None:
        """Open the windows up to the first that ends beyond `reach`."""
        start = max(0, self.rank - self.kind.n)
        while self.next_end is not None and self.next_end <= reach + self.kind.every:
            first = self.records[0][1]
            slices.pin(first)
            self.windows.append(
                TrackedWindow(start, self.next_end, first, self.next_end, self.next_end)
            )
            self.next_end += self.kind.every


class TriggerTracker(RecordTracker):
    """A buffer that the user's machine evicts from, and fires."""

    def __init__(self, kind: UserTrigger, config: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(config)
        self.machine = kind.machine
        self.state: object = None
        self.evicted_count = 0

    def copy(self) -> Self:
        """An independent copy: a machine may change the state that it gets."""
        twin = super().copy()
        twin.state = copy_or_same(self.state)
        return twin

    def place(self, slices: SliceBuffer[object], arrival: TrackedEvent, /) -> None:
        """Run the machine, evict, and open the window if it fires."""
        self.close_before(slices, arrival)
        self.keep(slices, arrival)
        evicted, fires = self._run_machine(arrival)
        self.evicted_count += evicted
        self.drop(slices, self.evicted_count - self.records[0][0])
        if fires and self.records:
            end, first = arrival.rank + 1, self.records[0][1]
            self.open(
                slices, TrackedWindow(self.evicted_count, end, first, end, arrival.event.time + 1)
            )

    def _run_machine(self, arrival: TrackedEvent) -> tuple[int, int]:
        try:
            self.state, first, second = self.machine(self.state, arrival.event)
            evicted, fires = integer(first, "a count"), integer(second, "a count")
        except Exception as cause:
            raise UserCodeError(
                f"a user-defined window at {arrival.event} failed: {cause!r}"
            ) from cause
        if evicted < 0:
            where = f"a user-defined window at {arrival.event}"
            raise UserCodeError(f"{where} evicts {evicted} records, below 0")
        return evicted, fires
