"""Queries that share slices: what the operator asks of them."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from muntin.optimized.scotty.emission.window_manager import ResultChange
from muntin.optimized.scotty.slices.slice import LiftedEvent
from muntin.optimized.scotty.watermark import StepWatermarks
from muntin.spec.query import Query, Settings
from muntin.spec.stream import AcceptedEvent, Event


class LatenessVotes:
    """Who accepts an event and who refuses it, where lateness is judged by window (rule 4)."""

    def __init__(self) -> None:
        """Start with no verdict."""
        self._accepted: set[int] = set()
        self._refusing: dict[int, set[str]] = {}

    def accept(self, accepted: AcceptedEvent) -> None:
        """Note that some query accepts an event."""
        self._accepted.add(accepted.arrival)

    def record(self, accepted: AcceptedEvent, name: str, *, accepts: bool) -> None:
        """Count the verdict of a query that sees an event."""
        if accepts:
            self.accept(accepted)
        else:
            self._refusing.setdefault(accepted.arrival, set()).add(name)

    def refusing(self, accepted: AcceptedEvent) -> set[str]:
        """Return the queries that see an event and refuse it."""
        return self._refusing.get(accepted.arrival, set())

    def late(self, accepted: AcceptedEvent) -> bool:
        """Whether some query sees an event, and none accepts it."""
        return bool(self.refusing(accepted)) and accepted.arrival not in self._accepted


class QueryOutput(NamedTuple):
    """What a step says of one query and key."""

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
        """Let a further query share the slices; it has missed these last events of their keys."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Ask a query no more, and release what only it needed."""

    @abstractmethod
    def ingest(
        self, batch: Sequence[AcceptedEvent], moment: StepWatermarks, ballot: LatenessVotes
    ) -> None:
        """Give events to the queries that accept them; by event, all of these are in time."""

    @abstractmethod
    def outputs(self, moment: StepWatermarks) -> list[QueryOutput]:
        """Return what is to be said at the end of a step."""

    @abstractmethod
    def commit(self, reports: list[QueryOutput], moment: StepWatermarks) -> None:
        """Take the step for done."""

    @abstractmethod
    def restore(self) -> None:
        """Undo what the step has done so far."""

    def lift(self, accepted: AcceptedEvent) -> LiftedEvent:
        """Lift the value of an event, or name the first of the queries, and the event."""
        query = next(iter(self.queries.values()))
        event = accepted.event
        partial = query.call_user_code(f"{event}", lambda: query.aggregate.lift(event.value))
        return LiftedEvent(accepted, partial)


class PerEventGroup(SliceGroup):
    """A group that takes one event after the other."""

    def ingest(
        self, batch: Sequence[AcceptedEvent], moment: StepWatermarks, ballot: LatenessVotes
    ) -> None:
        """Give events to the queries that accept them."""
        for accepted in batch:
            for name, accepts in self.take(accepted, moment).items():
                ballot.record(accepted, name, accepts=accepts)

    @abstractmethod
    def take(self, accepted: AcceptedEvent, moment: StepWatermarks) -> Mapping[str, bool]:
        """Give an event to the queries that accept it, and say of each that sees it if it does."""
