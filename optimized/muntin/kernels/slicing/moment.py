"""One step in time: the watermark and the limit of lateness, before it and after it."""

from dataclasses import dataclass
from typing import NamedTuple

from muntin.kernels.slicing.arrays import FIRST, LAST, clock
from muntin.optimized.common.window_traits import MARK, inputs_of
from muntin.spec.query import Settings
from muntin.spec.windows.window import WindowType


@dataclass(frozen=True)
class Clock:
    """The watermark, the greatest one that is not END, and the limit (rules 3, 4 and 12)."""

    watermark: int = FIRST
    reached: int = FIRST
    limit: int = FIRST

    def advanced(self, given: float, settings: Settings) -> "Clock":
        """Return the clock after a watermark; a lower one changes nothing."""
        watermark = max(self.watermark, clock(given))
        if settings.dialect.lateness == "never":
            return Clock(watermark, watermark if watermark < LAST else self.reached)
        still = watermark in (FIRST, LAST)
        limit = watermark if still else max(FIRST, watermark - settings.allowed_lateness)
        return Clock(watermark, watermark if watermark < LAST else self.reached, limit)


class Moment(NamedTuple):
    """The clock before a step and after it."""

    before: Clock
    after: Clock

    def reporting(self, *, final: bool) -> tuple[int, int]:
        """Return up to which time all ends were reported before, and up to which they are now."""
        if final:
            return self.before.limit, self.after.limit
        return self.before.watermark, self.after.watermark


class Within(NamedTuple):
    """The windows to look at: those that settle after one time, and not after another."""

    after: int
    upto: int


def told_upto(kind: WindowType, clock: Clock) -> int:
    """Return the time up to which windows are told for good; an event at it may be a mark."""
    return clock.limit - (MARK in inputs_of(kind))
