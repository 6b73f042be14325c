"""The watermarks around a step, and what follows from them: lateness, emission, finality."""

from collections.abc import Mapping

from muntin.spec.dialect import Dialect
from muntin.spec.query import Settings
from muntin.spec.stream import END


class StepWatermarks:
    """The watermark before the step and after, and the last finite one."""

    def __init__(self, settings: Settings, before: float, now: float, reached: float) -> None:
        """Derive what all groups read.

        Before the limit nothing changes. If `final_only`, windows are emitted when they are final,
        and not when they are complete; if `held_back`, updates wait for the next watermark; if
        `new_windows_only`, windows are emitted only when they become complete.
        """
        self.settings, self.before, self.now, self.last_finite = settings, before, now, reached
        self.limit_before, self.limit = (_limit(settings, watermark) for watermark in (before, now))
        self.final_until_before = _final_until(settings, before)
        self.final_until = _final_until(settings, now)
        self.final_only = settings.output == "final"
        update = "immediate" if self.final_only else settings.dialect.late_update
        self.held_back = update == "next_watermark" and now <= before
        self.new_windows_only = update == "none"

    def emission_range(self, closing: int) -> tuple[float, float]:
        """Low and high: a window that ends in (low, high] is emitted for the first time."""
        if self.final_only:
            return self.limit_before - max(0, closing), self.limit - max(0, closing)
        return self.before - closing, self.now - closing


def _limit(settings: Settings, watermark: float) -> float:
    never = settings.dialect.lateness == "never" and watermark < END
    return -END if never else watermark - settings.allowed_lateness


def _final_until(settings: Settings, watermark: float) -> float:
    """The time up to which windows are final.

    By event, an event at the limit may still come. If no event is ever late, no window is final.
    """
    rule = settings.dialect.lateness
    return -END if rule == "never" else _limit(settings, watermark) - (rule == "event")


def emission_watermark(settings: Settings, completes_at: float, closing: int) -> float:
    """The watermark at which a window is emitted that completes at some time."""
    if settings.output != "final":
        return completes_at + closing
    never = settings.dialect.lateness == "never"
    return END if never else completes_at + max(0, closing) + settings.allowed_lateness


def finalization_watermark(settings: Settings, final_at: float) -> float:
    """The watermark at which a window is final whose last update may come until `final_at`."""
    rule = settings.dialect.lateness
    return END if rule == "never" else final_at + settings.allowed_lateness + (rule == "event")


def max_early_emission(dialect: Dialect) -> int:
    """How far behind the watermark an event can lie in a window that was emitted.

    With `closing=-1` a window is emitted one time unit early; with `session_merge="le"` a session
    can still merge at its end.
    """
    closing = dialect.closing
    shifts = closing.values() if isinstance(closing, Mapping) else [closing]
    return int(-1 in shifts) + int(dialect.session_merge == "le")
