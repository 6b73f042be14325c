"""Queries that have no form over columns: they run on the generic operator, beside the columns.

It is made when the first of them is asked, and gets every step from then on. What it must know of
the stream so far is told to it as one step: the last event of each key, and the watermark.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from muntin.kernels.slicing.arrays import FIRST, LAST, Flags
from muntin.kernels.slicing.batch import Batch
from muntin.kernels.slicing.moment import Clock
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.query import Query, Result, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.measure import COUNT, TIME

if TYPE_CHECKING:
    from muntin.optimized.scotty.operator import Scotty


@dataclass
class Generic:
    """The generic operator, if a query runs on it, and from when on each query sees events."""

    settings: Settings
    operator: "Scotty | None" = None
    since: dict[str, int] = field(default_factory=dict[str, int])
    latest: dict[Hashable, Event] = field(default_factory=dict[Hashable, Event])
    unknown: bool = False  # whether some rows came as columns, and were never made events

    def add(self, query: Query, since: int, clock: Clock, seen: float) -> Query:
        """Ask a query that sees what is younger than all that came; return it as it runs."""
        if self.unknown and query.window.measure not in (TIME, COUNT):
            name = query.window.measure.name
            raise UnsupportedError(
                f"query {query.id!r} can't be added now: windows over the measure {name!r} begin"
                " where the last event of each key says, and rows that came as columns were not"
                " kept; add it before the first columns, or ask a new operator"
            )
        operator = self.operator or self._begun(clock, seen)
        operator.add(query)
        self.operator = operator
        self.since[query.id] = since
        return operator.queries[-1]

    def _begun(self, clock: Clock, seen: float) -> "Scotty":
        """Return an operator that has seen what came."""
        from muntin.optimized.scotty.operator import Scotty  # noqa: PLC0415 - most never need it

        operator = Scotty(self.settings)
        known = sorted(self.latest.values(), key=lambda event: event.time)
        if seen > -END and (not known or known[-1].time < seen):
            known.append(Event(int(seen), None))
        reached = None if clock.reached == FIRST else clock.reached
        operator.take(Step(tuple(known), reached))
        if clock.watermark == LAST:
            operator.take(Step((), END))
        return operator

    def remove(self, name: str) -> None:
        """Ask a query no more; the last one takes the operator along."""
        if self.operator:
            self.operator.remove(name)
        del self.since[name]
        if not self.since:
            self.operator = None

    def take(self, step: Step) -> tuple[tuple[Result, ...], Flags, Flags]:
        """Return what is said to a step, which events any query here sees, and which are late."""
        events = step.events
        seen = np.zeros(len(events), np.bool_)
        late = seen.copy()
        if self.operator is None:
            return (), seen, late
        apart = tuple(replace(event) for event in events)  # late ones are told by identity
        said = self.operator.take(Step(apart, step.watermark))
        least, gone = min(self.since.values()), {id(event) for event in said.late}
        for at, event in enumerate(apart):
            seen[at], late[at] = event.time > least, id(event) in gone
        return said.results, seen, late

    def note(self, events: Sequence[Event]) -> None:
        """Remember the last event of each key."""
        for event in events:
            if event.time >= self.latest.setdefault(event.key, event).time:
                self.latest[event.key] = event


def as_step(batch: Batch, keys: Sequence[Hashable], watermark: float | None) -> Step:
    """Return a batch that came as columns as a step."""
    try:
        rows = zip(batch.events().tolist(), keys, strict=True)
    except ValueError as cause:
        raise InvalidInputError(f"values must be as many as the {len(batch)} times") from cause
    events = [Event(row.time, row.value, key, row.gap, row.punctuation) for row, key in rows]
    return Step(tuple(events), watermark)
