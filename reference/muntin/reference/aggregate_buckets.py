"""The store of `aggregate-buckets`: one partial aggregate a window (Window-ID of [Li05])."""

from collections.abc import Collection
from functools import reduce
from typing import NamedTuple

from muntin.reference.bucket_stores import Buckets
from muntin.reference.window_store import RetainedState, WindowContent
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Accepted


class WindowPartial(NamedTuple):
    """The partial aggregate of some events, how many they are, and the time of the youngest."""

    partial: object
    events: int
    last: int


class AggregateBuckets(Buckets[WindowPartial]):
    """Buckets that forget the events. A late event is combined last, so order must not matter."""

    @classmethod
    def refuses(cls, query: Query, settings: Settings) -> str | None:
        """Refuse what needs the events themselves."""
        if not query.aggregate.commutative and not settings.in_order:
            name = query.aggregate.name
            return (
                f"aggregate buckets need a commutative aggregate or an ordered stream, not {name}"
            )
        if settings.output == "discard":
            return "aggregate buckets do not keep what is new since the last report (discard)"
        return super().refuses(query, settings)

    def grown(self, parts: list[WindowPartial], accepted: Accepted) -> WindowPartial:
        """Combine the partials in the order of time, and the event last."""
        event, aggregate = accepted.event, self.query.aggregate
        where = f"{event}"
        lifted = self.query.guarded(where, lambda: aggregate.lift(event.value))
        partials = [*(part.partial for part in parts), lifted]
        total = self.query.guarded(where, lambda: reduce(aggregate.monoid.combine, partials))
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
        return self.query.guarded(where, lambda: self.query.aggregate.lower(partial))

    def retained(self) -> RetainedState:
        """Return the number of partial aggregates."""
        return RetainedState(0, len(self.buckets))
