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
    """Buckets by interval. What is in a bucket is for the subclasses to say."""

    def __init__(self, query: Query, settings: Settings) -> None:
        """Start with no bucket."""
        super().__init__(query, settings)
        self.buckets: dict[Interval, B] = {}
        self._merges = isinstance(query.window, Session)

    @classmethod
    def unsupported_reason(cls, query: Query, settings: Settings) -> str | None:
        """Refuse windows that an event does not tell by its own time."""
        kind = query.window
        if kind.measure is not TIME or type(kind) not in ASSIGNED:
            return f"buckets cannot assign events to {kind.name} windows of {kind.measure.name}"
        if settings.dialect.first_window == "floor_first":
            return "buckets do not know which window is the first (first_window: floor_first)"
        return None

    @abstractmethod
    def grown(self, parts: list[B], accepted: AcceptedEvent) -> B:
        """Return the bucket that holds what these hold, in the order of time, and an event."""

    @abstractmethod
    def stamp(self, bucket: B) -> tuple[int, ...]:
        """Return something that changes whenever the bucket grows."""

    @abstractmethod
    def last(self, bucket: B) -> int:
        """Return the time of the youngest event."""

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = type(self)(self.query, self.settings)
        twin.buckets = dict(self.buckets)
        return twin

    def accepts(self, accepted: AcceptedEvent, reached: float, limit: float) -> bool:
        """Whether some window of the event, after merging, is not frozen; else judge by event."""
        del reached
        windows = [one for own in self._assigned(accepted) for one in (own, *self._joined(own))]
        unfrozen = any(self._settles(one) > limit for one in windows)
        return unfrozen if windows else accepted.event.time >= limit

    def insert(self, accepted: AcceptedEvent) -> None:
        """Add the event to each of its buckets; a session swallows those that it touches."""
        for own in self._assigned(accepted):
            joined = self._joined(own)
            start = min(one.start for one in (own, *joined))
            end = max(one.end for one in (own, *joined))
            grown = self.grown([self.buckets[one] for one in joined], accepted)
            self.buckets = {i: b for i, b in self.buckets.items() if i not in joined}
            self.buckets[Interval(start, end)] = grown

    def windows(self, reached: float) -> list[WindowContent]:
        """Return every bucket."""
        del reached
        return [
            WindowContent(self._shown(one), self._due(one), self._settles(one), self.stamp(bucket))
            for one, bucket in self.buckets.items()
        ]

    def bucket(self, seen: WindowContent) -> B:
        """Return the bucket that was seen."""
        return next(b for one, b in self.buckets.items() if self._shown(one) == seen.interval)

    def evict(self, done: float) -> None:
        """Drop the buckets of settled windows."""
        self.buckets = {one: b for one, b in self.buckets.items() if self._settles(one) > done}

    def _assigned(self, accepted: AcceptedEvent) -> list[Interval]:
        """Return the windows of an event; as a session, the one that it would be alone."""
        kind, placed = self.query.window, PositionedEvent(accepted, 0, accepted.event.time)
        line = Timeline((placed,), accepted.event.time, self.settings.dialect)
        return [one for one in kind.intervals(line) if kind.holds(one, placed, line.dialect)]

    def _joined(self, own: Interval) -> list[Interval]:
        """Return the buckets that an event of this window becomes part of, oldest first."""
        if not self._merges:
            return [own] if own in self.buckets else []
        reach = self.settings.dialect.session_merge == "le"
        return sorted(
            one
            for one in self.buckets
            if one.start < own.end + reach and own.start < one.end + reach
        )

    def _shown(self, interval: Interval) -> Interval:
        short = self._merges and self.settings.dialect.session_end == "last"
        if not short:
            return interval
        return Interval(interval.start, self.last(self.buckets[interval]) + 1, int(interval.end))

    def _due(self, interval: Interval) -> float:
        closing = self.settings.dialect.closing_of(self.query.window.name)
        inclusive = self.settings.dialect.edges != "left" and not self._merges
        return interval.end + closing + inclusive

    def _settles(self, interval: Interval) -> float:
        return self._due(interval) - min(
            0, self.settings.dialect.closing_of(self.query.window.name)
        )


class TupleBuckets(Buckets[tuple[AcceptedEvent, ...]]):
    """Buckets of events, in event order."""

    def grown(
        self, parts: list[tuple[AcceptedEvent, ...]], accepted: AcceptedEvent
    ) -> tuple[AcceptedEvent, ...]:
        """Return all events in order."""
        every = [accepted, *(one for part in parts for one in part)]
        return tuple(sorted(every, key=lambda one: (one.event.time, one.arrival)))

    def stamp(self, bucket: tuple[AcceptedEvent, ...]) -> tuple[int, ...]:
        """Return the arrival numbers."""
        return tuple(one.arrival for one in bucket)

    def last(self, bucket: tuple[AcceptedEvent, ...]) -> int:
        """Return the time of the youngest event."""
        return bucket[-1].event.time

    def value(self, seen: WindowContent, besides: Collection[int]) -> object:
        """Fold the events."""
        events = self.bucket(seen)
        return self.query.value([one.event for one in events if one.arrival not in besides])

    def retained(self) -> RetainedState:
        """Return the number of events, each counted as often as it is kept."""
        return RetainedState(sum(len(bucket) for bucket in self.buckets.values()), 0)


class WindowPartial(NamedTuple):
    """The partial aggregate of some events, how many they are, and the time of the youngest."""

    partial: object
    events: int
    last: int


class AggregateBuckets(Buckets[WindowPartial]):
    """Buckets that forget the events. A late event is combined last, so order must not matter."""

    @classmethod
    def unsupported_reason(cls, query: Query, settings: Settings) -> str | None:
        """Refuse what needs the events themselves."""
        if not query.aggregate.commutative and not settings.in_order:
            name = query.aggregate.name
            return (
                f"aggregate buckets need a commutative aggregate or an ordered stream, not {name}"
            )
        if settings.output == "discard":
            return "aggregate buckets do not keep what is new since the last report (discard)"
        return super().unsupported_reason(query, settings)

    def grown(self, parts: list[WindowPartial], accepted: AcceptedEvent) -> WindowPartial:
        """Combine the partials in the order of time, and the event last."""
        event, aggregate = accepted.event, self.query.aggregate
        where = f"{event}"
        lifted = self.query.call_user_code(where, lambda: aggregate.lift(event.value))
        partials = [*(part.partial for part in parts), lifted]
        total = self.query.call_user_code(where, lambda: reduce(aggregate.monoid.combine, partials))
        events = 1 + sum(part.events for part in parts)
        return WindowPartial(total, events, max([event.time, *(part.last for part in parts)]))

    def stamp(self, bucket: WindowPartial) -> tuple[int, ...]:
        """Return how many events there are: a bucket only ever grows."""
        return (bucket.events,)

    def last(self, bucket: WindowPartial) -> int:
        """Return the time of the youngest event."""
        return bucket.last

    def value(self, seen: WindowContent, besides: Collection[int]) -> object:
        """Lower the partial aggregate."""
        del besides
        partial = self.bucket(seen).partial
        where = f"the window [{seen.interval.start}, {seen.interval.end})"
        return self.query.call_user_code(where, lambda: self.query.aggregate.lower(partial))

    def retained(self) -> RetainedState:
        """Return the number of partial aggregates."""
        return RetainedState(0, len(self.buckets))
