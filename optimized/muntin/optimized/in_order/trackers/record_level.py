"""Windows that no event can be known to begin: every event is a slice [Carbone16, section 5.4].

As in the Reactive Aggregator, records are stored; those that no window can reach are evicted.
"""

from bisect import bisect_left
from operator import itemgetter
from typing import Self

from muntin.optimized.in_order.slice_buffer import Slices
from muntin.optimized.in_order.trackers.base import (
    KindTracker,
    MachineTracker,
    TrackedEvent,
    TrackedWindow,
    TrackerConfig,
    W,
)
from muntin.spec.errors import UserCodeError
from muntin.spec.stream import END
from muntin.spec.windows.data_driven import LastNEvery, Rolling
from muntin.spec.windows.measure import TIME
from muntin.spec.windows.user_defined import UserTrigger


class RecordTracker(KindTracker[W]):
    """A tracker of the youngest events one by one: coordinates and ordinals."""

    def __init__(self, kind: W, config: TrackerConfig) -> None:
        """Start with no event."""
        super().__init__(kind, config)
        self.records: list[tuple[int, int]] = []

    def copy(self) -> Self:
        """An independent copy."""
        twin = super().copy()
        twin.records = self.records.copy()
        return twin

    def keep(self, slices: Slices, arrival: TrackedEvent) -> None:
        """Pin an event."""
        slices.pin(arrival.ordinal)
        self.records.append((arrival.coordinate, arrival.ordinal))

    def drop(self, slices: Slices, count: int) -> None:
        """Unpin the oldest events."""
        for _, ordinal in self.records[:count]:
            slices.unpin(ordinal)
        del self.records[:count]

    def pins(self) -> list[int]:
        """The ordinals that it pins: also those of the records."""
        return [*super().pins(), *(ordinal for _, ordinal in self.records)]


class RollingTracker(RecordTracker[Rolling]):
    """With every n-th event, a window that reaches back by its size."""

    row = 0

    def place(self, slices: Slices, arrival: TrackedEvent, /) -> None:
        """Open the window that ends with the event, unless a simultaneous one has."""
        self.close_before(slices, arrival)
        c, end = arrival.coordinate, arrival.coordinate + 1
        start, by_rows = end - self.kind.size, self.settings.dialect.ties == "rows"
        self.row = self.row + 1 if by_rows and c == self.last_coordinate else int(by_rows)
        self.keep(slices, arrival)
        self._drop_before(slices, start)
        is_open = any((last.end, last.row) == (end, self.row) for last in self.windows[-1:])
        is_edge = (arrival.rank + 1) % self.kind.every == 0
        if is_edge and not is_open and not self.predates_query(start):
            first, closes, due = self.records[0][1], end - by_rows, self.due_while_open(end)
            self.open(slices, TrackedWindow(start, end, first, closes, due, row=self.row))
        self.mark_full(arrival)

    def advance(self, slices: Slices, last_finite: float, limit: float, /) -> None:
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

    def _drop_before(self, slices: Slices, coordinate: float) -> None:
        self.drop(slices, bisect_left(self.records, coordinate, key=itemgetter(0)))


class LastNEveryTracker(RecordTracker[LastNEvery]):
    """The last n events before each edge. There is always one window that has not ended."""

    next_end: int | None = None
    rank = 0  # of the next event

    def place(self, slices: Slices, arrival: TrackedEvent, /) -> None:
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

    def advance(self, slices: Slices, last_finite: float, limit: float, /) -> None:
        """Open the windows up to the first that ends beyond the watermark."""
        del limit
        self._extend(slices, last_finite)

    def next_time_action(self) -> float:
        """The end of the youngest window, which a further one must follow."""
        return END if self.next_end is None else self.next_end - self.kind.every

    def _slide(self, slices: Slices, start: int) -> None:
        first = self.records[max(0, len(self.records) - self.kind.n)][1]
        for k in range(self.first_open_index(), len(self.windows)):
            window = self.windows[k]
            if window.first != first:
                slices.pin(first)
                slices.unpin(window.first)
            self.windows[k] = window._replace(start=start, first=first)

    def _extend(self, slices: Slices, reach: float) -> None:
        """Open the windows up to the first that ends beyond `reach`."""
        start = max(0, self.rank - self.kind.n)
        while self.next_end is not None and self.next_end <= reach + self.kind.every:
            first = self.records[0][1]
            slices.pin(first)
            end, self.next_end = self.next_end, self.next_end + self.kind.every
            self.windows.append(TrackedWindow(start, end, first, end, end))


class TriggerTracker(MachineTracker, RecordTracker[UserTrigger]):
    """A buffer that the user's machine evicts from, and fires."""

    evicted_count = 0

    def place(self, slices: Slices, arrival: TrackedEvent, /) -> None:
        """Run the machine, evict, and open the window if it fires."""
        self.close_before(slices, arrival)
        self.keep(slices, arrival)
        evicted, fires = self.run_machine(self.kind.machine, arrival.event)
        if evicted < 0:
            where = f"a user-defined window at {arrival.event}"
            raise UserCodeError(f"{where} evicts {evicted} records, below 0")
        self.evicted_count += evicted
        self.drop(slices, self.evicted_count - self.records[0][0])
        if fires and self.records:
            end, first = arrival.rank + 1, self.records[0][1]
            due = arrival.event.time + 1
            self.open(slices, TrackedWindow(self.evicted_count, end, first, end, due))
