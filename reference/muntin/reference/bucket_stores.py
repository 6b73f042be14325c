"""Buckets: one for each window, as assigned by the time of the event [Li05].

`tuple-buckets` keep the events of each window, `aggregate-buckets` only a partial aggregate
[Traub20, section 3.3]. No bucket shares anything with another.
"""

from abc import abstractmethod
from collections.abc import Collection
from functools import reduce
from typing import Generic, NamedTuple, Self, TypeVar

from muntin.reference.window_store import RetainedState, WindowContent, WindowStore
from muntin.spec.query import Query, Settings
from muntin.spec.stream import AcceptedEvent
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import TIME, PositionedEvent, Timeline
from muntin.spec.windows.periodic import Band, Cumulate, Sliding
from muntin.spec.windows.window import Interval

B = TypeVar("B")
ASSIGNED = (Sliding, Cumulate, Band, Session)


class Buckets(WindowStore, Generic[B]):
    """Buckets by interval. Subclasses decide what a bucket keeps."""

    def __init__(self, query: Query, settings: Settings) -> None:
        """Start with no bucket."""
        super().__init__(query, settings)
        self.buckets: dict[Interval, B] = {}
        self._merges = isinstance(query.window, Session)

    @classmethod
    def unsupported_reason(cls, query: Query, settings: Settings) -> str | None:
        """Buckets support windows that the time of an event alone determines."""
        window_type = query.window
        if window_type.measure is not TIME or type(window_type) not in ASSIGNED:
            name, measure = window_type.name, window_type.measure.name
            return f"buckets cannot assign events to {name} windows of {measure}"
        if (first := settings.dialect.first_window) in ("floor_first", "offset_first"):
            return f"buckets do not know which window is the first (first_window: {first})"
        return None

    @abstractmethod
    def merge(self, parts: list[B], accepted: AcceptedEvent) -> B:
        """The bucket of all that these hold, in the order of time, and an event."""

    @abstractmethod
    def stamp(self, bucket: B) -> tuple[int, ...]:
        """A value that changes whenever the bucket grows."""

    @abstractmethod
    def last(self, bucket: B) -> int:
        """The time of the youngest event."""

    def copy(self) -> Self:
        """An independent copy."""
        copy = type(self)(self.query, self.settings)
        copy.buckets = dict(self.buckets)
        return copy

    def accepts(self, accepted: AcceptedEvent, finite_watermark: float, limit: float) -> bool:
        """Whether some window of the event, after merging, is not final; without one, by event."""
        del finite_watermark
        windows = [i for own in self._assigned(accepted) for i in (own, *self._merged(own))]
        changeable = any(self._final_at(interval) > limit for interval in windows)
        return changeable if windows else accepted.event.time >= limit

    def insert(self, accepted: AcceptedEvent) -> None:
        """Add the event to each of its buckets; a session merges those that it touches."""
        for own in self._assigned(accepted):
            merged = self._merged(own)
            start = min(interval.start for interval in (own, *merged))
            end = max(interval.end for interval in (own, *merged))
            bucket = self.merge([self.buckets[interval] for interval in merged], accepted)
            self.buckets = {i: b for i, b in self.buckets.items() if i not in merged}
            self.buckets[Interval(start, end)] = bucket

    def windows(self, finite_watermark: float) -> list[WindowContent]:
        """Every bucket as a window."""
        del finite_watermark
        return [
            WindowContent(
                self._reported_interval(interval),
                self._completes_at(interval),
                self._final_at(interval),
                self.stamp(bucket),
            )
            for interval, bucket in self.buckets.items()
        ]

    def bucket(self, window: WindowContent) -> B:
        """The bucket of a window."""
        buckets = self.buckets.items()
        return next(b for i, b in buckets if self._reported_interval(i) == window.interval)

    def evict(self, final_time: float) -> None:
        """Drop the buckets of final windows."""
        self.buckets = {i: b for i, b in self.buckets.items() if self._final_at(i) > final_time}

    def _assigned(self, accepted: AcceptedEvent) -> list[Interval]:
        """The windows of an event; of sessions, the one that it would be alone."""
        window_type, event = self.query.window, PositionedEvent(accepted, 0, accepted.event.time)
        timeline = Timeline((event,), accepted.event.time, self.settings.dialect)
        intervals = window_type.intervals(timeline)
        return [i for i in intervals if window_type.holds(i, event, timeline.dialect)]

    def _merged(self, own: Interval) -> list[Interval]:
        """The buckets that an event of this window becomes part of, oldest first."""
        if not self._merges:
            return [own] if own in self.buckets else []
        reach = self.settings.dialect.session_merge == "le"
        return sorted(
            bucket
            for bucket in self.buckets
            if bucket.start < own.end + reach and own.start < bucket.end + reach
        )

    def _reported_interval(self, interval: Interval) -> Interval:
        shortened = self._merges and self.settings.dialect.session_end == "last"
        if not shortened:
            return interval
        return Interval(interval.start, self.last(self.buckets[interval]) + 1, int(interval.end))

    def _completes_at(self, interval: Interval) -> float:
        closing = self.settings.dialect.closing_of(self.query.window.name)
        inclusive = self.settings.dialect.edges != "left" and not self._merges
        return interval.end + closing + inclusive

    def _final_at(self, interval: Interval) -> float:
        closing = self.settings.dialect.closing_of(self.query.window.name)
        return self._completes_at(interval) - min(0, closing)


