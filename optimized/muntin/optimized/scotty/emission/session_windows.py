"""The window manager for sessions: a session that grows is retracted and told anew."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from operator import itemgetter

from muntin.optimized.common.user_code import fold_checked
from muntin.optimized.scotty.emission.session_index import SessionIndex, SessionSpan
from muntin.optimized.scotty.emission.window_manager import (
    EmittedResult,
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

NEVER = (-END, -END)


class SessionWindows(WindowManager):
    """Sessions in time, from slices."""

    def __init__(self, query: Query, since: float, dialect: Dialect, gap: int) -> None:
        """Start with no session."""
        super().__init__(query, since, dialect)
        self._early = max_early_emission(dialect)
        self._short = dialect.session_end == "last"
        self.sessions = SessionIndex(gap, since, inclusive=dialect.session_merge == "le")
        self._told: list[Interval] = []  # what is published, sorted
        self._from: float = -END  # where the first session begins that had not ended
        self._opened: float = END  # the same after the step
        self._link = (
            NEVER  # where the youngest session that has not ended begins, and its last slice
        )

    def is_on_time(
        self, event: Event, limit: float, slices: SliceManager, extent: SeenRange
    ) -> bool | None:
        """Whether the session that the event would be part of is not frozen."""
        del extent
        return self.settles(self.sessions.reach_with(slices, event)) > limit

    def due(self, after: float, slices: SliceManager, extent: SeenRange) -> float:
        """Return where the first session ends that had not ended."""
        del after, extent
        return next((span.reach for span in self._open(slices, [])), END)

    def _open(self, slices: SliceManager, touched: Sequence[SessionSpan]) -> Iterator[SessionSpan]:
        """Yield the sessions that had not ended, with the slices that late tuples add to them."""
        at = max(bisect_left(slices.firsts, self._from), self.sessions.first(slices))
        at = min([at, *(span.low for span in touched if span.high > at)])
        return self.sessions.scan(slices, at)

    def _ended(
        self, slices: SliceManager, touched: Sequence[SessionSpan], high: float
    ) -> Iterator[SessionSpan]:
        """Yield the sessions that had not ended, up to the first that still has not."""
        for span in self._open(slices, touched):
            yield span
            if span.reach > high:
                return

    def changes(
        self,
        moment: StepWatermarks,
        slices: SliceManager,
        late: Sequence[LiftedEvent],
        extent: SeenRange,
    ) -> list[ResultChange]:
        """Report the sessions that are gone, have ended, or have ended and grown."""
        del extent
        low, high = moment.reporting(self.closing)
        times = {one.accepted.event.time for one in late if one.accepted.event.time > self.since}
        begun = -END if moment.only_fresh else self._begun(min(times, default=END))
        touched = [self.sessions.around(slices, time, begun) for time in times]
        spans = {span.start: span for span in (*self._ended(slices, touched, high), *touched)}
        ended = [span for span in spans.values() if span.reach <= high]
        still = [span for span in spans.values() if span.reach > high]
        self._opened = min((span.start for span in still), default=END)
        self._link = max(((s.start, slices.firsts[s.high - 1]) for s in still), default=NEVER)
        if moment.only_fresh:
            fresh = [span for span in ended if span.reach > low]
            return [
                self._change(span, slices, None)
                for span in fresh
                if span.shown(short=self._short) not in self.published
            ]
        retracted = [
            ResultChange("retracted", one, self.published[one]) for one in self._gone(touched, high)
        ]
        news = late if moment.settings.output == "discard" else None
        return retracted + [
            self._change(span, slices, news) for span in ended if self._differs(span, slices)
        ]

    def _gone(self, touched: Sequence[SessionSpan], high: float) -> list[Interval]:
        """Return what is published within sessions that were touched, and is none of them."""
        gone: dict[Interval, None] = {}
        for span in touched:
            now = span.shown(short=self._short) if span.reach <= high else None
            gone |= dict.fromkeys(one for one in self._told_within(span) if one != now)
        return list(gone)

    def _begun(self, time: float) -> float:
        """Return where the last session begins that was told of before a time: so it still does.

        Nothing that has come since then lies before this time.
        """
        nth = bisect_right(self._told, (time, END, END))
        return self._told[nth - 1].start if nth else -END

    def _told_within(self, span: SessionSpan) -> list[Interval]:
        low, behind = (bisect_left(self._told, (at,)) for at in (span.start, span.last + 1))
        return self._told[low:behind]

    def _differs(self, span: SessionSpan, slices: SliceManager) -> bool:
        known = self.published.get(span.shown(short=self._short))
        return known is None or known.size != slices.size(span.low, span.high)

    def _change(
        self, span: SessionSpan, slices: SliceManager, late: Sequence[LiftedEvent] | None
    ) -> ResultChange:
        one = span.shown(short=self._short)
        known, settles = self.published.get(one), self.settles(span.reach)
        told = [] if late is None else self._told_within(span)
        if told:
            parts = self._unheard(span, slices, told, late or ())
            value = self.value(one, lambda: fold_checked(self.query.aggregate.monoid, parts))
        else:
            value = self.value(one, lambda: slices.fold(span.low, span.high))
        revision = known.revision + 1 if known else 0
        said = EmittedResult(value, revision, settles, slices.size(span.low, span.high))
        return ResultChange("updated" if known else "new", one, said)

    def _unheard(
        self,
        span: SessionSpan,
        slices: SliceManager,
        told: Sequence[Interval],
        late: Sequence[LiftedEvent],
    ) -> list[object]:
        """Return what makes up a session beside the sessions that it was: all else is discarded.

        That is the slices that none of them covers, and the late tuples in those that one does.
        """
        ends = [one.row if self._short else one.end for one in told]

        def heard(time: int) -> bool:
            nth = bisect_right(told, (time, END, END)) - 1
            return nth >= 0 and time < ends[nth]

        whole = [((one.first, -1), one.partial) for one in slices.slices[span.low : span.high]]
        fresh = [(one.order, one.partial) for one in late if heard(one.accepted.event.time)]
        parts = [*(entry for entry in whole if not heard(entry[0][0])), *fresh]
        return [partial for _, partial in sorted(parts, key=itemgetter(0))]

    def commit(
        self, changes: Sequence[ResultChange], moment: StepWatermarks, extent: SeenRange
    ) -> None:
        """Publish. What comes in time will begin behind the watermark, or has begun before."""
        super().commit(changes, moment, extent)
        for kind, interval, _ in changes:
            if kind == "retracted":
                self._told.remove(interval)
            elif kind == "new":
                insort(self._told, interval)
        self._from = min(self._opened, moment.now + self._early)
        self.sessions.remember_session("youngest", *self._link)

    def forget(self, interval: Interval) -> None:
        """Forget a session that is settled, unless it has gone since."""
        super().forget(interval)
        at = bisect_left(self._told, interval)
        del self._told[at : at + (self._told[at : at + 1] == [interval])]

    def open_from(self, slices: SliceManager, done: float) -> list[int]:
        """Return where the sessions begin, before what is not settled, that are not settled."""
        found: list[int] = []
        for span in self.sessions.scan(slices, self.sessions.first(slices)):
            if span.start > done:
                break
            if self.settles(span.reach) > done:
                found.append(span.start)
        return found
