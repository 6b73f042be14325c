"""When a bucket has to be processed without rows: its next emission and its expiry, by window type.

Task after the shuffle. Both are bounds that need no look at the state: no window is emitted before
the next emission, and all are final at the expiry. A subclass of a known type may override
anything, so nothing is inferred for it.
"""

from dataclasses import dataclass

from muntin.optimized.common.window_traits import GAP, traits_of
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.query import Settings
from muntin.spec.stream import END
from muntin.spec.windows.measure import TIME
from muntin.spec.windows.window import WindowType


@dataclass(frozen=True)
class TimerRules:
    """The window types of a call, and its settings."""

    kinds: tuple[WindowType, ...]
    settings: Settings

    def next_emission(self, watermark: float) -> float:
        """A later watermark, before which no window is emitted without new rows.

        >>> from muntin.spec.windows.periodic import Sliding, tumbling
        >>> TimerRules((tumbling(10), Sliding(6, 4)), Settings()).next_emission(13)
        14
        """
        final = self.settings.output == "final"
        lateness = self.settings.allowed_lateness if final else 0
        after = watermark - lateness
        return min(next_edge(kind, after, self.settings.dialect) for kind in self.kinds) + lateness

    def expiry(self, last: int, gap: int) -> float:
        """The watermark at which all windows of events up to a time are final; END if never.

        A key without later events is then as if it had never been.
        """
        dialect = self.settings.dialect
        if dialect.lateness == "never":
            return END
        window_end = max(last_window_end(kind, last, gap, dialect) for kind in self.kinds)
        margin = 1 if dialect == OURS else 2  # an inclusive end, and one more to close
        return window_end + self.settings.allowed_lateness + margin


def next_edge(kind: WindowType, after: float, dialect: Dialect) -> float:
    """A time after another, before which no window of the type is complete."""
    next_end = traits_of(kind).next_end if kind.measure is TIME and dialect == OURS else None
    return after + 1 if next_end is None or after == -END else next_end(int(after))


def last_window_end(kind: WindowType, last: int, gap: int, dialect: Dialect = OURS) -> float:
    """A time at which all windows of events up to `last` have ended; END if there is none.

    Where windows are aligned by truncation, those of an event may begin after it.
    """
    traits = traits_of(kind)
    if traits.all_ended is None or kind.measure is not TIME:
        return END
    end = traits.all_ended(last) + int(dialect.alignment == "truncate") * traits.period
    return max(end, last + gap) if GAP in traits.inputs else end