class TupleBuckets(Buckets[tuple[AcceptedEvent, ...]]):
    """Buckets of events, in event order."""

    def merge(
        self, parts: list[tuple[AcceptedEvent, ...]], accepted: AcceptedEvent
    ) -> tuple[AcceptedEvent, ...]:
        """All events, in event order."""
        events = [accepted, *(held for part in parts for held in part)]
        return tuple(sorted(events, key=lambda a: (a.event.time, a.arrival)))

    def stamp(self, bucket: tuple[AcceptedEvent, ...]) -> tuple[int, ...]:
        """The arrival numbers."""
        return tuple(accepted.arrival for accepted in bucket)

    def last(self, bucket: tuple[AcceptedEvent, ...]) -> int:
        """The time of the youngest event."""
        return bucket[-1].event.time

    def value(self, window: WindowContent, excluded: Collection[int]) -> object:
        """The fold of the events."""
        events = self.bucket(window)
        return self.query.value([a.event for a in events if a.arrival not in excluded])

    def retained(self) -> RetainedState:
        """The number of events, each counted as often as it is kept."""
        return RetainedState(sum(len(bucket) for bucket in self.buckets.values()), 0)


class WindowPartial(NamedTuple):
    """The partial aggregate of some events, how many they are, and the time of the youngest."""

    partial: object
    events: int
    last: int


class AggregateBuckets(Buckets[WindowPartial]):
    """Buckets without events. A late event is combined last, so order must not matter."""

    @classmethod
    def unsupported_reason(cls, query: Query, settings: Settings) -> str | None:
        """Partial aggregates do not support what needs the events themselves."""
        if not query.aggregate.commutative and not settings.in_order:
            name = query.aggregate.name
            return (
                f"aggregate buckets need a commutative aggregate or an ordered stream, not {name}"
            )
        if settings.output == "discard":
            return "aggregate buckets do not keep which events are not yet emitted (discard)"
        return super().unsupported_reason(query, settings)

    def merge(self, parts: list[WindowPartial], accepted: AcceptedEvent) -> WindowPartial:
        """The partials combined in the order of time, and the event last."""
        event, aggregate = accepted.event, self.query.aggregate
        where = f"{event}"
        lifted = self.query.call_user_code(where, lambda: aggregate.lift(event.value))
        partials = [*(part.partial for part in parts), lifted]
        total = self.query.call_user_code(where, lambda: reduce(aggregate.monoid.combine, partials))
        events = 1 + sum(part.events for part in parts)
        return WindowPartial(total, events, max([event.time, *(part.last for part in parts)]))

    def stamp(self, bucket: WindowPartial) -> tuple[int, ...]:
        """The number of events: a bucket only ever grows."""
        return (bucket.events,)

    def last(self, bucket: WindowPartial) -> int:
        """The time of the youngest event."""
        return bucket.last

    def value(self, window: WindowContent, excluded: Collection[int]) -> object:
        """The result of the partial aggregate."""
        del excluded
        partial = self.bucket(window).partial
        where = f"the window [{window.interval.start}, {window.interval.end})"
        return self.query.call_user_code(where, lambda: self.query.aggregate.lower(partial))

    def retained(self) -> RetainedState:
        """The number of partial aggregates."""
        return RetainedState(0, len(self.buckets))
