"""Frames: windows that values make, and never part what is simultaneous [Grossniklaus16].

What nothing has ended yet ends with the stream. Nulls begin and end no frame of numbers.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import groupby, pairwise

from muntin.spec.algebra.values import Number
from muntin.spec.errors import InvalidInputError, positive
from muntin.spec.windows.data_driven import cut_intervals
from muntin.spec.windows.measure import TIME, Measure, Timeline
from muntin.spec.windows.window import Interval, WindowType


def groups(timeline: Timeline) -> dict[int, list[object]]:
    """The values of all events at each coordinate, in event order."""
    by_coordinate = groupby(timeline.events, key=lambda event: event.coordinate)
    return {c: [event.accepted.event.value for event in tied] for c, tied in by_coordinate}


def numbers(timeline: Timeline) -> dict[int, list[Number]]:
    """The values that are not null; an error names the first that is no number."""
    for event in [positioned.accepted.event for positioned in timeline.events]:
        if isinstance(event.value, bool) or not isinstance(event.value, Number | None):
            raise InvalidInputError(f"a frame needs numbers, not {event.value!r} at {event}")
    return {c: [v for v in vs if isinstance(v, Number)] for c, vs in groups(timeline).items()}


@dataclass(frozen=True)
class Delta(WindowType):
    """A frame ends before a value that differs from its first by more (definition W13)."""

    threshold: Number
    measure: Measure = TIME
    context, type_name = "FCF", "delta"

    def intervals(self, timeline: Timeline, /) -> Iterable[Interval]:
        """The frames: they cover all events."""
        values, limit = numbers(timeline), self.threshold

        def cut(cuts: list[int], at: int) -> list[int]:
            first = next((v for c in values if c >= cuts[-1] for v in values[c]), None)
            far = first is not None and any(not -limit <= v - first <= limit for v in values[at])
            return [*cuts, at] if far and at > cuts[-1] else cuts

        return cut_intervals(reduce(cut, values, list(values)[:1]))


def delta(threshold: Number, measure: Measure = TIME) -> Delta:
    """Cut where the value moves: `delta(2)` of values 1, 3, 4 at 1, 3, 4 is [1, 4) [4, END)."""
    return Delta(threshold, measure)


@dataclass(frozen=True)
class State(WindowType):
    """A maximal run of one value (definition W14)."""

    measure: Measure = TIME
    context, type_name = "FCF", "state"

    def intervals(self, timeline: Timeline, /) -> Iterable[Interval]:
        """The runs: they cover all events."""
        values_at = list(groups(timeline).items())
        steps = [(now, values, before[-1]) for (_, before), (now, values) in pairwise(values_at)]
        changes = [now for now, values, last in steps if any(value != last for value in values)]
        return cut_intervals([c for c, _ in values_at[:1]] + changes)


def state(measure: Measure = TIME) -> State:
    """Cut where the value changes: `state()` of values 1, 3 at 1, 3 is [1, 3) [3, END)."""
    return State(measure)


@dataclass(frozen=True)
class Threshold(WindowType):
    """A maximal run of values that are `at_least` as great (definition W15).

    A run of fewer than `min_count` events is no frame.
    """

    at_least: Number
    min_count: int = 1
    measure: Measure = TIME
    context, type_name = "FCA", "threshold"

    def __post_init__(self) -> None:
        positive(self.min_count, "the least number of events in a frame")

    def intervals(self, timeline: Timeline, /) -> Iterable[Interval]:
        """The runs that are long enough."""
        sizes = [(c, len(v), min(v) >= self.at_least) for c, v in numbers(timeline).items() if v]
        runs = [(high, list(run)) for high, run in groupby(sizes, key=lambda group: group[2])]
        frames = cut_intervals([run[0][0] for _, run in runs])
        return [
            frame
            for frame, (high, run) in zip(frames, runs, strict=True)
            if high and sum(size for _, size, _ in run) >= self.min_count
        ]


def threshold(at_least: Number, min_count: int = 1, measure: Measure = TIME) -> Threshold:
    """Runs of great values: `threshold(3)` of values 1, 3, 4 at 1, 3, 4 is [3, END)."""
    return Threshold(at_least, min_count, measure)
