"""The rows around one window of a job, cut out, and what the denotation says of them.

The clock of the job is the watermark before each row, so that rows that were left out have their
effect. What is cut is all that may lie in the window or join it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from muntin.audit.job import Arrivals, Job, KeyedBounds
from muntin.audit.rule import Rule
from muntin.audit.specified_windows import greatest_time
from muntin.audit.unit_text import time_text
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.kernels.slicing.arrays import FIRST, Ints
from muntin.kernels.slicing.over import is_row
from muntin.reference.specification import SpecificationOperator
from muntin.spec.algebra.aggregate import AnyAggregate
from muntin.spec.algebra.catalogue import named
from muntin.spec.errors import integer
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Session

MAX_ROWS = 60
"""How many rows a cut has at most for the denotation, whose time grows with their square."""


class Bounds(NamedTuple):
    """The start and the end of a window."""

    start: int
    end: int


@dataclass(frozen=True)
class WindowCut:
    """The rows of one key around a window, in the order of arrival."""

    job: Job
    rule: Rule
    rows: Arrivals

    @property
    def is_small(self) -> bool:
        """Whether the denotation runs on it."""
        return self.rows.time.size <= MAX_ROWS

    def contents(self) -> dict[Bounds, Sequence[int]]:
        """The windows of the denotation that stand at the end: the places of the rows in each."""
        collect = named("collect")
        trace = self.trace(collect, range(self.rows.time.size))
        operator = SpecificationOperator(trace.settings)
        operator.add(trace.queries[0])
        windows = dict[Bounds, Sequence[int]]()
        for turn in trace.turns:
            for result in operator.take(turn.step).results:
                bounds = Bounds(result.start, int(result.end))
                if result.kind == "retracted":
                    del windows[bounds]
                elif is_row(result.value):
                    windows[bounds] = [integer(place, "a place") for place in result.value]
        return windows

    def trace(self, aggregate: AnyAggregate, values: Sequence[object]) -> OperatorTranscript:
        """The rows as a trace with explicit watermarks, whose events have these values."""
        has_clock = self.rule.scope != "none"
        settings = Settings(self.rule.slack if has_clock else 0, dialect=self.rule.dialect)
        times, greatest = self.rows.time.tolist(), greatest_time(self.rows, self.rule).tolist()
        events = [Event(time, value) for time, value in zip(times, values, strict=True)]
        steps = [Step(tuple(events))] if not has_clock else list[Step]()
        if has_clock:
            for event, watermark in zip(events, greatest, strict=True):
                steps += [Step((), watermark)] if watermark != FIRST else []
                steps.append(Step((event,)))
        query = Query("q", self.job.window, aggregate)
        turns = tuple(TranscriptStep(step) for step in (*steps, Step((), END)))
        return OperatorTranscript((query,), settings, turns)

    def value(self, places: Sequence[int]) -> object:
        """The aggregate of some of the rows, as the specification folds it."""
        times, values = self.rows.time.tolist(), self.rows.value.tolist()
        ordered = sorted(places, key=lambda place: (times[place], place))
        events = [Event(times[place], values[place]) for place in ordered]
        return Query("q", self.job.window, named(self.job.aggregate)).value(events)

    def row_text(self, place: int) -> str:
        """A row as people find it again: its number in the file, its time, its value."""
        number, value = int(self.rows.number[place]) + 1, self.rows.value[place]
        time = time_text(int(self.rows.time[place]), self.job.unit)
        return f"row {number} (time {time}, value {value})"


class RowIndex:
    """The rows of a job by key and time."""

    def __init__(self, job: Job) -> None:
        """Sort the rows."""
        self._job = job
        self._order: Ints = np.lexsort((job.rows.time, job.rows.key))
        self._time = job.rows.time[self._order]
        keys = np.arange(len(job.keys) + 1)
        self._first = np.searchsorted(job.rows.key[self._order], keys)

    def cut(self, rule: Rule, window: KeyedBounds) -> WindowCut:
        """The rows around a window; of a chain of sessions all that may join."""
        first, last = int(self._first[window.key]), int(self._first[window.key + 1])
        times = self._time[first:last]
        reach = self._job.length + 1
        low = int(np.searchsorted(times, window.start - reach))
        high = int(np.searchsorted(times, window.end + reach))
        if isinstance(self._job.window, Session):
            low, high = _chained(times, low, high, reach)
        places = np.sort(self._order[first + low : first + high])
        return WindowCut(self._job, rule, self._job.rows.picked(places))


def _chained(times: Ints, low: int, high: int, reach: int) -> tuple[int, int]:
    """The places between which no row is nearer than the reach to one outside."""
    while 0 < low < times.size and times[low] - times[low - 1] <= reach:
        low -= 1
    while 0 < high < times.size and times[high] - times[high - 1] <= reach:
        high += 1
    return low, high


def smallest_trace(cut: WindowCut, bounds: Bounds) -> OperatorTranscript:
    """The trace of a window without the rows that change nothing of it."""
    contents = cut.contents()
    content = [int(cut.rows.number[place]) for place in contents.get(bounds, ())]
    for place in reversed(range(cut.rows.time.size)):
        rest = replace(cut, rows=cut.rows.picked(np.arange(cut.rows.time.size) != place))
        left = rest.contents().get(bounds, ())
        if [int(rest.rows.number[p]) for p in left] == content and (content or rest.rows.time.size):
            cut = rest
    return cut.trace(named(cut.job.aggregate), cut.rows.value.tolist())
