"""What was last said of a window, and what is to be said of it now (rule 11)."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

from muntin.optimized.scotty.calendars import Extent
from muntin.optimized.scotty.moment import Moment
from muntin.optimized.scotty.slice import Lifted
from muntin.optimized.scotty.slice_manager import SliceManager
from muntin.spec.dialect import Dialect
from muntin.spec.query import Kind, Query
from muntin.spec.stream import Event
from muntin.spec.window import Interval


class Said(NamedTuple):
    """The last report on a window, when it settles, and how many tuples it had, if known."""

    value: object
    revision: int
    settles: float
    size: int = 0


class Change(NamedTuple):
    """A report to be made."""

    kind: Kind
    interval: Interval
    said: Said


class View(ABC):
    """The windows of one query over one key: the window manager of [Traub20], section 5.3."""

    def __init__(self, query: Query, since: float, dialect: Dialect) -> None:
        """Start with nothing published."""
        self.query, self.since = query, since
        self.closing = dialect.closing_of(query.window.name)
        self.published: dict[Interval, Said] = {}

    @abstractmethod
    def judge(self, event: Event, limit: float, extent: Extent) -> bool | None:
        """Whether an event is on time by window; None if no window holds it."""

    @abstractmethod
    def note(self, event: Event) -> None:
        """Take note of an event that was accepted."""

    @abstractmethod
    def changes(
        self, moment: Moment, slices: SliceManager, news: Sequence[Lifted], extent: Extent
    ) -> list[Change]:
        """Return what the step changes, and change nothing."""

    @abstractmethod
    def release(self, done: float) -> None:
        """Forget what only settled windows need."""

    @abstractmethod
    def needed_from(self, done: float) -> float:
        """Return the time from which slices are needed."""

    @abstractmethod
    def open_from(self) -> list[int] | None:
        """Where windows begin that have no bound on their length; None if all have one."""

    @abstractmethod
    def checkpoint(self) -> Callable[[], None]:
        """Return what undoes all that is noted from now on."""

    def commit(self, changes: Sequence[Change], moment: Moment, extent: Extent) -> None:
        """Publish, and forget what is settled."""
        del extent
        for change in changes:
            if change.kind == "retracted":
                del self.published[change.interval]
            else:
                self.published[change.interval] = change.said
        done = moment.done
        if done > moment.done_before:
            gone = [one for one, said in self.published.items() if said.settles <= done]
            for one in gone:
                del self.published[one]
            self.release(done)

    @property
    def idle(self) -> bool:
        """Whether nothing is left that could matter."""
        return not self.published

    def settles(self, end: float) -> float:
        """Return the time at which a window is settled."""
        return end + max(0, self.closing)

    def value(self, one: Interval, fold: Callable[[], object]) -> object:
        """Fold and lower the value of a window, or name the query and window that fail."""
        aggregate = self.query.aggregate
        where = f"the window [{one.start}, {one.end})"
        return self.query.guarded(where, lambda: aggregate.lower(fold()))
