"""What was last said of a window, and what is to be said of it now (rule 11)."""

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
    """The last report on a window, when it settles, and how many tuples it had, if known."""

    value: object
    revision: int
    settles: float
    size: int = 0


class ResultChange(NamedTuple):
    """A report to be made."""

    kind: ChangeKind
    interval: Interval
    said: EmittedResult


class WindowManager(ABC):
    """The windows of one query over one key: the window manager of [Traub20], section 5.3."""

    def __init__(self, query: Query, since: float, dialect: Dialect) -> None:
        """Start with nothing published."""
        self.query, self.since = query, since
        self.closing = dialect.closing_of(query.window.name)
        self.published: dict[Interval, EmittedResult] = {}

    @abstractmethod
    def is_on_time(
        self, event: Event, limit: float, slices: SliceManager, extent: SeenRange
    ) -> bool | None:
        """Whether an event is on time by window; None if no window holds it."""

    @abstractmethod
    def due(self, after: float, slices: SliceManager, extent: SeenRange) -> float:
        """Return when the first window is past that is past after a time, at the earliest."""

    @abstractmethod
    def changes(
        self,
        moment: StepWatermarks,
        slices: SliceManager,
        late: Sequence[LiftedEvent],
        extent: SeenRange,
    ) -> list[ResultChange]:
        """Return what the step changes; tuples in windows that had ended are among the late.

        Nobody asks while updates are held back.
        """

    def commit(
        self, changes: Sequence[ResultChange], moment: StepWatermarks, extent: SeenRange
    ) -> None:
        """Publish."""
        del moment, extent
        for kind, interval, said in changes:
            if kind == "retracted":
                del self.published[interval]
            else:
                self.published[interval] = said

    def forget(self, interval: Interval) -> None:
        """Forget a window that is settled, unless it has gone since."""
        self.published.pop(interval, None)

    def settles(self, end: float) -> float:
        """Return the time at which a window is settled."""
        return end + max(0, self.closing)

    def value(self, one: Interval, fold: Callable[[], object]) -> object:
        """Fold and lower the value of a window, or name the query and window that fail."""
        aggregate = self.query.aggregate
        where = f"the window [{one.start}, {one.end})"
        return self.query.call_user_code(where, lambda: aggregate.lower(fold()))
