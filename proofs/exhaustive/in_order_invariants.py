"""Panes, Pairs and Cutty beside their events: the facts of proofs/cutty.md, after each step."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeGuard
from unittest.mock import patch

from muntin.optimized.in_order.group import Technique
from muntin.optimized.in_order.operator import InOrderSlicer
from muntin.optimized.in_order.slice_buffer import SliceBuffer
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.cost import Meter
from muntin.spec.denotation import History, windows_of
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import AcceptedEvent, Step

Fold = Callable[[SliceBuffer[object], int, int], object]


def is_word(total: object) -> TypeGuard[tuple[int, ...]]:
    """Whether a total is a word or a bag, as all are here."""
    return isinstance(total, tuple)


class RelatedSlicing(InOrderSlicer):
    """Checks that slices stand for the events, and begin where windows do."""

    def take(self, step: Step, /) -> Output:
        """Take in a step, and check."""
        output = super().take(step)
        for lane in self.lanes():
            total = lane.slices.fold(lane.slices.oldest, lane.slices.count)
            assert is_word(total)
            events = letters(lane.slices.count, total)
            facts = lane.slices.invariants(events, sorted(lane.begins()))
            broken = [fact for fact, holds in facts if not holds]
            assert not broken, (broken, step)
        return output


def letters(count: int, total: Sequence[int]) -> list[object]:
    """Return the word of each event that is still held; of the others, any."""
    held: list[object] = [(letter,) for letter in total]
    return [()] * (count - len(held)) + held


class Totals:
    """How many combines are spent on totals of windows, and not on slices."""

    def __init__(self) -> None:
        """Start with none."""
        self.meter, self.combines = Meter(), 0

    @contextmanager
    def counted(self) -> Generator[None]:
        """Count them."""
        plain: Fold = SliceBuffer[object].fold

        def fold(slices: SliceBuffer[object], first: int, stop: int) -> object:
            before = self.meter.combines
            total = plain(slices, first, stop)
            self.combines += self.meter.combines - before
            return total

        with patch.object(SliceBuffer, "fold", fold):
            yield


TOTALS = Totals()
"""What all that is counted below has spent: of each step only the difference matters."""


class FrugalSlicing(InOrderSlicer):
    """Checks what Cutty holds and spends (T2, C1 and C2), within `TOTALS.counted()`."""

    def __init__(self, technique: Technique, settings: Settings) -> None:
        """Start with no query, and nothing spent."""
        super().__init__(technique, settings)
        self.watched = dict[str, Aggregate[object, object, object]]()
        self.history = list[AcceptedEvent]()
        self.combines = 0

    def add(self, query: Query) -> None:
        """Ask a further query, in one aggregate with all others."""
        watched = self.watched.setdefault("", TOTALS.meter.watch_aggregate(query.aggregate))
        super().add(replace(query, aggregate=watched))

    def take(self, step: Step, /) -> Output:
        """Take in a step, and check."""
        meter, before = TOTALS.meter, len(self.history)
        lifts, combines = meter.lifts, meter.combines - TOTALS.combines
        output = super().take(step)
        taken = [event for event in step.events if event not in output.late]
        self.history += [AcceptedEvent(event, nth) for nth, event in enumerate(taken, before)]
        self.combines += meter.combines - TOTALS.combines - combines
        assert meter.lifts - lifts == len(self.held() & {*range(before, len(self.history))}), "C1"
        assert self.combines <= len(self.history), ("C2", self.history)
        begins = sum(len(lane.begins()) for lane in self.lanes())
        tracks = [track for lane in self.lanes() for track in lane.tracks.values()]
        still = sum(one.stop is None for track in tracks for one in track.live)
        keys = len({one.event.key for one in self.history})
        assert self.slices() == begins <= still + keys, ("T2", self.history)
        for lane in self.lanes():
            totals = {lane.slices.fold(begin, lane.slices.count) for begin in lane.begins()}
            assert len(totals) == len(lane.begins()), ("T2, the least", self.history)
        return output

    def held(self) -> set[int]:
        """Return the arrivals of the events that some window holds."""
        world = History(self._settings, self._watermark, self._reached)
        queries = [one.query for group in self._groups.values() for one in group.asked.values()]
        streams = [
            [one for one in self.history if one.event.key == key]
            for key in {one.event.key for one in self.history}
        ]
        return {
            arrival
            for query in queries
            for stream in streams
            for window in windows_of(query, stream, world)
            for arrival in window.arrivals
        }
