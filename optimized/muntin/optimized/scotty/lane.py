"""One key of a group: its slices, the views of its queries, and what has not been told yet."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

from muntin.optimized.scotty.calendars import Extent
from muntin.optimized.scotty.report import View
from muntin.optimized.scotty.slice import Lifted
from muntin.optimized.scotty.slice_manager import SliceManager
from muntin.spec.dialect import Dialect
from muntin.spec.stream import END, Event


@dataclass
class Lane:
    """The state of one key."""

    key: Hashable
    slices: SliceManager
    dialect: Dialect
    views: dict[str, View] = field(default_factory=dict[str, View])
    news: list[Lifted] = field(default_factory=list[Lifted])
    last: int | None = None
    firsts: dict[str, int] = field(default_factory=dict[str, int])
    unranked: list[str] = field(default_factory=list[str])
    undo: Callable[[], None] | None = None

    def checkpoint(self) -> None:
        """Copy what the events of a step change, once a step."""
        if self.undo:
            return
        undoes = [view.checkpoint() for view in self.views.values()]
        slices, told = list(self.slices.slices), len(self.news)
        last, firsts, unranked = self.last, dict(self.firsts), list(self.unranked)

        def undo() -> None:
            self.slices.restore(slices)
            del self.news[told:]
            self.last, self.firsts, self.unranked = last, firsts, unranked
            for one in undoes:
                one()

        self.undo = undo

    def extent(self, name: str, reached: float, event: Event | None = None) -> Extent:
        """Return the first and last time that a query has seen, with this event if it sees that."""
        times = [event.time] if event else []
        if self.dialect.first_window == "floor_first" and name in self.firsts:
            times.append(self.firsts[name])
        elif self.slices.slices:
            times.append(self.slices.slices[0].first)
        last = times if self.last is None else [*times, self.last]
        return Extent(min(times, default=0), max(last, default=0), reached)

    def note(self, lifted: Lifted, accepting: Mapping[str, View]) -> list[str]:
        """Take note of an event; return the queries that have seen this key for the first time."""
        event = lifted.accepted.event
        self.news.append(lifted)
        self.last = event.time if self.last is None else max(self.last, event.time)
        for name, view in accepting.items():
            view.note(event)
            if self.dialect.first_window == "floor_first":
                self.firsts[name] = min(self.firsts.get(name, event.time), event.time)
        first_seen = [name for name in self.unranked if name in accepting]
        if first_seen:
            self.unranked = [name for name in self.unranked if name not in accepting]
        return first_seen

    @property
    def idle(self) -> bool:
        """Whether nothing is left that could matter."""
        views = all(view.idle for view in self.views.values())
        return views and not (self.slices.slices or self.news or self.firsts)

    def needed_from(self, done: float) -> float:
        """Return the time from which slices are needed."""
        return min((view.needed_from(done) for view in self.views.values()), default=END)
