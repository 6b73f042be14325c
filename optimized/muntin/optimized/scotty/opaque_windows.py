"""Window types derived from a built-in one are opaque: only their own methods are relied on.

What holds of a class, such as where its edges lie, need not hold of a class derived from it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from muntin.optimized.common.window_traits import base_in_table
from muntin.spec.dialect import Dialect
from muntin.spec.errors import UnsupportedError
from muntin.spec.query import Query, Settings
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import Measure, PositionedEvent, Timeline
from muntin.spec.windows.window import Context, Interval, WindowType


@dataclass(frozen=True)
class OpaqueWindow(WindowType):
    """A window type known only by what its methods return."""

    kind: WindowType
    measure: Measure
    context: ClassVar[Context] = "FCA"

    @property
    def name(self) -> str:
        """The name of the type."""
        return self.kind.name

    def intervals(self, timeline: Timeline, /) -> Iterable[Interval]:
        """The intervals that exist."""
        return self.kind.intervals(timeline)

    def holds(self, interval: Interval, positioned: PositionedEvent, dialect: Dialect, /) -> bool:
        """Whether an event lies in an interval."""
        return self.kind.holds(interval, positioned, dialect)

    def reported_interval(self, interval: Interval, timeline: Timeline, /) -> Interval:
        """The interval as it is emitted."""
        return self.kind.reported_interval(interval, timeline)

    def completion_time(self, interval: Interval, timeline: Timeline, /) -> float | None:
        """The least watermark at which the interval is complete."""
        return self.kind.completion_time(interval, timeline)


def as_opaque_if_derived(query: Query, settings: Settings) -> Query:
    """The query, over an opaque window if its type derives from a built-in one."""
    window = query.window
    if base_in_table(window) in (None, type(window)):
        return query
    if isinstance(window, Session) and settings.dialect.lateness == "window":
        reason = (
            "derives from Session, not served with lateness by window; derive it from WindowType"
        )
        raise UnsupportedError(f"query {query.id!r}: {type(window).__name__} {reason}")
    return replace(query, window=OpaqueWindow(window, window.measure))
