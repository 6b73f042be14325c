"""The store of `aggregate-tree`: a tree over single tuples, a window is a range query.

[Traub20, section 3.2], [Tangwongsan15]. Windows are computed as in `tuple-buffer`, but tuples are
lifted once, and combined along the paths of a tree. A subclass builds the tree: trees are in
`muntin.optimized`.
"""

from abc import abstractmethod
from collections.abc import Collection
from functools import partial
from typing import Self

from muntin.reference.tuple_stores import TupleBuffer
from muntin.reference.window_store import RetainedState, WindowContent
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.query import Query, Settings
from muntin.spec.stream import AcceptedEvent
from muntin.spec.structure import OutOfOrder
from muntin.spec.windows.measure import COUNT

MAX_ARRIVALS = 2**64
"""More than there are arrivals, so that all fit between two times."""


class AggregateTree(TupleBuffer):
    """The youngest events of one key, and a tree of their lifted values in event order."""

    def __init__(self, query: Query, settings: Settings) -> None:
        """Start with no event."""
        super().__init__(query, settings)
        by_arrival = settings.dialect.count_order == "arrival" and query.window.measure is COUNT
        self._spread = 0 if by_arrival else MAX_ARRIVALS
        self._tree: OutOfOrder[object] | None = None
        self._pending: list[AcceptedEvent] = []  # events without a leaf, if there is a tree

    @staticmethod
    @abstractmethod
    def build(monoid: Monoid[object]) -> OutOfOrder[object]:
        """An empty tree."""

    def copy(self) -> Self:
        """An independent copy, which gets the tree: if the step fails, the tree is built anew."""
        copy = super().copy()
        copy.adopt(self._tree, list(self._pending))
        self.adopt(None, [])
        return copy

    def adopt(self, tree: OutOfOrder[object] | None, pending: list[AcceptedEvent]) -> None:
        """Set the tree, and the events that have no leaf in it yet."""
        self._tree, self._pending = tree, pending

    def insert(self, accepted: AcceptedEvent) -> None:
        """Add an event; it gets its leaf when a window is aggregated."""
        super().insert(accepted)
        self._pending.append(accepted)

    def evict(self, final_time: float) -> None:
        """Drop the oldest events that no window needs, and their leaves."""
        before = self.last_evicted
        super().evict(final_time)
        if self.last_evicted is not before:
            held = {accepted.arrival for accepted in self.events}
            self._pending = [a for a in self._pending if a.arrival in held]
            if self._tree is not None:
                evict = partial(self._tree.bulk_evict, self._tree_time(self.last_evicted[0]))
                self.query.call_user_code(f"the events up to {final_time}", evict)

    def value(self, window: WindowContent, excluded: Collection[int]) -> object:
        """Query the tree; but fold the events of a window if some of them are excluded."""
        content = self._contents[window.stamp]
        if not set(excluded).isdisjoint(window.stamp):
            return super().value(window, excluded)
        first, last = self._tree_time(content[0]), self._tree_time(content[-1])
        where = f"the window [{window.interval.start}, {window.interval.end})"
        tree = self._complete_tree(where)
        total = self.query.call_user_code(where, lambda: tree.query_range(first, last))
        return self.query.call_user_code(where, lambda: self.query.aggregate.lower(total))

    def retained(self) -> RetainedState:
        """The number of events, and of leaves."""
        return RetainedState(len(self.events), 0 if self._tree is None else len(self._tree))

    def _tree_time(self, accepted: AcceptedEvent) -> int:
        """The time of an event in the tree: each has one of its own."""
        return accepted.event.time * self._spread + accepted.arrival

    def _complete_tree(self, where: str) -> OutOfOrder[object]:
        """The tree with a leaf for each event; combine may fail where the tree is queried."""
        tree, pending = self._tree, self._pending
        if tree is None:
            tree, pending = self.build(self.query.aggregate.monoid), self.events
        for accepted in pending:
            insert = partial(tree.insert, self._tree_time(accepted), self._lift(accepted))
            self.query.call_user_code(where, insert)
        self.adopt(tree, [])
        return tree

    def _lift(self, accepted: AcceptedEvent) -> object:
        event, lift = accepted.event, self.query.aggregate.lift
        return self.query.call_user_code(f"{event}", lambda: lift(event.value))
