"""The interface of every window operator: the denotation, one call at a time (definition S4)."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from muntin.spec.query import Output, Query
from muntin.spec.stream import Event, Step


class Operator(ABC):
    """Emits for each step and key what `muntin.spec.denotation` does."""

    @abstractmethod
    def add(self, query: Query) -> None:
        """Register a query: it sees events younger than all that came."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Unregister a query, and evict the state that only it needed."""

    @abstractmethod
    def take(self, step: Step, /) -> Output:
        """Process a step: the results that it changes, and its late events."""

    def step(self, events: Sequence[Event], watermark: float | None = None) -> Output:
        """Process events in arrival order, then a watermark, if there is one."""
        return self.take(Step(tuple(events), watermark))
