"""The results last emitted for each window, and the changes to emit now (rule 11)."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

from muntin.optimized.scotty.schedules.base import SeenRange
from muntin.optimized.scotty.slices.slice import LiftedEvent
from muntin.optimized.scotty.slices.slice_manager import SliceManager
from muntin.optimized.scotty.watermark import StepWatermarks
from muntin.spec.dialect import Dialect
from muntin.spec.query import ChangeKind, Query
from muntin.spec.stream import Event
from muntin.spec.windows.window import Interval


class EmittedResult(NamedTuple):
    """The last result of a window, when it is final, and its number of tuples, if known."""

    value: object
    revision: int
    final_at: float
    tuple_count: int = 0


class ResultChange(NamedTuple):
    """A result to emit: new, updated or retracted."""

    kind: ChangeKind
    interval: Interval
    result: EmittedResult


class KeyView(NamedTuple):
    """What a window manager sees of its key; late events fell into windows that had completed."""

    slices: SliceManager
    seen: SeenRange
    late_events: Sequence[LiftedEvent] = ()


class WindowManager(ABC):
    """The windows of one query over one key: the window manager of [Traub20], section 5.3."""

    def __init__(self, query: Query, since: float, dialect: Dialect) -> None:
        """Start with nothing published."""
        self.query, self.since = query, since
        self.closing = dialect.closing_of(query.window.name)
        self.published: dict[Interval, EmittedResult] = {}

    @abstractmethod
    def is_on_time(self, event: Event, limit: float, key: KeyView) -> bool | None:
        """Whether an event is on time by window; None if no window holds it."""

    @abstractmethod
    def next_completion(self, time: float, key: KeyView) -> float:
        """A lower bound for when the first window that completes after `time` completes."""

    @abstractmethod
    def changes(self, watermarks: StepWatermarks, key: KeyView) -> list[ResultChange]:
        """The results that the step changes. Not called while updates are held back."""

    def commit(self, changes: Sequence[ResultChange], now: float, seen: SeenRange) -> None:
        """Record what was emitted."""
        del now, seen
        for kind, interval, result in changes:
            if kind == "retracted":
                del self.published[interval]
            else:
                self.published[interval] = result

    def forget(self, interval: Interval) -> None:
        """Drop a final window, unless it was retracted in the meantime."""
        self.published.pop(interval, None)

    def final_time(self, end: float) -> float:
        """The event time from which a window with this end is final."""
        return end + max(0, self.closing)

    def value(self, interval: Interval, fold: Callable[[], object]) -> object:
        """Fold and lower the value of a window; an error names the query and the window."""
        aggregate = self.query.aggregate
        where = f"the window [{interval.start}, {interval.end})"
        return self.query.call_user_code(where, lambda: aggregate.lower(fold()))
