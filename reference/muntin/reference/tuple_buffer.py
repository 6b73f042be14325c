"""The store of `tuple-buffer`: the events that some window still needs [Traub20, section 3.1].

It differs from `recompute` in that it forgets, and so has to count what it has forgotten.
"""

from collections.abc import Sequence
from typing import Self

from muntin.reference.eviction_rules import needless
from muntin.reference.tuple_stores import FullHistoryStore
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Accepted
from muntin.spec.windows.measure import COUNT, TIME, Timeline


class TupleBuffer(FullHistoryStore):
    """The youngest events of one key, and how many older ones there were."""

    def __init__(self, query: Query, settings: Settings) -> None:
        """Start with no event."""
        super().__init__(query, settings)
        self.forgotten = 0
        self.last: list[Accepted] = []  # the last one forgotten, if any

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = super().copy()
        twin.forgotten, twin.last = self.forgotten, self.last
        return twin

    def line(self, events: Sequence[Accepted], reached: float) -> Timeline:
        """Lay out the events behind those that were forgotten."""
        line = super().line([*self.last, *events], reached)
        ranked = self.query.window.measure is COUNT
        old = {one.arrival for one in self.last}
        known = (at for at in line.placed if at.accepted.arrival not in old)
        placed = [
            at._replace(rank=rank, coordinate=rank if ranked else at.coordinate)
            for rank, at in enumerate(known, self.forgotten)
        ]
        return line._replace(placed=tuple(placed))

    def takes(self, accepted: Accepted, reached: float, limit: float) -> bool:
        """As always; but what precedes a rank that was forgotten belongs to frozen windows."""
        older = any(accepted.event.time < one.event.time for one in self.last)
        by_time = self.settings.dialect.count_order == "time"
        if older and by_time and self.query.window.measure is COUNT:
            return False
        return super().takes(accepted, reached, limit)

    def forget(self, done: float) -> None:
        """Drop the oldest events that no window needs.

        By window, in a measure of the user's, any event may tell that an old window has ended.
        """
        self._contents = {}
        by_window = self.settings.dialect.lateness == "window"
        if by_window and self.query.window.measure not in (TIME, COUNT):
            return
        line = self.line(self.events, done)
        gone = [at.accepted for at in line.placed[: needless(self.query.window, line, done)]]
        self.forgotten, self.last = self.forgotten + len(gone), gone[-1:] or self.last
        arrivals = {one.arrival for one in gone}
        self.events = [one for one in self.events if one.arrival not in arrivals]
