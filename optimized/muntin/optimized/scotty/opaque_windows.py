"""Window types that derive from a known one: whatever they have changed, they say it themselves.

What is known of a class, such as where its edges lie, need not hold of what derives from it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from muntin.spec.dialect import Dialect
from muntin.spec.errors import UnsupportedError
from muntin.spec.query import Query, Settings
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.measure import Measure, PositionedEvent, Timeline
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import Context, Interval, WindowType

PERIODIC = (Sliding, Cumulate, Landmark, Band)
SUFFIX_CLOSED = (*PERIODIC, Rolling, LastNEvery)
"""Types that are right about any suffix of their tuples that holds what they need."""
FRAMES = (Session, Punctuation, Delta, State, Threshold)
"""Types that need nothing of what is forgotten, not even how much it was."""
USERS = (UserWindow, UserTrigger)
BUILTIN_WINDOWS = (*SUFFIX_CLOSED, *FRAMES, *USERS)


@dataclass(frozen=True)
class OpaqueWindow(WindowType):
    """A type of which nothing is known but what it answers."""

    kind: WindowType
    measure: Measure
    context: ClassVar[Context] = "FCA"

    @property
    def name(self) -> str:
        """The name of the type."""
        return self.kind.name

    def intervals(self, line: Timeline, /) -> Iterable[Interval]:
        """Return the intervals that exist."""
        return self.kind.intervals(line)

    def holds(self, interval: Interval, at: PositionedEvent, dialect: Dialect, /) -> bool:
        """Whether an event lies in an interval."""
        return self.kind.holds(interval, at, dialect)

    def reported_interval(self, interval: Interval, line: Timeline, /) -> Interval:
        """Return the interval as it is reported."""
        return self.kind.reported_interval(interval, line)

    def completion_time(self, interval: Interval, line: Timeline, /) -> float | None:
        """Return the least watermark at which the interval is complete."""
        return self.kind.completion_time(interval, line)


def as_opaque_if_derived(query: Query, settings: Settings) -> Query:
    """Return the query, over a foreign type if its type derives from a known one."""
    kind = query.window
    if not isinstance(kind, BUILTIN_WINDOWS) or type(kind) in BUILTIN_WINDOWS:
        return query
    if isinstance(kind, Session) and settings.dialect.lateness == "window":
        cannot = "derives from Session, of which events leave by window; derive it from WindowType"
        raise UnsupportedError(f"query {query.id!r}: {type(kind).__name__} {cannot}")
    return replace(query, window=OpaqueWindow(kind, kind.measure))
