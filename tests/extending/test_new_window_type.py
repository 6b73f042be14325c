"""A window type of one's own, and every step of random runs held to the specification."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise

from hypothesis import strategies as st

from muntin.conformance.machines.operator_machine import operator_machine
from muntin.optimized.scotty.operator import Scotty
from muntin.spec import TIME, Interval, Measure, PeriodicWindow, Timeline


@dataclass(frozen=True)
class Timetable(PeriodicWindow):
    """Windows whose lengths repeat, such as lessons and breaks."""

    lengths: tuple[int, ...]
    measure: Measure = TIME
    type_name = "timetable"

    def window_at(self, coordinate: int) -> Interval:
        """The window that holds a coordinate."""
        start = coordinate - coordinate % sum(self.lengths)
        edges = pairwise(accumulate(self.lengths, initial=start))
        return next(Interval(a, b) for a, b in edges if coordinate < b)

    def intervals(self, timeline: Timeline, /) -> Iterable[Interval]:
        """The intervals that hold an event: all that a type must determine."""
        places = {
            coordinate
            for event in timeline.events
            for coordinate in self.effective_coordinates(event.coordinate, timeline.dialect)
        }
        return {self.window_at(coordinate) for coordinate in places}


LENGTHS = st.lists(st.integers(1, 5), min_size=1, max_size=3).map(tuple)

TestTimetable = operator_machine(Scotty, kinds=lambda _: st.builds(Timetable, LENGTHS)).TestCase
