"""The timers of a time group: when windows of a key are next due, and when slices may be evicted.

A query of a key has a timer at the watermark at which its next window that holds a slice may be
emitted, or an earlier one; a query without such a window is idle. So a step asks only the queries
with a window that may be due. Proof: proofs/scotty.md, W1.
"""

from collections.abc import Hashable

from muntin.optimized.common.timers import TimerQueue
from muntin.optimized.scotty.emission.window_manager import KeyView
from muntin.optimized.scotty.groups.key_state import KeyState
from muntin.optimized.scotty.schedules.base import SeenRange
from muntin.optimized.scotty.watermark import StepWatermarks, emission_watermark
from muntin.spec.query import Settings
from muntin.spec.stream import END

TimerKey = tuple[Hashable, str | None]
"""A key and a query with windows to emit; with None, the eviction of what is final."""


class WindowTimers:
    """A queue of timers, those that have fired in this step, and the queries armed in it."""

    def __init__(self, settings: Settings) -> None:
        """Start with no timer."""
        self.fired = list[TimerKey]()
        self._settings = settings
        self._queue = TimerQueue[TimerKey]()
        self._armed = list[tuple[KeyState, list[str]]]()

    def arm(
        self, key_state: KeyState, session_queries: set[str], watermarks: StepWatermarks
    ) -> None:
        """Set timers for the queries whose windows a slice made in this step may change."""
        affected = key_state.affected_queries(session_queries)
        armed = [name for name in affected if self.set_emission(key_state, name, watermarks)]
        self._armed.append((key_state, armed))

    def set_emission(
        self,
        key_state: KeyState,
        name: str,
        watermarks: StepWatermarks,
        emitted: SeenRange | None = None,
    ) -> bool:
        """Set the timer for the next window that ends and holds a slice, if there is one.

        A window that ended in this step counts too, unless the windows of `emitted` are out.
        """
        manager = key_state.managers[name]
        after = watermarks.emission_range(manager.closing)[emitted is not None]
        seen = emitted or key_state.seen_range(name, watermarks.last_finite)
        completion = manager.next_completion(after, KeyView(key_state.slices, seen))
        if completion < END:
            watermark = emission_watermark(self._settings, completion, manager.closing)
            self._queue.set((key_state.key, name), watermark)
        return completion < END

    def set_eviction(self, key_state: KeyState) -> None:
        """Set the timer for the eviction of slices and of final windows."""
        self._queue.set((key_state.key, None), key_state.evict_at)

    def fire(self, watermark: float) -> None:
        """Move the timers that are due to the fired ones."""
        self.fired += self._queue.pop_due(watermark)

    def commit_armed(self) -> None:
        """Queries with a timer are idle no more, once the step has succeeded."""
        for key_state, names in self._armed:
            key_state.idle_queries.difference_update(names)

    def rearm_fired(self) -> None:
        """Let the timers that have fired fire again at the next step."""
        for timer in self.fired:
            self._queue.set(timer, -END)

    def end_step(self) -> None:
        """Drop what belongs to this step."""
        self.fired.clear()
        self._armed.clear()
