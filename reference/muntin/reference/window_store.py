"""The state that a naive operator has for one query and one key."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple, Self

from muntin.spec.query import Query, Settings
from muntin.spec.stream import AcceptedEvent
from muntin.spec.windows.window import Interval


@dataclass(frozen=True)
class WindowContent:
    """A window of a store. Its stamp changes whenever its content does."""

    interval: Interval
    completes_at: float | None
    final_at: float
    stamp: tuple[int, ...]

    def is_complete(self, watermark: float) -> bool:
        """Whether the window has ended, and no event to come can take part."""
        return self.completes_at is not None and self.completes_at <= watermark


class RetainedState(NamedTuple):
    """The size of a store: stored events, and partial aggregates."""

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
        """Why this kind of store does not support a query; None if it does."""

    @abstractmethod
    def copy(self) -> Self:
        """An independent copy, so that a step that fails changes nothing."""

    @abstractmethod
    def accepts(self, accepted: AcceptedEvent, finite_watermark: float, limit: float) -> bool:
        """Whether an event is on time where lateness is judged by window (rule 4)."""

    @abstractmethod
    def insert(self, accepted: AcceptedEvent) -> None:
        """Add an event."""

    @abstractmethod
    def windows(self, finite_watermark: float) -> list[WindowContent]:
        """All windows that can still change, and perhaps some that cannot."""

    @abstractmethod
    def value(self, window: WindowContent, excluded: Collection[int]) -> object:
        """The aggregate of a window without the events of these arrival numbers."""

    @abstractmethod
    def evict(self, final_time: float) -> None:
        """Drop what only windows need that are final at this time."""

    @abstractmethod
    def retained(self) -> RetainedState:
        """The size of the store."""
