"""The window manager for windows whose edges are known beforehand: they are never retracted."""

from collections.abc import Sequence
from operator import attrgetter

from muntin.optimized.common.user_code import fold_checked
from muntin.optimized.scotty.emission.window_manager import (
    EmittedResult,
    KeyView,
    ResultChange,
    WindowManager,
)
from muntin.optimized.scotty.schedules.base import SeenRange, WindowSchedule
from muntin.optimized.scotty.watermark import StepWatermarks
from muntin.spec.dialect import Dialect
from muntin.spec.query import Query
from muntin.spec.stream import END, Event
from muntin.spec.windows.window import Interval


class ScheduledWindows(WindowManager):
    """Windows whose edges are known beforehand. They are never retracted."""

    def __init__(
        self, query: Query, since: float, dialect: Dialect, schedule: WindowSchedule
    ) -> None:
        """Start with nothing published."""
        super().__init__(query, since, dialect)
        self._schedule = schedule
        self._depends_on_first_time = dialect.first_window == "floor_first"
        self._emitted_first_time: float = END  # the first time seen, at the last emission

    def is_on_time(self, event: Event, limit: float, key: KeyView) -> bool | None:
        """Whether some window that holds the event is not final."""
        end = self._schedule.last_completion(event.time, key.seen)
        return None if end is None else self.final_time(end) > limit

    def next_completion(self, time: float, key: KeyView) -> float:
        """When the first window that holds a slice completes; it may have yet to exist."""
        later = key.seen._replace(last_finite=max(time, key.seen.last_finite))
        windows = self._schedule.windows_ending_in(time, END, later, key.slices.next_slice_time)
        window = next(windows, None)
        return END if window is None else self._schedule.completion_time(window)

    def changes(self, watermarks: StepWatermarks, key: KeyView) -> list[ResultChange]:
        """New results for the windows that completed, updates for those with a late event."""
        windows = self._windows_to_emit(watermarks, key)
        changes = [self._change(window, watermarks, key) for window in windows]
        return [change for change in changes if change]

    def _windows_to_emit(self, watermarks: StepWatermarks, key: KeyView) -> dict[Interval, None]:
        """The windows that completed in this step, and complete ones that a late event changes."""
        low, high = watermarks.emission_range(self.closing)
        seen, next_slice_time = key.seen, key.slices.next_slice_time
        windows = dict[Interval, None]()
        if low < high:
            completed = self._schedule.windows_ending_in(low, high, seen, next_slice_time)
            windows = dict.fromkeys(completed)
        if watermarks.new_windows_only:
            return windows
        times = {lifted.accepted.event.time for lifted in key.late_events}
        for time in times:
            if self.since < time < low:
                windows |= dict.fromkeys(self._schedule.windows_containing(time, low, seen))
        moved = seen.first < self._emitted_first_time  # makes windows that the event is not in
        if low == END or (self._depends_on_first_time and moved):
            complete = self._schedule.windows_ending_in(-END, high, seen, next_slice_time)
            windows |= dict.fromkeys(window for window in complete if window not in self.published)
        return windows

    def _change(
        self, window: Interval, watermarks: StepWatermarks, key: KeyView
    ) -> ResultChange | None:
        """The result of a window, unless it holds no slice or is final already."""
        low, high = self._schedule.span(window)
        final_at = self.final_time(self._schedule.completion_time(window))
        published = self.published.get(window)
        first_slice, end_slice = key.slices.indices_between(low, high)
        if first_slice == end_slice or final_at <= watermarks.final_until_before:
            return None
        if published and watermarks.settings.output == "discard":
            late = [entry for entry in key.late_events if low <= entry.order[0] < high]
            partials = [entry.partial for entry in sorted(late, key=attrgetter("order"))]
            value = self.value(window, lambda: fold_checked(self.query.aggregate.monoid, partials))
        else:
            value = self.value(window, lambda: key.slices.fold(first_slice, end_slice))
        revision = published.revision + 1 if published else 0
        result = EmittedResult(value, revision, final_at)
        return ResultChange("updated" if published else "new", window, result)

    def commit(self, changes: Sequence[ResultChange], now: float, seen: SeenRange) -> None:
        """Record what was emitted."""
        super().commit(changes, now, seen)
        self._emitted_first_time = seen.first
