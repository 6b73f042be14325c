"""The interface of a window schedule: window types in time whose edges are known beforehand.

The span of a window is the half-open range of the times that it holds, whatever the dialect makes
of its ends. A window completes at its end, closed or open (and what a dialect adds to that).
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
    """First and last time that a query has seen of a key, and the last finite watermark."""

    first: int
    last: int
    last_finite: float


class WindowSchedule(ABC):
    """The windows of one type that begin after `since`."""

    retained_from: int | None = None
    """The time from which everything is kept, if there is one."""
    shortest_window: int = 0
    """How many times a window holds at least."""

    def __init__(self, window: ScheduledWindow, dialect: Dialect, since: float) -> None:
        """Derive what is common to all types."""
        self.dialect, self.since = dialect, since
        self.opens, self.closes = edge_shift(window, dialect)

    def completion_time(self, interval: Interval) -> float:
        """When a window completes: at its end, or the first time after one that it holds."""
        return interval.end + self.closes

    def clip(self, span: tuple[int, int]) -> tuple[int, int]:
        """The part of a span that the query sees."""
        low, high = span
        return (low if self.since == -END else max(low, int(self.since) + 1)), high

    @abstractmethod
    def edges(self) -> list[Progression]:
        """The edges of all spans."""

    @abstractmethod
    def span(self, interval: Interval) -> tuple[int, int]:
        """The span of a window."""

    @abstractmethod
    def windows_containing(self, time: int, until: float, seen: SeenRange) -> Iterator[Interval]:
        """The windows that hold a time and complete by `until`."""

    @abstractmethod
    def windows_ending_in(
        self, after: float, until: float, seen: SeenRange, next_slice_after: NextSliceAfter
    ) -> Iterator[Interval]:
        """The windows that complete in (after, until], at least those that hold a slice.

        `next_slice_after` gives the time of the first slice that does not begin before a time.
        """

    @abstractmethod
    def last_completion(self, time: int, seen: SeenRange) -> float | None:
        """When the last of the windows that hold a time completes, if there is one."""

    @abstractmethod
    def first_open_after(self, time: int) -> Interval | None:
        """The first window that completes after `time`, whether it holds events or not."""


def align_up(minimum: int, residue: int, period: int) -> int:
    """The least number in residue + period * Z that is not below the minimum."""
    return minimum + (residue - minimum) % period
