"""Groups: the queries of one aggregate, which share slices, and the technique that cuts these."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from muntin.optimized.slicing.cuts import Cuts, EdgesOf
from muntin.optimized.slicing.discretise import refuses_window
from muntin.optimized.slicing.lane import Lane
from muntin.optimized.slicing.sharing import Erased, shareable
from muntin.optimized.slicing.slices import Slices
from muntin.optimized.slicing.store import AggregateStore
from muntin.snapshot.classes import Constant
from muntin.spec.periodic import Sliding
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Event
from muntin.spec.window import WindowType


@dataclass(frozen=True)
class Technique(Constant):
    """How a stream is cut into slices, and how these are stored.

    Without edges, slices begin where windows do, and queries of one aggregate share them.
    """

    store: type[AggregateStore[object]]
    edges: EdgesOf | None = None
    shares: bool = True
    refuses: Callable[[WindowType, Settings], str | None] = refuses_window


class Asked(NamedTuple):
    """A query, its number, and the greatest time and the events that it came too late to see."""

    query: Query
    nth: int
    since: float
    missed: Mapping[Hashable, Event]


@dataclass
class Group:
    """The queries that share slices: all of one aggregate, or one alone."""

    technique: Technique
    asked: dict[str, Asked] = field(default_factory=dict[str, Asked])

    @property
    def aggregate(self) -> Erased:
        """The aggregate of the first query that is still asked: what all of them share of it."""
        return next(iter(self.asked.values())).query.aggregate

    def takes(self, query: Query) -> bool:
        """Whether a further query can share the slices."""
        return self.technique.shares and shareable(self.aggregate, query.aggregate)

    def cuts(self) -> Cuts | None:
        """Return where slices are cut besides the begins of windows, if they are."""
        edges = self.technique.edges
        if edges is None:
            return None
        kinds = [one.query.window for one in self.asked.values()]
        return Cuts(edge for kind in kinds if isinstance(kind, Sliding) for edge in edges(kind))

    def lane(self) -> Lane:
        """Return an empty lane."""
        store = self.technique.store(self.aggregate.monoid)
        slices = Slices(store, joins=self.technique.edges is None)
        return Lane(slices, self.aggregate.lift, self.cuts())

    def awaited(self, lane: Lane, time: int) -> Iterator[Asked]:
        """Yield the queries that see their first event in a lane at this time."""
        if lane.joined < len(self.asked):
            for one in self.asked.values():
                if one.since < time and not lane.sees(one.query.id):
                    yield one
