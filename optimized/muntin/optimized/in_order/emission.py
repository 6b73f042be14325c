"""What a track publishes at the end of a step, and what it may forget then (rules 9 to 12)."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from muntin.optimized.in_order.slice_buffer import SliceBuffer
from muntin.optimized.in_order.trackers.base import WindowTracker
from muntin.optimized.in_order.trackers.extent import EmittedWindow, TrackedWindow
from muntin.spec.query import ChangeKind
from muntin.spec.stream import END


class InOrderWatermark(NamedTuple):
    """The watermark after a step, the greatest that is not the end, and the limit of lateness."""

    watermark: float
    reached: float
    limit: float


class Emission(NamedTuple):
    """A result to be."""

    kind: ChangeKind
    told: EmittedWindow


@dataclass
class Emitter:
    """One report on one track."""

    track: WindowTracker
    slices: SliceBuffer[object]
    moment: InOrderWatermark

    def lines(self) -> Iterator[Emission]:
        """Compare what is to be seen with what was told, tell the difference, and forget."""
        track, at = self.track, self.moment
        track.advance(self.slices, at.reached, at.limit)
        front = self._front()
        looked_at, rest = track.live[:front], track.live[front:]
        gone = [one.told for one in looked_at if one.told and not self._stands(one, one.told)]
        if track.settings.output == "accumulate-retract":
            yield from (Emission("retracted", told) for told in gone)
        kept: list[TrackedWindow] = []
        for one in looked_at:
            told = one.told if one.told and self._stands(one, one.told) else None
            if self._visible(one) and (told is None or told.stop != self._stop(one)):
                now = self._tell(one, told, again=bool(gone))
                yield Emission("updated" if told else "new", now)
                told = now
            kept.append(one._replace(told=told))
        track.clear_mark(self.slices)
        kept = [one for one in kept if not self._over(one)]
        track.live = kept + rest
        track.may_reemit = any(one.told is not None and one.stop is None for one in kept)
        track.wake = min(track.next_time_action(), *map(self._wake, kept + rest[:1]), END)

    def _front(self) -> int:
        """Return how many of the oldest windows there may be something to say of.

        Behind one that is not yet to be seen, none is.
        """
        for k, one in enumerate(self.track.live):
            early = self.track.predates_query(one.start)
            if one.told is None and not early and not self._visible(one):
                return k
        return len(self.track.live)

    def _tell(
        self, one: TrackedWindow, told: EmittedWindow | None, *, again: bool
    ) -> EmittedWindow:
        """Aggregate a window; to discard is to leave out what was told before this step."""
        track, stop = self.track, self._stop(one)
        partly = track.settings.output == "discard" and (told is not None or again)
        mark = track.mark if partly else None
        where = f"the window [{one.start}, {one.end})"
        value = track.query.call_user_code(where, partial(self._value, one, mark))
        return EmittedWindow(
            one.start, one.end, stop, value, told.revision + 1 if told else 0, one.row
        )

    def _value(self, one: TrackedWindow, mark: int | None) -> object:
        """Lower the total of a window, or that of its events from the mark on."""
        if one.stop is not None:
            total = one.total if mark is None else one.rest
        else:
            first = one.first if mark is None else max(one.first, mark)
            total = self.slices.fold(first, self.slices.count)
        return self.track.query.aggregate.lower(total)

    def _stop(self, one: TrackedWindow) -> int:
        return self.slices.count if one.stop is None else one.stop

    def _stands(self, one: TrackedWindow, told: EmittedWindow) -> bool:
        """Whether the window that was told of is still there."""
        same = (told.start, told.end, told.row) == (one.start, one.end, one.row)
        return same and self._visible(one)

    def _visible(self, one: TrackedWindow) -> bool:
        track, at = self.track, self.moment
        if one.due is None or track.predates_query(one.start):
            return False
        frozen = track.settings.output != "final" or one.final_at(track.closing) <= at.limit
        return frozen and one.complete_at(track.closing) <= at.watermark

    def _over(self, one: TrackedWindow) -> bool:
        """Whether nothing can change the window; one that was open holds its begin no more.

        By event, an event at the limit can still belong to a session that ends there in a dialect.
        """
        if one.stop is not None:
            return self.track.predates_query(one.start) or (
                one.told is not None and one.told.stop == one.stop
            )
        over = one.due is not None and one.final_at(self.track.closing) <= self.moment.limit - 1
        if over:
            self.slices.unpin(one.first)
        return over

    def _wake(self, one: TrackedWindow) -> float:
        """Return the watermark at which there is more to say of a window."""
        track = self.track
        settled = one.final_at(track.closing) + track.settings.allowed_lateness
        if one.told is not None or track.predates_query(one.start):
            return settled + 1
        return settled if track.settings.output == "final" else one.complete_at(track.closing)
