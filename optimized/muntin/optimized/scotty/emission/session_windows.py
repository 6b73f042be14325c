"""The window manager for sessions: a session that grows is retracted and emitted anew."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from operator import itemgetter

from muntin.optimized.common.user_code import fold_checked
from muntin.optimized.scotty.emission.session_index import SessionIndex, SessionSpan
from muntin.optimized.scotty.emission.window_manager import (
    EmittedResult,
    KeyView,
    ResultChange,
    WindowManager,
)
from muntin.optimized.scotty.schedules.base import SeenRange
from muntin.optimized.scotty.slices.slice import LiftedEvent
from muntin.optimized.scotty.slices.slice_manager import SliceManager
from muntin.optimized.scotty.watermark import StepWatermarks, max_early_emission
from muntin.spec.dialect import Dialect
from muntin.spec.query import Query
from muntin.spec.stream import END, Event
from muntin.spec.windows.window import Interval

NO_SESSION = (-END, -END)


class SessionWindows(WindowManager):
    """Sessions in time, read off the slices."""

    def __init__(self, query: Query, since: float, dialect: Dialect, gap: int) -> None:
        """Start with no session."""
        super().__init__(query, since, dialect)
        self._max_early = max_early_emission(dialect)
        self._without_gap = dialect.session_end == "last"
        self.sessions = SessionIndex(gap, since, inclusive=dialect.session_merge == "le")
        self._emitted: list[Interval] = []  # the published sessions, sorted
        self._open_from: float = -END  # where the first open session begins
        self._next_open_from: float = END  # the same after the step
        self._youngest_open = NO_SESSION  # where it begins, and the start of its last slice

    def is_on_time(self, event: Event, limit: float, key: KeyView) -> bool | None:
        """Whether the session that would hold the event is not final."""
        return self.final_time(self.sessions.end_with(key.slices, event)) > limit

    def next_completion(self, time: float, key: KeyView) -> float:
        """When the first open session ends."""
        del time
        return next((span.end for span in self._open_sessions(key.slices, [])), END)

    def _open_sessions(
        self, slices: SliceManager, touched: Sequence[SessionSpan]
    ) -> Iterator[SessionSpan]:
        """The sessions that were open, with the slices that late tuples add to them."""
        first_open = bisect_left(slices.first_times, self._open_from)
        index = max(first_open, self.sessions.first_seen_slice(slices))
        index = min([index, *(span.low for span in touched if span.high > index)])
        return self.sessions.sessions_from(slices, index)

    def _sessions_ending(
        self, slices: SliceManager, touched: Sequence[SessionSpan], until: float
    ) -> Iterator[SessionSpan]:
        """The sessions that were open, up to the first that still is."""
        for span in self._open_sessions(slices, touched):
            yield span
            if span.end > until:
                return

    def changes(self, watermarks: StepWatermarks, key: KeyView) -> list[ResultChange]:
        """Retract sessions that are gone; emit those that ended, and those that ended and grew."""
        slices, (after, until) = key.slices, watermarks.emission_range(self.closing)
        times = {late.order[0] for late in key.late_events if late.order[0] > self.since}
        known_start: float = -END
        if not watermarks.new_windows_only:
            known_start = self._last_emitted_start(min(times, default=END))
        touched = [self.sessions.session_at(slices, time, known_start) for time in times]
        ending = self._sessions_ending(slices, touched, until)
        spans = {span.start: span for span in (*ending, *touched)}
        complete = [span for span in spans.values() if span.end <= until]
        self._record_open([span for span in spans.values() if span.end > until], slices)
        if watermarks.new_windows_only:
            complete = [span for span in complete if span.end > after]
            new = [span for span in complete if self._interval(span) not in self.published]
            return [self._change(span, slices, None) for span in new]
        gone = self._retracted(touched, until)
        retracted = [ResultChange("retracted", each, self.published[each]) for each in gone]
        late_events = key.late_events if watermarks.settings.output == "discard" else None
        changed = [span for span in complete if self._has_changed(span, slices)]
        return retracted + [self._change(span, slices, late_events) for span in changed]

    def _record_open(self, incomplete: Sequence[SessionSpan], slices: SliceManager) -> None:
        """Record where the first and the youngest open session begin, for the next step."""
        self._next_open_from = min((span.start for span in incomplete), default=END)
        open_spans = ((span.start, slices.first_times[span.high - 1]) for span in incomplete)
        self._youngest_open = max(open_spans, default=NO_SESSION)

    def _interval(self, span: SessionSpan) -> Interval:
        """The interval that is emitted for a session."""
        return span.as_interval(without_gap=self._without_gap)

    def _retracted(self, touched: Sequence[SessionSpan], until: float) -> list[Interval]:
        """The published sessions inside those touched by the step that are no session any more."""
        retracted: dict[Interval, None] = {}
        for span in touched:
            current = self._interval(span) if span.end <= until else None
            emitted = self._emitted_within(span)
            retracted |= dict.fromkeys(interval for interval in emitted if interval != current)
        return list(retracted)

    def _last_emitted_start(self, time: float) -> float:
        """Where the last session emitted before a time begins: a session still begins there.

        Nothing that has come since then lies before this time.
        """
        index = bisect_right(self._emitted, (time, END, END))
        return self._emitted[index - 1].start if index else -END

    def _emitted_within(self, span: SessionSpan) -> list[Interval]:
        """The emitted sessions that a session of now contains."""
        low, end = (bisect_left(self._emitted, (time,)) for time in (span.start, span.last + 1))
        return self._emitted[low:end]

    def _has_changed(self, span: SessionSpan, slices: SliceManager) -> bool:
        """Whether a session is not published, or has more tuples than its published result."""
        published = self.published.get(self._interval(span))
        return published is None or published.tuple_count != slices.tuple_count(span.low, span.high)

    def _change(
        self, span: SessionSpan, slices: SliceManager, late_events: Sequence[LiftedEvent] | None
    ) -> ResultChange:
        """The result of a session; in discard mode only of what was not emitted (`late_events`)."""
        interval, monoid = self._interval(span), self.query.aggregate.monoid
        published, final_at = self.published.get(interval), self.final_time(span.end)
        emitted = [] if late_events is None else self._emitted_within(span)
        if emitted:
            partials = self._new_partials(span, slices, emitted, late_events or ())
            value = self.value(interval, lambda: fold_checked(monoid, partials))
        else:
            value = self.value(interval, lambda: slices.fold(span.low, span.high))
        revision = published.revision + 1 if published else 0
        result = EmittedResult(value, revision, final_at, slices.tuple_count(span.low, span.high))
        return ResultChange("updated" if published else "new", interval, result)

    def _new_partials(
        self,
        span: SessionSpan,
        slices: SliceManager,
        emitted: Sequence[Interval],
        late_events: Sequence[LiftedEvent],
    ) -> list[object]:
        """In discard mode, the partial aggregates of a session that no emitted session covered.

        These are the slices outside the emitted sessions, and the late tuples inside one.
        """
        ends = [interval.row if self._without_gap else interval.end for interval in emitted]

        def is_emitted(time: int) -> bool:
            index = bisect_right(emitted, (time, END, END)) - 1
            return index >= 0 and time < ends[index]

        within = slices.slices[span.low : span.high]
        pending = [((p.first, -1), p.partial) for p in within if not is_emitted(p.first)]
        pending += [(late.order, late.partial) for late in late_events if is_emitted(late.order[0])]
        return [partial for _, partial in sorted(pending, key=itemgetter(0))]

    def commit(self, changes: Sequence[ResultChange], now: float, seen: SeenRange) -> None:
        """Record what was emitted. Tuples on time begin behind the watermark or extend sessions."""
        super().commit(changes, now, seen)
        for kind, interval, _ in changes:
            if kind == "retracted":
                self._emitted.remove(interval)
            elif kind == "new":
                insort(self._emitted, interval)
        self._open_from = min(self._next_open_from, now + self._max_early)
        self.sessions.remember_session("youngest", *self._youngest_open)

    def forget(self, interval: Interval) -> None:
        """Drop a final session, unless it was retracted in the meantime."""
        super().forget(interval)
        index = bisect_left(self._emitted, interval)
        del self._emitted[index : index + (self._emitted[index : index + 1] == [interval])]

    def open_starts(self, slices: SliceManager, final_until: float) -> list[int]:
        """The starts, up to `final_until`, of the sessions that are not final."""
        starts: list[int] = []
        for span in self.sessions.sessions_from(slices, self.sessions.first_seen_slice(slices)):
            if span.start > final_until:
                break
            if self.final_time(span.end) > final_until:
                starts.append(span.start)
        return starts
