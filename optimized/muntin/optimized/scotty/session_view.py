"""The window manager for sessions: a session that grows is retracted and told anew."""

from collections.abc import Callable, Sequence

from muntin.optimized.scotty.calendars import Extent
from muntin.optimized.scotty.moment import Moment
from muntin.optimized.scotty.report import Change, Said, View
from muntin.optimized.scotty.sessions import Sessions, Span
from muntin.optimized.scotty.slice import Lifted
from muntin.optimized.scotty.slice_manager import SliceManager
from muntin.spec.dialect import Dialect
from muntin.spec.query import Query
from muntin.spec.stream import END, Event
from muntin.spec.window import Interval


class SessionView(View):
    """Sessions in time, from an index of their extents and from slices."""

    def __init__(self, query: Query, since: float, dialect: Dialect, gap: int) -> None:
        """Start with no session."""
        super().__init__(query, since, dialect)
        self._short = dialect.session_end == "last"
        self.sessions = Sessions(gap, inclusive=dialect.session_merge == "le")
        self._touched: set[int] = set()
        self._replaced: set[Interval] = set()

    def judge(self, event: Event, limit: float, extent: Extent) -> bool | None:
        """Whether the session that the event would be part of is not frozen."""
        del extent
        return self.settles(self.sessions.joined(event)[2].reach) > limit

    def note(self, event: Event) -> None:
        """Let the event extend, fuse or begin sessions."""
        parts, whole = self.sessions.add(event)
        self._replaced |= {part.shown(short=self._short) for part in parts}
        self._touched.add(whole.start)

    def changes(
        self, moment: Moment, slices: SliceManager, news: Sequence[Lifted], extent: Extent
    ) -> list[Change]:
        """Report the sessions that are gone, have ended, or have ended and grown."""
        del news, extent
        if moment.held_back:
            return []
        low, high = moment.reporting(self.closing)
        spans = {span.start: span for span in self.sessions.ending(low, high)}
        if moment.only_fresh:
            return [
                self._change(span, slices)
                for span in spans.values()
                if span.shown(short=self._short) not in self.published
            ]
        touched = [self.sessions.starting_at(start) for start in self._touched]
        grown = {span.start: span for span in touched if span and span.reach <= high}
        gone = [one for one in self._replaced if one in self.published and not self._is(one, high)]
        retracted = [Change("retracted", one, self.published[one]) for one in gone]
        return retracted + [
            self._change(span, slices)
            for span in {**spans, **grown}.values()
            if self._differs(span)
        ]

    def _is(self, one: Interval, high: float) -> bool:
        span = self.sessions.starting_at(one.start)
        return span is not None and span.reach <= high and span.shown(short=self._short) == one

    def _differs(self, span: Span) -> bool:
        one = span.shown(short=self._short)
        known = self.published.get(one)
        return known is None or known.size != span.size

    def _change(self, span: Span, slices: SliceManager) -> Change:
        one = span.shown(short=self._short)
        known, settles = self.published.get(one), self.settles(span.reach)
        first, last = slices.between(span.start, span.last + 1)
        value = self.value(one, lambda: slices.fold(first, last))
        revision = known.revision + 1 if known else 0
        said = Said(value, revision, settles, span.size)
        return Change("updated" if known else "new", one, said)

    def commit(self, changes: Sequence[Change], moment: Moment, extent: Extent) -> None:
        """Publish; what was noted is told, unless it is held back."""
        super().commit(changes, moment, extent)
        if not moment.held_back:
            self._touched.clear()
            self._replaced.clear()

    def release(self, done: float) -> None:
        """Drop the sessions that are settled."""
        self.sessions.release(done - max(0, self.closing))

    def needed_from(self, done: float) -> float:
        """Return the start of the first session that is not settled."""
        del done
        return self.sessions.spans[0].start if self.sessions.spans else END

    def open_from(self) -> list[int] | None:
        """Return the starts of the sessions that are not settled."""
        return [span.start for span in self.sessions.spans]

    def checkpoint(self) -> Callable[[], None]:
        """Copy the index and the notes."""
        spans, touched, replaced = (
            list(self.sessions.spans),
            set(self._touched),
            set(self._replaced),
        )

        def restore() -> None:
            self.sessions.spans, self._touched, self._replaced = spans, touched, replaced

        return restore
