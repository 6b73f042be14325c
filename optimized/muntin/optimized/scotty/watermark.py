"""A step in time: the watermark before and after, and what follows from it."""

from collections.abc import Mapping

from muntin.spec.dialect import Dialect
from muntin.spec.query import Settings
from muntin.spec.stream import END


class StepWatermarks:
    """The watermark before the step and after, and the latter unless it is the end."""

    def __init__(self, settings: Settings, before: float, now: float, reached: float) -> None:
        """Say what follows, once for all who ask.

        Before the limit nothing changes. If `final`, windows are reported when they freeze, and not
        when they are complete; if `held_back`, updates wait for the next watermark; if
        `only_fresh`, windows are reported only when they become complete.
        """
        self.settings, self.before, self.now, self.last_finite = settings, before, now, reached
        self.limit_before, self.limit = (_limit(settings, watermark) for watermark in (before, now))
        self.final_until_before, self.final_until = (
            _final_until(settings, before),
            _final_until(settings, now),
        )
        self.final_only = settings.output == "final"
        update = "immediate" if self.final_only else settings.dialect.late_update
        self.held_back = update == "next_watermark" and now <= before
        self.new_windows_only = update == "none"

    def emission_range(self, closing: int) -> tuple[float, float]:
        """Return low and high: what ends in (low, high] is reported for the first time."""
        if self.final_only:
            return self.limit_before - max(0, closing), self.limit - max(0, closing)
        return self.before - closing, self.now - closing


def _limit(settings: Settings, watermark: float) -> float:
    never = settings.dialect.lateness == "never" and watermark < END
    return -END if never else watermark - settings.allowed_lateness


def _final_until(settings: Settings, watermark: float) -> float:
    """Return the time up to which windows are settled for good.

    By event, an event at the limit may still come. If nothing is ever late, nothing settles.
    """
    rule = settings.dialect.lateness
    return -END if rule == "never" else _limit(settings, watermark) - (rule == "event")


def emission_watermark(settings: Settings, completes_at: float, closing: int) -> float:
    """Return the watermark at which a window is told of that is past at some time."""
    if settings.output != "final":
        return completes_at + closing
    never = settings.dialect.lateness == "never"
    return END if never else completes_at + max(0, closing) + settings.allowed_lateness


def finalization_watermark(settings: Settings, final_at: float) -> float:
    """Return the watermark at which what settles at some time is settled for good."""
    rule = settings.dialect.lateness
    return END if rule == "never" else final_at + settings.allowed_lateness + (rule == "event")


def max_early_emission(dialect: Dialect) -> int:
    """Return how far behind the watermark an event can lie in a window that was told of.

    A window may be told of one before it is past, and a session may merge at its very end.
    """
    closing = dialect.closing
    shifts = closing.values() if isinstance(closing, Mapping) else [closing]
    return int(-1 in shifts) + int(dialect.session_merge == "le")
