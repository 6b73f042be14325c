"""Techniques that cut a stream into slices, and the groups of queries that share these slices.

The named techniques are those that [Carbone16] compares.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from muntin.optimized.common.query_sharing import can_share
from muntin.optimized.in_order.aggregate_store import (
    InOrderEagerStore,
    InOrderLazyStore,
    InOrderStore,
)
from muntin.optimized.in_order.discretizer import unsupported_unless_periodic, unsupported_window
from muntin.optimized.in_order.key_state import InOrderKeyState
from muntin.optimized.in_order.pane_edges import EdgesOf, PaneEdges, pairs, panes
from muntin.optimized.in_order.slice_buffer import SliceBuffer
from muntin.snapshot.state_classes import Constant
from muntin.spec.algebra.aggregate import AnyAggregate
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
    shares_slices: bool = True
    unsupported_reason: Callable[[WindowType, Settings], str | None] = unsupported_window


PANES = Technique(
    InOrderLazyStore, panes, shares_slices=False, unsupported_reason=unsupported_unless_periodic
)
"""Slices of gcd(size, slide) [Li05a]; each query has its own, and folds them when a window ends."""

PAIRS = Technique(InOrderLazyStore, pairs, unsupported_reason=unsupported_unless_periodic)
"""Slices between the begins and ends of all windows [Krishnamurthy06]."""

PAIRS_PLUS = Technique(InOrderEagerStore, pairs, unsupported_reason=unsupported_unless_periodic)
"""The same with an eager store, which pays when many queries share slices [Carbone16, 7.1]."""

CUTTY_LAZY = Technique(InOrderLazyStore)
"""Slices between the begins of all windows; a window that ends is folded slice by slice."""

CUTTY_EAGER = Technique(InOrderEagerStore)
"""The same with an eager store."""


class GroupedQuery(NamedTuple):
    """A query, its number, and the last time and events before it was registered."""

    query: Query
    number: int
    since: float
    missed: Mapping[Hashable, Event]


@dataclass
class QueryGroup:
    """The queries that share slices: all of one aggregate, or one alone."""

    technique: Technique
    queries: dict[str, GroupedQuery] = field(default_factory=dict[str, GroupedQuery])

    @property
    def aggregate(self) -> AnyAggregate:
        """The aggregate of the first query: all queries share its lift and its combine."""
        return next(iter(self.queries.values())).query.aggregate

    def accepts(self, query: Query) -> bool:
        """Whether a further query can share the slices."""
        return self.technique.shares_slices and can_share(self.aggregate, query.aggregate)

    def pane_edges(self) -> PaneEdges | None:
        """Where slices are cut besides the begins of windows, if anywhere."""
        edges = self.technique.edges
        if edges is None:
            return None
        kinds = [query.query.window for query in self.queries.values()]
        return PaneEdges(
            edge for kind in kinds if isinstance(kind, Sliding) for edge in edges(kind)
        )

    def new_key_state(self) -> InOrderKeyState:
        """The state of a key before its first event."""
        store = self.technique.store(self.aggregate.monoid)
        slices = SliceBuffer(store, joins=self.technique.edges is None)
        return InOrderKeyState(slices, self.aggregate.lift, self.pane_edges())

    def queries_seeing_first(self, key_state: InOrderKeyState, time: int) -> Iterator[GroupedQuery]:
        """Queries that see their first event of a key at this time."""
        if key_state.tracker_count < len(self.queries):
            for query in self.queries.values():
                if query.since < time and not key_state.is_tracking(query.query.id):
                    yield query
