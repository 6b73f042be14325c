"""The window manager for windows whose edges are known beforehand: they are never retracted."""

from collections.abc import Callable, Sequence
from functools import reduce

from muntin.optimized.scotty.calendars import Calendar, Extent
from muntin.optimized.scotty.moment import Moment
from muntin.optimized.scotty.report import Change, Said, View
from muntin.optimized.scotty.slice import Lifted
from muntin.optimized.scotty.slice_manager import SliceManager
from muntin.spec.dialect import Dialect
from muntin.spec.query import Query
from muntin.spec.stream import END, Event
from muntin.spec.window import Interval


class CalendarView(View):
    """Windows whose edges are known beforehand. They are never retracted."""

    def __init__(self, query: Query, since: float, dialect: Dialect, calendar: Calendar) -> None:
        """Start with nothing published."""
        super().__init__(query, since, dialect)
        self._calendar = calendar
        self._moves = dialect.first_window == "floor_first"
        self._first: float = -END  # the first time seen, when the last report was made

    def judge(self, event: Event, limit: float, extent: Extent) -> bool | None:
        """Whether a window of the event is not frozen."""
        end = self._calendar.last_end(event.time, extent)
        return None if end is None else self.settles(end) > limit

    def note(self, event: Event) -> None:
        """Do nothing: slices know."""

    def changes(
        self, moment: Moment, slices: SliceManager, news: Sequence[Lifted], extent: Extent
    ) -> list[Change]:
        """Report the windows that have ended, and those that have ended and hold an event."""
        found = self._to_report(moment, slices, news, extent)
        changes = [self._change(one, moment, slices, news) for one in found]
        return [change for change in changes if change]

    def _to_report(
        self, moment: Moment, slices: SliceManager, news: Sequence[Lifted], extent: Extent
    ) -> dict[Interval, None]:
        low, high = moment.reporting(self.closing)
        if moment.held_back:
            return {}
        fresh = self._calendar.ending(low, high, extent, slices.upcoming) if low < high else ()
        found = dict.fromkeys(fresh)
        if moment.only_fresh:
            return found
        times = {one.accepted.event.time for one in news}
        for time in times:
            if self.since < time < low:
                found |= dict.fromkeys(self._calendar.holding(time, low, extent))
        if low == END or extent.first < self._first:  # an event can make windows it is not in
            ended = self._calendar.ending(-END, high, extent, slices.upcoming)
            found |= dict.fromkeys(one for one in ended if one not in self.published)
        return found

    def _change(
        self, one: Interval, moment: Moment, slices: SliceManager, news: Sequence[Lifted]
    ) -> Change | None:
        low, high = self._calendar.span(one)
        settles, known = self.settles(self._calendar.past(one)), self.published.get(one)
        first, last = slices.between(low, high)
        if first == last or settles <= moment.done_before:
            return None
        if known and moment.settings.output == "discard":
            fresh = [entry for entry in news if low <= entry.accepted.event.time < high]
            parts = [entry.partial for entry in sorted(fresh, key=lambda entry: entry.order)]
            value = self.value(one, lambda: reduce(self.query.aggregate.monoid.combine, parts))
        else:
            value = self.value(one, lambda: slices.fold(first, last))
        revision = known.revision + 1 if known else 0
        return Change("updated" if known else "new", one, Said(value, revision, settles))

    def commit(self, changes: Sequence[Change], moment: Moment, extent: Extent) -> None:
        """Publish."""
        super().commit(changes, moment, extent)
        if self._moves and not moment.held_back:
            self._first = extent.first

    def release(self, done: float) -> None:
        """Do nothing: slices are released as they are needed no more."""

    def needed_from(self, done: float) -> float:
        """Return where the first window begins that is not settled."""
        return self._calendar.needed_from(done - max(0, self.closing))

    def open_from(self) -> list[int] | None:
        """Return the landmark, if that is what the windows have."""
        start = self._calendar.starts_at
        return None if start is None else [start]

    def checkpoint(self) -> Callable[[], None]:
        """Return nothing to undo."""
        return lambda: None
