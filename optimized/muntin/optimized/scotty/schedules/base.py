"""What slicing must know of a window type in time whose edges are known beforehand.

The span of a window is the half-open range of the times that it holds, whatever the dialect says
of its ends. A window is past at its end, closed or open (and what a dialect adds to that).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import NamedTuple

from muntin.optimized.scotty.schedules.periodic_edges import ScheduledWindow, edge_shift
from muntin.optimized.scotty.slices.edges import Progression
from muntin.spec.dialect import Dialect
from muntin.spec.stream import END
from muntin.spec.windows.window import Interval

NextSliceAfter = Callable[[float], int | None]


class SeenRange(NamedTuple):
    """The first time that the query has seen of the key, the last, and how far time has come."""

    first: int
    last: int
    last_finite: float


class WindowSchedule(ABC):
    """The windows that begin after `since`, of one type."""

    retained_from: int | None = None
    """The time from which everything is kept, if there is one."""
    shortest_window: int = 0
    """How many times a window holds at least."""

    def __init__(self, window: ScheduledWindow, dialect: Dialect, since: float) -> None:
        """Take in what is common to all types."""
        self.dialect, self.since = dialect, since
        self.opens, self.closes = edge_shift(window, dialect)

    def completion_time(self, interval: Interval) -> float:
        """Return when a window is past: at its end, or the first time after one that it holds."""
        return interval.end + self.closes

    def clip(self, span: tuple[int, int]) -> tuple[int, int]:
        """Return what the query sees of a span."""
        low, high = span
        return (low if self.since == -END else max(low, int(self.since) + 1)), high

    @abstractmethod
    def edges(self) -> list[Progression]:
        """Return the edges of all spans."""

    @abstractmethod
    def span(self, interval: Interval) -> tuple[int, int]:
        """Return the span of a window."""

    @abstractmethod
    def windows_containing(self, time: int, until: float, seen: SeenRange) -> Iterator[Interval]:
        """Return the windows that hold a time, and are past at `high`."""

    @abstractmethod
    def windows_ending_in(
        self, after: float, until: float, seen: SeenRange, next_slice_after: NextSliceAfter
    ) -> Iterator[Interval]:
        """Return the windows that are past in (low, high], at least if they hold a slice.

        `after` gives the time of the first slice that does not begin before a time.
        """

    @abstractmethod
    def last_completion(self, time: int, seen: SeenRange) -> float | None:
        """Return when the last of the windows that hold a time is past, if any does."""

    @abstractmethod
    def first_open_after(self, time: int) -> Interval | None:
        """Return the first window that is past after `done`, whether it holds anything or not."""


def align_up(minimum: int, residue: int, period: int) -> int:
    """Return the least number in residue + period * Z that is not below the given one."""
    return minimum + (residue - minimum) % period
