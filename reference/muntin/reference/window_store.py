"""What a naive operator keeps for one query and one key."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple, Self

from muntin.spec.query import Query, Settings
from muntin.spec.stream import AcceptedEvent
from muntin.spec.windows.window import Interval


@dataclass(frozen=True)
class WindowContent:
    """A window as a store knows it. Its stamp changes whenever its content does."""

    interval: Interval
    completes_at: float | None
    final_at: float
    stamp: tuple[int, ...]

    def is_complete(self, watermark: float) -> bool:
        """Whether it has ended, and no event to come can take part."""
        return self.completes_at is not None and self.completes_at <= watermark


class RetainedState(NamedTuple):
    """How much a store holds: stored events, and partial aggregates."""

    events: int
    partials: int


class WindowStore(ABC):
    """The windows of one query over the events of one key."""

    def __init__(self, query: Query, settings: Settings) -> None:
        """Start with no event."""
        self.query, self.settings = query, settings

    @classmethod
    @abstractmethod
    def unsupported_reason(cls, query: Query, settings: Settings) -> str | None:
        """Say why this kind of store cannot serve a query, if it cannot."""

    @abstractmethod
    def copy(self) -> Self:
        """Return an independent copy, so that a step that fails leaves no trace."""

    @abstractmethod
    def accepts(self, accepted: AcceptedEvent, reached: float, limit: float) -> bool:
        """Whether an event is on time where lateness is judged by window (rule 4)."""

    @abstractmethod
    def insert(self, accepted: AcceptedEvent) -> None:
        """Add an event."""

    @abstractmethod
    def windows(self, reached: float) -> list[WindowContent]:
        """Return every window that may still change, and perhaps some that may not."""

    @abstractmethod
    def value(self, seen: WindowContent, besides: Collection[int]) -> object:
        """Aggregate a window, leaving out the events with these arrival numbers."""

    @abstractmethod
    def evict(self, done: float) -> None:
        """Drop what only windows need that are settled at this time."""

    @abstractmethod
    def retained(self) -> RetainedState:
        """Return how much is held."""
