"""The facts of proofs/cutty.md, checked after each step of Panes, Pairs and Cutty."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeGuard
from unittest.mock import patch

from muntin.optimized.in_order.operator import InOrderSlicer
from muntin.optimized.in_order.slice_buffer import SliceBuffer
from muntin.optimized.in_order.technique import Technique
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.cost import Meter
from muntin.spec.denotation import History, windows_of
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import AcceptedEvent, Step

Fold = Callable[[SliceBuffer[object], int, int], object]


def is_word(total: object) -> TypeGuard[tuple[int, ...]]:
    """Whether a total is a word or a multiset, as all are here."""
    return isinstance(total, tuple)


class CheckedInOrderSlicer(InOrderSlicer):
    """Checks that slices represent the events, and begin where windows do."""

    def take(self, step: Step, /) -> Output:
        """Process a step, and check the facts."""
        output = super().take(step)
        for state in self.key_states():
            total = state.slices.fold(state.slices.oldest, state.slices.count)
            assert is_word(total)
            events = letters(state.slices.count, total)
            facts = state.slices.invariants(events, sorted(state.begins()))
            broken = [fact for fact, holds in facts if not holds]
            assert not broken, (broken, step)
        return output


def letters(count: int, total: Sequence[int]) -> list[object]:
    """The word of each event that is still in a slice; the empty word for evicted events."""
    words: list[object] = [(letter,) for letter in total]
    return [()] * (count - len(words)) + words


class WindowTotalCombines:
    """The number of combines spent on totals of windows, and not on slices."""

    def __init__(self) -> None:
        """Start with none."""
        self.meter, self.combines = Meter(), 0

    @contextmanager
    def counting(self) -> Generator[None]:
        """Count the combines of folds while this runs."""
        original_fold: Fold = SliceBuffer[object].fold

        def fold(slices: SliceBuffer[object], first: int, stop: int) -> object:
            before = self.meter.combines
            total = original_fold(slices, first, stop)
            self.combines += self.meter.combines - before
            return total

        with patch.object(SliceBuffer, "fold", fold):
            yield


TOTAL_COMBINES = WindowTotalCombines()
"""Shared by all operators: only the difference over a step matters."""


class BoundedInOrderSlicer(InOrderSlicer):
    """Checks state and cost of Cutty (T2, C1 and C2), within `TOTAL_COMBINES.counting()`."""

    def __init__(self, technique: Technique, settings: Settings) -> None:
        """Start with no query and no combine."""
        super().__init__(technique, settings)
        self.watched_aggregates = dict[str, Aggregate[object, object, object]]()
        self.history = list[AcceptedEvent]()
        self.combines = 0

    def add(self, query: Query) -> None:
        """Add a query, in one aggregate with all others."""
        watched = self.watched_aggregates.setdefault(
            "", TOTAL_COMBINES.meter.watch_aggregate(query.aggregate)
        )
        super().add(replace(query, aggregate=watched))

    def take(self, step: Step, /) -> Output:
        """Process a step, and check the facts."""
        meter, before = TOTAL_COMBINES.meter, len(self.history)
        lifts, combines = meter.lifts, meter.combines - TOTAL_COMBINES.combines
        output = super().take(step)
        on_time = [event for event in step.events if event not in output.late]
        self.history += [
            AcceptedEvent(event, arrival) for arrival, event in enumerate(on_time, before)
        ]
        self.combines += meter.combines - TOTAL_COMBINES.combines - combines
        assert meter.lifts - lifts == len(
            self.arrivals_in_windows() & {*range(before, len(self.history))}
        ), "C1"
        assert self.combines <= len(self.history), ("C2", self.history)
        begins = sum(len(state.begins()) for state in self.key_states())
        tracks = [track for state in self.key_states() for track in state.trackers.values()]
        open_windows = sum(extent.stop is None for track in tracks for extent in track.windows)
        keys = len({accepted.event.key for accepted in self.history})
        assert self.slice_count() == begins <= open_windows + keys, ("T2", self.history)
        for state in self.key_states():
            totals = {state.slices.fold(begin, state.slices.count) for begin in state.begins()}
            assert len(totals) == len(state.begins()), ("T2, the least", self.history)
        return output

    def arrivals_in_windows(self) -> set[int]:
        """The arrivals of the events that some window holds."""
        world = History(self._settings, self._watermark, self._last_finite_watermark)
        queries = [
            added.query for group in self._groups.values() for added in group.queries.values()
        ]
        streams = [
            [accepted for accepted in self.history if accepted.event.key == key]
            for key in {accepted.event.key for accepted in self.history}
        ]
        return {
            arrival
            for query in queries
            for stream in streams
            for window in windows_of(query, stream, world)
            for arrival in window.arrivals
        }
