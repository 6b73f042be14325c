"""Emission: what a tracker publishes at the end of a step, and what it evicts (rules 9 to 12)."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from muntin.optimized.in_order.slice_buffer import Slices
from muntin.optimized.in_order.trackers.base import EmittedWindow, TrackedWindow, WindowTracker
from muntin.spec.query import ChangeKind
from muntin.spec.stream import END


class InOrderWatermark(NamedTuple):
    """The watermark after a step, the last that is not the end, and the limit of lateness."""

    watermark: float
    last_finite: float
    limit: float


class Emission(NamedTuple):
    """A change of a window that becomes a result."""

    kind: ChangeKind
    window: EmittedWindow


@dataclass
class Emitter:
    """Emission from one tracker at the end of one step."""

    tracker: WindowTracker
    slices: Slices
    watermarks: InOrderWatermark

    def emissions(self) -> Iterator[Emission]:
        """Emit how the windows to publish differ from those emitted, and evict final windows."""
        tracker, watermarks = self.tracker, self.watermarks
        tracker.advance(self.slices, watermarks.last_finite, watermarks.limit)
        front = self._front_length()
        examined, rest = tracker.windows[:front], tracker.windows[front:]
        withdrawn = [
            window.last_emission
            for window in examined
            if window.last_emission and not self._is_current(window, window.last_emission)
        ]
        if tracker.settings.output == "accumulate-retract":
            yield from (Emission("retracted", emitted) for emitted in withdrawn)
        kept: list[TrackedWindow] = []
        for window in examined:
            emitted = window.last_emission
            emitted = emitted if emitted and self._is_current(window, emitted) else None
            if self._is_visible(window) and (emitted is None or emitted.stop != self._stop(window)):
                update = self._aggregate_window(window, emitted, again=bool(withdrawn))
                yield Emission("updated" if emitted else "new", update)
                emitted = update
            kept.append(window._replace(last_emission=emitted))
        tracker.clear_step_start(self.slices)
        kept = [window for window in kept if not self._try_finalize(window)]
        tracker.windows = kept + rest
        tracker.may_reemit = any(w.last_emission is not None and w.stop is None for w in kept)
        wakeups = map(self._next_wakeup, kept + rest[:1])
        tracker.next_wakeup = min(tracker.next_time_action(), *wakeups, END)

    def _front_length(self) -> int:
        """The number of oldest windows that may have something to emit.

        Behind a window that is not yet visible, none is visible.
        """
        for index, window in enumerate(self.tracker.windows):
            early = self.tracker.predates_query(window.start)
            if window.last_emission is None and not early and not self._is_visible(window):
                return index
        return len(self.tracker.windows)

    def _aggregate_window(
        self, window: TrackedWindow, emitted: EmittedWindow | None, *, again: bool
    ) -> EmittedWindow:
        """Aggregate a window; to discard is to leave out what was emitted before this step."""
        tracker, stop = self.tracker, self._stop(window)
        partly = tracker.settings.output == "discard" and (emitted is not None or again)
        since = tracker.step_start if partly else None
        where = f"the window [{window.start}, {window.end})"
        value = tracker.query.call_user_code(where, partial(self._value, window, since))
        revision = emitted.revision + 1 if emitted else 0
        return EmittedWindow(window.start, window.end, stop, value, revision, window.row)

    def _value(self, window: TrackedWindow, since: int | None) -> object:
        """Lower the total of a window, or that of its events from an ordinal on."""
        if window.stop is not None:
            total = window.total if since is None else window.rest
        else:
            first = window.first if since is None else max(window.first, since)
            total = self.slices.fold(first, self.slices.count)
        return self.tracker.query.aggregate.lower(total)

    def _stop(self, window: TrackedWindow) -> int:
        return self.slices.count if window.stop is None else window.stop

    def _is_current(self, window: TrackedWindow, emitted: EmittedWindow) -> bool:
        """Whether the emitted window still exists."""
        same = (emitted.start, emitted.end, emitted.row) == (window.start, window.end, window.row)
        return same and self._is_visible(window)

    def _is_visible(self, window: TrackedWindow) -> bool:
        tracker, watermarks = self.tracker, self.watermarks
        if window.due is None or tracker.predates_query(window.start):
            return False
        waits = tracker.settings.output == "final"
        is_publishable = not waits or window.final_at(tracker.closing) <= watermarks.limit
        return is_publishable and window.complete_at(tracker.closing) <= watermarks.watermark

    def _try_finalize(self, window: TrackedWindow) -> bool:
        """Whether nothing can change the window any more; if it was open, its begin is unpinned.

        By event, an event at the limit can still belong to a session that ends there in a dialect.
        """
        if window.stop is not None:
            return self.tracker.predates_query(window.start) or (
                window.last_emission is not None and window.last_emission.stop == window.stop
            )
        final_at = window.final_at(self.tracker.closing)
        final = window.due is not None and final_at <= self.watermarks.limit - 1
        if final:
            self.slices.unpin(window.first)
        return final

    def _next_wakeup(self, window: TrackedWindow) -> float:
        """The watermark at which a window may have more to emit, or can be evicted."""
        tracker = self.tracker
        final_at = window.final_at(tracker.closing) + tracker.settings.allowed_lateness
        if window.last_emission is not None or tracker.predates_query(window.start):
            return final_at + 1
        waits = tracker.settings.output == "final"
        return final_at if waits else window.complete_at(tracker.closing)
