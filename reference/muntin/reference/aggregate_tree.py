"""The store of `aggregate-tree`: a tree over single tuples, a window is a range query.

[Traub20, section 3.2], [Tangwongsan15]. Windows are found as `tuple-buffer` finds them; what
differs is that their tuples are lifted once, and combined along the paths of a tree. Which tree
that is, a subclass says: trees are in `muntin.optimized`.
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
"""More than there are arrivals: room for them between two times."""


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
        """Return an empty tree."""

    def copy(self) -> Self:
        """Return an independent copy, which takes the tree: if the step fails, grow it anew."""
        twin = super().copy()
        twin.adopt(self._tree, list(self._pending))
        self.adopt(None, [])
        return twin

    def adopt(self, tree: OutOfOrder[object] | None, pending: list[AcceptedEvent]) -> None:
        """Take a tree, and the events that have no leaf in it yet."""
        self._tree, self._pending = tree, pending

    def insert(self, accepted: AcceptedEvent) -> None:
        """Add an event; it gets its leaf when a window is asked for."""
        super().insert(accepted)
        self._pending.append(accepted)

    def evict(self, done: float) -> None:
        """Drop the oldest events that no window needs, and their leaves."""
        before = self.last_evicted
        super().evict(done)
        if self.last_evicted is not before:
            held = {one.arrival for one in self.events}
            self._pending = [one for one in self._pending if one.arrival in held]
            if self._tree is not None:
                evict = partial(self._tree.bulk_evict, self._place(self.last_evicted[0]))
                self.query.call_user_code(f"the events up to {done}", evict)

    def value(self, seen: WindowContent, besides: Collection[int]) -> object:
        """Ask the tree; but fold the events of a window of which some have been told before."""
        content = self._contents[seen.stamp]
        if not set(besides).isdisjoint(seen.stamp):
            return super().value(seen, besides)
        first, last = self._place(content[0]), self._place(content[-1])
        where = f"the window [{seen.interval.start}, {seen.interval.end})"
        tree = self._grown(where)
        total = self.query.call_user_code(where, lambda: tree.query_range(first, last))
        return self.query.call_user_code(where, lambda: self.query.aggregate.lower(total))

    def retained(self) -> RetainedState:
        """Return the number of events, and of leaves."""
        return RetainedState(len(self.events), 0 if self._tree is None else len(self._tree))

    def _place(self, accepted: AcceptedEvent) -> int:
        """Return where an event lies in the tree: each has a place of its own."""
        return accepted.event.time * self._spread + accepted.arrival

    def _grown(self, where: str) -> OutOfOrder[object]:
        """Return the tree, with a leaf for each event; combine may fail where the tree is asked."""
        tree, pending = self._tree, self._pending
        if tree is None:
            tree, pending = self.build(self.query.aggregate.monoid), self.events
        for one in pending:
            insert = partial(tree.insert, self._place(one), self._lifted(one))
            self.query.call_user_code(where, insert)
        self.adopt(tree, [])
        return tree

    def _lifted(self, accepted: AcceptedEvent) -> object:
        event, lift = accepted.event, self.query.aggregate.lift
        return self.query.call_user_code(f"{event}", lambda: lift(event.value))
