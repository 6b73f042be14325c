"""The window manager for windows whose edges are known beforehand: they are never retracted."""

from collections.abc import Sequence

from muntin.optimized.common.user_code import fold_checked
from muntin.optimized.scotty.emission.window_manager import (
    EmittedResult,
    ResultChange,
    WindowManager,
)
from muntin.optimized.scotty.schedules.base import SeenRange, WindowSchedule
from muntin.optimized.scotty.slices.slice import LiftedEvent
from muntin.optimized.scotty.slices.slice_manager import SliceManager
from muntin.optimized.scotty.watermark import StepWatermarks
from muntin.spec.dialect import Dialect
from muntin.spec.query import Query
from muntin.spec.stream import END, Event
from muntin.spec.windows.window import Interval


class ScheduledWindows(WindowManager):
    """Windows whose edges are known beforehand. They are never retracted."""

    def __init__(
        self, query: Query, since: float, dialect: Dialect, calendar: WindowSchedule
    ) -> None:
        """Start with nothing published."""
        super().__init__(query, since, dialect)
        self._calendar = calendar
        self._moves = dialect.first_window == "floor_first"
        self._first: float = END  # the first time seen, when the last report was made

    def is_on_time(
        self, event: Event, limit: float, slices: SliceManager, extent: SeenRange
    ) -> bool | None:
        """Whether a window of the event is not frozen."""
        del slices
        end = self._calendar.last_end(event.time, extent)
        return None if end is None else self.settles(end) > limit

    def due(self, after: float, slices: SliceManager, extent: SeenRange) -> float:
        """Return when the first window is past that holds a slice; it may have yet to exist."""
        then = extent if extent.reached >= after else extent._replace(reached=after)
        found = next(
            self._calendar.windows_ending_in(after, END, then, slices.next_slice_time), None
        )
        return END if found is None else self._calendar.completion_time(found)

    def changes(
        self,
        moment: StepWatermarks,
        slices: SliceManager,
        late: Sequence[LiftedEvent],
        extent: SeenRange,
    ) -> list[ResultChange]:
        """Report the windows that have ended, and those that had and hold a late event."""
        found = self._to_report(moment, slices, late, extent)
        changes = [self._change(one, moment, slices, late) for one in found]
        return [change for change in changes if change]

    def _to_report(
        self,
        moment: StepWatermarks,
        slices: SliceManager,
        late: Sequence[LiftedEvent],
        extent: SeenRange,
    ) -> dict[Interval, None]:
        low, high = moment.reporting(self.closing)
        fresh = (
            self._calendar.windows_ending_in(low, high, extent, slices.next_slice_time)
            if low < high
            else ()
        )
        found = dict.fromkeys(fresh)
        if moment.only_fresh:
            return found
        times = {one.accepted.event.time for one in late}
        for time in times:
            if self.since < time < low:
                found |= dict.fromkeys(self._calendar.windows_containing(time, low, extent))
        makes = self._moves and extent.first < self._first  # windows that the event is not in
        if low == END or makes:
            ended = self._calendar.windows_ending_in(-END, high, extent, slices.next_slice_time)
            found |= dict.fromkeys(one for one in ended if one not in self.published)
        return found

    def _change(
        self,
        one: Interval,
        moment: StepWatermarks,
        slices: SliceManager,
        late: Sequence[LiftedEvent],
    ) -> ResultChange | None:
        low, high = self._calendar.span(one)
        settles, known = self.settles(self._calendar.completion_time(one)), self.published.get(one)
        first, last = slices.between(low, high)
        if first == last or settles <= moment.done_before:
            return None
        if known and moment.settings.output == "discard":
            fresh = [entry for entry in late if low <= entry.accepted.event.time < high]
            parts = [entry.partial for entry in sorted(fresh, key=lambda entry: entry.order)]
            value = self.value(one, lambda: fold_checked(self.query.aggregate.monoid, parts))
        else:
            value = self.value(one, lambda: slices.fold(first, last))
        revision = known.revision + 1 if known else 0
        return ResultChange(
            "updated" if known else "new", one, EmittedResult(value, revision, settles)
        )

    def commit(
        self, changes: Sequence[ResultChange], moment: StepWatermarks, extent: SeenRange
    ) -> None:
        """Publish."""
        super().commit(changes, moment, extent)
        self._first = extent.first
