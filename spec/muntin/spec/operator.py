"""The interface of every window operator: the denotation, one call at a time (definition S4)."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from muntin.spec.query import Output, Query
from muntin.spec.stream import Event, Step


class Operator(ABC):
    """Answers each step as `muntin.spec.denotation` does."""

    @abstractmethod
    def add(self, query: Query) -> None:
        """Ask a further query: it sees what is younger than all that came."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Ask a query no more, and release what only it needed."""

    @abstractmethod
    def take(self, step: Step, /) -> Output:
        """Take in a step, and say what it changes."""

    def step(self, events: Sequence[Event], watermark: float | None = None) -> Output:
        """Take in events, then perhaps a watermark."""
        return self.take(Step(tuple(events), watermark))
