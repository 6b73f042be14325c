"""The axis of event time: where a time is in a picture, and which times have a tick.

Positions are computed with integers, for times may be beyond what a float can hold.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from muntin.conformance.inspection import StepView
from muntin.conformance.transcript.expectations import JsonRow
from muntin.drawing.scene import SMALL_CHARACTER, text_width
from muntin.spec.stream import END

WIDTH = 450
"""Of the axis in pixels: at this width a phone shows all of it, in letters that can be read."""
LONGEST = 16
"""The most characters of a time that is written in full."""
TICK_GAP = 14.0
"""The least space between the labels of two ticks."""


def time_text(time: object) -> str:
    """A time as a label; of a very long one its first and last digits.

    >>> time_text(-7), time_text(10**40 + 5)
    ('-7', '100000..0005')
    """
    text = str(time)
    return text if len(text) <= LONGEST else f"{text[:6]}..{text[-4:]}"


@dataclass(frozen=True)
class TimeAxis:
    """The range of time that a picture shows."""

    low: int
    high: int

    def position(self, time: float) -> float:
        """Where a time is, within the picture; END is at its right end."""
        if abs(time) == END:
            return WIDTH if time > 0 else 0
        within = min(max(int(time), self.low), self.high)
        return (within - self.low) * WIDTH // max(self.high - self.low, 1)

    def ticks(self) -> Iterator[int]:
        """Times to label: multiples of 1, 2 or 5 times a power of ten, as many as have room.

        >>> list(TimeAxis(-1, 23).ticks()), list(TimeAxis(0, 10**6).ticks())
        ([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22], [0, 200000, 400000, 600000, 800000, 1000000])
        """
        longest = max(time_text(self.low), time_text(self.high), key=len)
        room = int(text_width(longest, SMALL_CHARACTER) + TICK_GAP)
        powers = (factor * 10**power for power in count() for factor in (1, 2, 5))
        span = max(self.high - self.low, 1)
        step = next(step for step in powers if step * WIDTH >= room * span)
        yield from range(-(-self.low // step) * step, self.high + 1, step)


def axis_of(
    views: Sequence[StepView], rows: Collection[JsonRow], timed: Collection[str]
) -> TimeAxis:
    """The axis of a trace: its events, watermarks and windows in time, and a margin."""
    times = {event.time for view in views for event in view.step.events}
    times |= {int(view.watermark) for view in views if abs(view.watermark) != END}
    edges = [
        row.get(name) for row in rows if row.get("query") in timed for name in ("start", "end")
    ]
    windows = [window for view in views[-1:] for window in view.windows]
    edges += [edge for w in windows if w.query in timed for edge in w.interval[:2] if edge != END]
    times |= {int(edge) for edge in edges if isinstance(edge, int | float)}
    low, high = min(times, default=0), max(times, default=1)
    margin = max((high - low) // 20, 1)
    return TimeAxis(low - margin, high + margin)
