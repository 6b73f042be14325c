"""When a key has something to say, and when it may be forgotten: what follows from window types.

Both are bounds that need no look at the state of the key: one from below, the other from above. Of
a type that derives from a known one nothing follows: it may have changed whatever it likes.
"""

from dataclasses import dataclass

from muntin.optimized.scotty.opaque_windows import BUILTIN_WINDOWS
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.query import Settings
from muntin.spec.stream import END
from muntin.spec.windows.data_driven import Rolling, Session
from muntin.spec.windows.measure import TIME
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.windows.window import WindowType


@dataclass(frozen=True)
class TimerRules:
    """The window types of a call, and its settings."""

    kinds: tuple[WindowType, ...]
    settings: Settings

    def next_emission(self, watermark: float) -> float:
        """Return a watermark such that nothing is to be said before it.

        >>> from muntin.spec.windows.periodic import tumbling
        >>> TimerRules((tumbling(10), Sliding(6, 4)), Settings()).next_emission(13)
        14
        """
        final = self.settings.output == "final"
        lateness = self.settings.allowed_lateness if final else 0
        past = watermark - lateness
        return min(next_edge(kind, past, self.settings.dialect) for kind in self.kinds) + lateness

    def expiry(self, last: int, gap: int) -> float:
        """Return the watermark at which all windows of events up to a time are frozen.

        A key that says no more by then is as if it had never been. END, if it is never so.
        """
        dialect = self.settings.dialect
        if dialect.lateness == "never":
            return END
        reach = max(last_window_end(kind, last, gap, dialect) for kind in self.kinds)
        late = 1 if dialect == OURS else 2  # an end that belongs, and one more to close
        return reach + self.settings.allowed_lateness + late


def next_edge(kind: WindowType, after: float, dialect: Dialect) -> float:
    """Return a time after another, before which no window of the type is complete."""
    known = type(kind) in BUILTIN_WINDOWS and kind.measure is TIME
    if after == -END or not known or dialect != OURS:
        return after + 1
    at = int(after) + 1
    if isinstance(kind, Sliding):
        return at + (kind.offset + kind.size - at) % kind.slide
    if isinstance(kind, Cumulate):
        return at + (kind.offset - at) % kind.step
    if isinstance(kind, Landmark):
        return at + (kind.at - at) % kind.every
    if isinstance(kind, Band):
        return kind.end if kind.end > after else END
    return at


def last_window_end(kind: WindowType, last: int, gap: int, dialect: Dialect = OURS) -> float:
    """Return a time at which all windows that hold events up to a time have ended.

    Where windows are aligned by truncation, those of an event may begin after it.
    """
    if type(kind) not in BUILTIN_WINDOWS or kind.measure is not TIME:
        return END
    after = int(dialect.alignment == "truncate")
    if isinstance(kind, Sliding):
        return last + kind.size + after * kind.slide
    if isinstance(kind, Cumulate):
        return last + kind.size + after * kind.size
    if isinstance(kind, Session):
        return last + max(kind.gap, gap)
    if isinstance(kind, Rolling) and kind.every == 1:
        return last + kind.size
    return max(last, kind.end) if isinstance(kind, Band) else END
