"""Techniques that cut a stream into slices, and the groups of queries that share these slices.

The named techniques are those that [Carbone16] compares.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from muntin.optimized.common.query_sharing import Erased, shareable
from muntin.optimized.in_order.aggregate_store import InOrderLazyStore, InOrderStore
from muntin.optimized.in_order.discretizer import refuses_unless_periodic, unsupported_window
from muntin.optimized.in_order.flatfat_store import InOrderEagerStore
from muntin.optimized.in_order.key_state import InOrderKeyState
from muntin.optimized.in_order.pane_edges import EdgesOf, PaneEdges, pairs, panes
from muntin.optimized.in_order.slice_buffer import SliceBuffer
from muntin.snapshot.state_classes import Constant
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Event
from muntin.spec.windows.periodic import Sliding
from muntin.spec.windows.window import WindowType


@dataclass(frozen=True)
class Technique(Constant):
    """How a stream is cut into slices, and how these are stored.

    Without edges, slices begin where windows do, and queries of one aggregate share them.
    """

    store: type[InOrderStore[object]]
    edges: EdgesOf | None = None
    shares: bool = True
    refuses: Callable[[WindowType, Settings], str | None] = unsupported_window


PANES = Technique(InOrderLazyStore, panes, shares=False, refuses=refuses_unless_periodic)
"""Slices of gcd(size, slide) [Li05a]; each query has its own, and folds them when a window ends."""

PAIRS = Technique(InOrderLazyStore, pairs, refuses=refuses_unless_periodic)
"""Slices between the begins and ends of all windows [Krishnamurthy06]."""

PAIRS_PLUS = Technique(InOrderEagerStore, pairs, refuses=refuses_unless_periodic)
"""The same with an eager store: what pays when many queries share slices [Carbone16, 7.1]."""

CUTTY_LAZY = Technique(InOrderLazyStore)
"""Slices between the begins of all windows; a window that ends is folded slice by slice."""

CUTTY_EAGER = Technique(InOrderEagerStore)
"""The same with an eager store."""


class GroupedQuery(NamedTuple):
    """A query, its number, and the greatest time and the events that it came too late to see."""

    query: Query
    nth: int
    since: float
    missed: Mapping[Hashable, Event]


@dataclass
class QueryGroup:
    """The queries that share slices: all of one aggregate, or one alone."""

    technique: Technique
    asked: dict[str, GroupedQuery] = field(default_factory=dict[str, GroupedQuery])

    @property
    def aggregate(self) -> Erased:
        """The aggregate of the first query that is still asked: what all of them share of it."""
        return next(iter(self.asked.values())).query.aggregate

    def takes(self, query: Query) -> bool:
        """Whether a further query can share the slices."""
        return self.technique.shares and shareable(self.aggregate, query.aggregate)

    def cuts(self) -> PaneEdges | None:
        """Return where slices are cut besides the begins of windows, if they are."""
        edges = self.technique.edges
        if edges is None:
            return None
        kinds = [one.query.window for one in self.asked.values()]
        return PaneEdges(
            edge for kind in kinds if isinstance(kind, Sliding) for edge in edges(kind)
        )

    def lane(self) -> InOrderKeyState:
        """Return an empty lane."""
        store = self.technique.store(self.aggregate.monoid)
        slices = SliceBuffer(store, joins=self.technique.edges is None)
        return InOrderKeyState(slices, self.aggregate.lift, self.cuts())

    def queries_seeing_first(self, lane: InOrderKeyState, time: int) -> Iterator[GroupedQuery]:
        """Yield the queries that see their first event in a lane at this time."""
        if lane.joined < len(self.asked):
            for one in self.asked.values():
                if one.since < time and not lane.is_tracking(one.query.id):
                    yield one
