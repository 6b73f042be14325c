"""The window manager for windows over stored tuples: it compares them with what it last emitted."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from muntin.optimized.scotty.emission.window_manager import EmittedResult, ResultChange
from muntin.optimized.scotty.groups.tuple_key_state import OpenWindow
from muntin.optimized.scotty.slices.tuple_slices import TupleSlices
from muntin.optimized.scotty.watermark import StepWatermarks
from muntin.spec.query import ChangeKind, Query
from muntin.spec.stream import END
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.window import Interval


class EmittedTupleWindow(NamedTuple):
    """The last result of a window, and the arrival numbers of its tuples."""

    result: EmittedResult
    arrivals: tuple[int, ...]


class TupleWindows:
    """The windows of one query over one key."""

    def __init__(self, query: Query, earliest: float) -> None:
        """Start with nothing published; a query sees the windows that begin after `earliest`."""
        self.query, self.earliest = query, earliest
        self.published: dict[Interval, EmittedTupleWindow] = {}
        self.final_windows = frozenset[Interval]()  # when the key was last looked at

    def windows_to_publish(
        self, windows: Sequence[OpenWindow], watermarks: StepWatermarks
    ) -> dict[Interval, OpenWindow]:
        """The complete windows whose results stand after this step.

        In a user's measure, an event may end a window that is final at once.
        """
        emits_final = self._emits_final_windows(watermarks)
        complete = {
            window.interval: window
            for window in windows
            if window.completes_at is not None
            and window.completes_at <= watermarks.now
            and window.interval.start > self.earliest
            and (
                window.final_at > watermarks.final_until_before
                or (emits_final and window.interval not in self.final_windows)
            )
            and (not watermarks.final_only or window.final_at <= watermarks.limit)
        }
        if not watermarks.new_windows_only:
            return complete
        return {
            interval: window
            for interval, window in complete.items()
            if interval not in self.published and (window.completes_at or 0) > watermarks.before
        }

    def _emits_final_windows(self, watermarks: StepWatermarks) -> bool:
        """Whether an event can end a window that is final at once, and must be emitted."""
        by_event = watermarks.settings.dialect.lateness == "event"
        return by_event and self.query.window.measure not in (TIME, COUNT)

    def emission_watermarks(
        self, windows: Sequence[OpenWindow], watermarks: StepWatermarks
    ) -> list[float]:
        """The watermarks at which open windows are due, as far as they are known.

        If windows close early, the next one of a landmark exists only once it is complete.
        """
        never = watermarks.settings.dialect.lateness == "never"
        lateness = END if never else watermarks.settings.allowed_lateness
        ends = [w.completes_at for w in windows if w.completes_at is not None]
        if watermarks.final_only:
            ends = [w.final_at + lateness for w in windows if w.completes_at is not None]
        if watermarks.settings.dialect.closing_of(self.query.window.name) < 0:
            ends.append(watermarks.now + 1)
        return [end for end in ends if end > watermarks.now]

    def next_published(
        self,
        windows: Mapping[Interval, OpenWindow],
        watermarks: StepWatermarks,
        slices: TupleSlices,
    ) -> dict[Interval, EmittedTupleWindow]:
        """What is published after this step."""
        kept = self.published if watermarks.new_windows_only else {}
        entries = [entry for slice_ in slices.slices for entry in slice_.entries]
        arrivals = {
            interval: tuple(entry.accepted.arrival for entry in entries[window.low : window.high])
            for interval, window in windows.items()
        }
        retracted = [emitted for i, emitted in self.published.items() if i not in windows]
        replaced = {arrival for emitted in retracted for arrival in emitted.arrivals}
        emitted_arrivals = set[int]() if watermarks.new_windows_only else replaced
        emitted_windows = {
            interval: self._emitted_window(
                window, arrivals[interval], emitted_arrivals, watermarks, slices
            )
            for interval, window in windows.items()
        }
        return {**kept, **emitted_windows}

    def _emitted_window(
        self,
        window: OpenWindow,
        arrivals: tuple[int, ...],
        replaced: set[int],
        watermarks: StepWatermarks,
        slices: TupleSlices,
    ) -> EmittedTupleWindow:
        """The result of a window: the published one, if its tuples are the same."""
        published = self.published.get(window.interval)
        if published and published.arrivals == arrivals:
            return EmittedTupleWindow(published.result._replace(final_at=window.final_at), arrivals)
        already_emitted = set(published.arrivals) if published else replaced
        excluded = already_emitted if watermarks.settings.output == "discard" else set[int]()
        value = self._value(window, arrivals, excluded, slices)
        revision = published.result.revision + 1 if published else 0
        return EmittedTupleWindow(EmittedResult(value, revision, window.final_at), arrivals)

    def _value(
        self, window: OpenWindow, arrivals: tuple[int, ...], excluded: set[int], slices: TupleSlices
    ) -> object:
        """The value of a window; in discard mode without the tuples emitted before."""
        if excluded.issuperset(arrivals):
            return None
        start, end, _ = window.interval
        lower, where = self.query.aggregate.lower, f"the window [{start}, {end})"
        if excluded.isdisjoint(arrivals):
            fold = partial(slices.fold, window.low, window.high)
            return self.query.call_user_code(where, lambda: lower(fold()))
        entries = [entry for s in slices.slices for entry in s.entries][window.low : window.high]
        new_entries = [entry for entry in entries if entry.accepted.arrival not in excluded]
        return self.query.call_user_code(where, lambda: lower(slices.recompute(new_entries)))

    def changes(
        self, now: Mapping[Interval, EmittedTupleWindow], watermarks: StepWatermarks
    ) -> list[ResultChange]:
        """The difference between what is published after this step and before."""
        retracted = {i: emitted for i, emitted in self.published.items() if i not in now}
        replaced = {arrival for emitted in retracted.values() for arrival in emitted.arrivals}
        changes = [ResultChange("retracted", i, e.result) for i, e in retracted.items()]
        for interval, emitted in now.items():
            published = self.published.get(interval)
            already_emitted = set(published.arrivals) if published else replaced
            discards = watermarks.settings.output == "discard"
            has_nothing_new = discards and already_emitted.issuperset(emitted.arrivals)
            is_changed = published is None or published.arrivals != emitted.arrivals
            if is_changed and not has_nothing_new:
                kind: ChangeKind = "updated" if published else "new"
                changes.append(ResultChange(kind, interval, emitted.result))
        return changes

    def commit(
        self,
        now: dict[Interval, EmittedTupleWindow],
        windows: Sequence[OpenWindow],
        watermarks: StepWatermarks,
    ) -> None:
        """Record what was emitted, and drop what is final."""
        final_until = watermarks.final_until
        if self._emits_final_windows(watermarks):
            self.final_windows = frozenset(w.interval for w in windows if w.final_at <= final_until)
        self.published = {i: e for i, e in now.items() if e.result.final_at > final_until}
