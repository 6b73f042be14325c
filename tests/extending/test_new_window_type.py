"""A window type of one's own, and every step of random runs held to the specification."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise

from hypothesis import strategies as st

from muntin.conformance.machines.operator_machine import operator_machine
from muntin.optimized.scotty.operator import Scotty
from muntin.spec.windows.measure import TIME, Measure, Timeline
from muntin.spec.windows.periodic import PeriodicWindow
from muntin.spec.windows.window import Interval


@dataclass(frozen=True)
class Timetable(PeriodicWindow):
    """Windows whose lengths repeat, such as lessons and breaks."""

    lengths: tuple[int, ...]
    measure: Measure = TIME
    type_name = "timetable"

    def around(self, coordinate: int) -> Interval:
        """Return the window at a coordinate."""
        begin = coordinate - coordinate % sum(self.lengths)
        edges = pairwise(accumulate(self.lengths, initial=begin))
        return next(Interval(a, b) for a, b in edges if coordinate < b)

    def intervals(self, line: Timeline, /) -> Iterable[Interval]:
        """Return the intervals that hold an event: all that a type has to say."""
        places = {at for one in line.placed for at in self.nudged(one.coordinate, line.dialect)}
        return {self.around(place) for place in places}


LENGTHS = st.lists(st.integers(1, 5), min_size=1, max_size=3).map(tuple)

TestTimetable = operator_machine(Scotty, kinds=lambda _: st.builds(Timetable, LENGTHS)).TestCase
