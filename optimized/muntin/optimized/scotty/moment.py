"""A step in time: the watermark before and after, and what follows from it."""

from collections.abc import Mapping
from dataclasses import dataclass

from muntin.spec.dialect import Dialect
from muntin.spec.query import Settings
from muntin.spec.stream import END


@dataclass(slots=True)
class Moment:
    """The watermark before the step and after, and the latter unless it is the end."""

    settings: Settings
    before: float
    now: float
    reached: float

    @property
    def limit_before(self) -> float:
        """The time before which nothing changed any more."""
        return self._limit(self.before)

    @property
    def limit(self) -> float:
        """The time before which nothing changes any more."""
        return self._limit(self.now)

    def _limit(self, watermark: float) -> float:
        never = self.settings.dialect.lateness == "never" and watermark < END
        return -END if never else watermark - self.settings.allowed_lateness

    @property
    def final(self) -> bool:
        """Whether windows are reported when they freeze, and not when they are complete."""
        return self.settings.output == "final"

    @property
    def held_back(self) -> bool:
        """Whether updates have to wait for the next watermark."""
        waits = self.settings.dialect.late_update == "next_watermark" and not self.final
        return waits and self.now <= self.before

    @property
    def only_fresh(self) -> bool:
        """Whether windows are reported only when they become complete."""
        return self.settings.dialect.late_update == "none" and not self.final

    @property
    def done(self) -> float:
        """The time up to which windows are settled for good.

        By event, an event at the limit may still come. If nothing is ever late, nothing settles.
        """
        return self._done(self.limit)

    @property
    def done_before(self) -> float:
        """The same before the step."""
        return self._done(self.limit_before)

    def _done(self, limit: float) -> float:
        rule = self.settings.dialect.lateness
        return -END if rule == "never" else limit - (rule == "event")

    def reporting(self, closing: int) -> tuple[float, float]:
        """Return low and high: what ends in (low, high] is reported for the first time."""
        if self.final:
            return self.limit_before - max(0, closing), self.limit - max(0, closing)
        return self.before - closing, self.now - closing


def told_at(settings: Settings, past: float, closing: int) -> float:
    """Return the watermark at which a window is told of that is past at some time."""
    if settings.output != "final":
        return past + closing
    never = settings.dialect.lateness == "never"
    return END if never else past + max(0, closing) + settings.allowed_lateness


def done_at(settings: Settings, settles: float) -> float:
    """Return the watermark at which what settles at some time is settled for good."""
    rule = settings.dialect.lateness
    return END if rule == "never" else settles + settings.allowed_lateness + (rule == "event")


def early(dialect: Dialect) -> int:
    """Return how far behind the watermark an event can lie in a window that was told of.

    A window may be told of one before it is past, and a session may merge at its very end.
    """
    closing = dialect.closing
    closings = closing.values() if isinstance(closing, Mapping) else [closing]
    return int(-1 in closings) + int(dialect.session_merge == "le")
