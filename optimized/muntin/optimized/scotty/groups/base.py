"""The interface of a group of queries that share slices, as the operator calls it."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from muntin.optimized.scotty.emission.window_manager import ResultChange
from muntin.optimized.scotty.slices.slice import LiftedEvent
from muntin.optimized.scotty.watermark import StepWatermarks
from muntin.spec.query import Query, Settings
from muntin.spec.stream import AcceptedEvent, Event

Batch = Sequence[AcceptedEvent]


class LatenessVotes:
    """Whether queries accept or reject an event, if lateness is by window (rule 4)."""

    def __init__(self) -> None:
        """Start with no vote."""
        self._accepted: set[int] = set()
        self._rejected: set[int] = set()

    def accept(self, accepted: AcceptedEvent) -> None:
        """Record that some query accepts an event."""
        self._accepted.add(accepted.arrival)

    def record(self, accepted: AcceptedEvent, *, accepts: bool) -> None:
        """Record whether a query that sees an event accepts it."""
        (self._accepted if accepts else self._rejected).add(accepted.arrival)

    def is_late(self, accepted: AcceptedEvent) -> bool:
        """Whether some query sees an event, and none accepts it."""
        arrival = accepted.arrival
        return arrival in self._rejected and arrival not in self._accepted


class QueryOutput(NamedTuple):
    """The results of one query and key that a step changes."""

    query: str
    key: Hashable
    changes: list[ResultChange]


class SliceGroup(ABC):
    """Slices that several queries share, for each key."""

    def __init__(self, settings: Settings) -> None:
        """Start without queries."""
        self.settings = settings
        self.queries: dict[str, Query] = {}
        self.since: dict[str, float] = {}

    @abstractmethod
    def add(self, query: Query, since: float, missed: Mapping[Hashable, Event]) -> None:
        """Register a query; `missed` are the last events before it, by key."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Drop a query, and the state that only it needed."""

    @abstractmethod
    def ingest(self, batch: Batch, watermarks: StepWatermarks, votes: LatenessVotes) -> None:
        """Add events to slices for the queries that accept them; by event, all are on time."""

    @abstractmethod
    def outputs(self, watermarks: StepWatermarks) -> list[QueryOutput]:
        """The results that the step changes. It may set and fire timers, but publishes nothing."""

    @abstractmethod
    def commit(self, outputs: list[QueryOutput], watermarks: StepWatermarks) -> None:
        """Make the step permanent: publish, set timers anew, and evict what no window needs."""

    @abstractmethod
    def restore(self) -> None:
        """Undo what the step has done so far."""

    def lift(self, accepted: AcceptedEvent) -> LiftedEvent:
        """Lift the value of an event; an error names the first query and the event."""
        query = next(iter(self.queries.values()))
        event = accepted.event
        partial = query.call_user_code(f"{event}", lambda: query.aggregate.lift(event.value))
        return LiftedEvent(accepted, partial)


class PerEventGroup(SliceGroup):
    """A group that ingests one event after the other."""

    def ingest(self, batch: Batch, watermarks: StepWatermarks, votes: LatenessVotes) -> None:
        """Add events to slices for the queries that accept them, and record who does."""
        for accepted in batch:
            for accepts in self.ingest_event(accepted, watermarks).values():
                votes.record(accepted, accepts=accepts)

    @abstractmethod
    def ingest_event(
        self, accepted: AcceptedEvent, watermarks: StepWatermarks
    ) -> Mapping[str, bool]:
        """Add an event for the queries that accept it; for each that sees it, whether it does."""
