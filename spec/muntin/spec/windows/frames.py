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


def groups(line: Timeline) -> dict[int, list[object]]:
    """Return the values of all events at each coordinate, in event order."""
    by_coordinate = groupby(line.placed, key=lambda at: at.coordinate)
    return {c: [at.accepted.event.value for at in here] for c, here in by_coordinate}


def numbers(line: Timeline) -> dict[int, list[Number]]:
    """Return the values that are not null, or say which is no number."""
    for at in line.placed:
        value = at.accepted.event.value
        if isinstance(value, bool) or not isinstance(value, Number | None):
            raise InvalidInputError(f"a frame needs numbers, not {value!r} at {at.accepted.event}")
    return {c: [v for v in vs if isinstance(v, Number)] for c, vs in groups(line).items()}


@dataclass(frozen=True)
class Delta(WindowType):
    """A frame ends before a value that differs from its first by more (definition W13)."""

    threshold: Number
    measure: Measure = TIME
    context, type_name = "FCF", "delta"

    def intervals(self, line: Timeline, /) -> Iterable[Interval]:
        """Return the frames: they cover all events."""
        values, limit = numbers(line), self.threshold

        def cut(cuts: list[int], at: int) -> list[int]:
            first = next((v for c in values if c >= cuts[-1] for v in values[c]), None)
            far = first is not None and any(not -limit <= v - first <= limit for v in values[at])
            return [*cuts, at] if far and at > cuts[-1] else cuts

        return cut_intervals(reduce(cut, values, list(values)[:1]))


@dataclass(frozen=True)
class State(WindowType):
    """A maximal run of one value (definition W14)."""

    measure: Measure = TIME
    context, type_name = "FCF", "state"

    def intervals(self, line: Timeline, /) -> Iterable[Interval]:
        """Return the runs: they cover all events."""
        here = list(groups(line).items())
        steps = [(now, values, before[-1]) for (_, before), (now, values) in pairwise(here)]
        changes = [now for now, values, last in steps if any(value != last for value in values)]
        return cut_intervals([c for c, _ in here[:1]] + changes)


@dataclass(frozen=True)
class Threshold(WindowType):
    """A maximal run of values that are at least so great (definition W15).

    A run of fewer than `min_count` events is no frame.
    """

    at_least: Number
    min_count: int = 1
    measure: Measure = TIME
    context, type_name = "FCA", "threshold"

    def __post_init__(self) -> None:
        positive(self.min_count, "the least number of events in a frame")

    def intervals(self, line: Timeline, /) -> Iterable[Interval]:
        """Return the runs that are long enough."""
        known = [(c, len(v), min(v) >= self.at_least) for c, v in numbers(line).items() if v]
        runs = [(high, list(run)) for high, run in groupby(known, key=lambda group: group[2])]
        frames = cut_intervals([run[0][0] for _, run in runs])
        return [
            frame
            for frame, (high, run) in zip(frames, runs, strict=True)
            if high and sum(size for _, size, _ in run) >= self.min_count
        ]
