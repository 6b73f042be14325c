"""The window manager for windows that need tuples: what it last said is compared with what is."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from muntin.optimized.scotty.emission.window_manager import EmittedResult, ResultChange
from muntin.optimized.scotty.groups.tuple_key_state import OpenWindow
from muntin.optimized.scotty.slices.tuple_slices import TupleSlices
from muntin.optimized.scotty.watermark import StepWatermarks
from muntin.spec.query import Query
from muntin.spec.stream import END
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.window import Interval


class EmittedTupleWindow(NamedTuple):
    """The last report on a window, and the arrival numbers of its tuples."""

    said: EmittedResult
    arrivals: tuple[int, ...]


class TupleWindows:
    """The windows of one query over one key."""

    def __init__(self, query: Query, earliest: float) -> None:
        """Start with nothing published; windows that begin after a coordinate are seen whole."""
        self.query, self.earliest = query, earliest
        self.published: dict[Interval, EmittedTupleWindow] = {}
        self.past = frozenset[Interval]()  # the windows that were settled when last looked at

    def visible(
        self, lives: Sequence[OpenWindow], moment: StepWatermarks
    ) -> dict[Interval, OpenWindow]:
        """Return the windows that are to be published.

        In a user's measure, an event may tell that a window has ended which thereby is settled.
        """
        told_of = self._tells(moment)
        complete = {
            one.interval: one
            for one in lives
            if one.due is not None
            and one.due <= moment.now
            and one.interval.start > self.earliest
            and (one.settles > moment.done_before or (told_of and one.interval not in self.past))
            and (not moment.final or one.settles <= moment.limit)
        }
        if not moment.only_fresh:
            return complete
        return {
            interval: one
            for interval, one in complete.items()
            if interval not in self.published and (one.due or 0) > moment.before
        }

    def _tells(self, moment: StepWatermarks) -> bool:
        """Whether an event can end a window that thereby is settled, and has to be told of."""
        by_event = moment.settings.dialect.lateness == "event"
        return by_event and self.query.window.measure not in (TIME, COUNT)

    def emission_watermarks(
        self, lives: Sequence[OpenWindow], moment: StepWatermarks
    ) -> list[float]:
        """Return the watermarks at which windows are to be told of, as far as they are known.

        Where they close early, the next one of a landmark comes to be only when it is past.
        """
        never = moment.settings.dialect.lateness == "never"
        later = END if never else moment.settings.allowed_lateness
        known = [one for one in lives if one.due is not None]
        ends = [one.settles + later if moment.final else one.due or 0 for one in known]
        early = moment.settings.dialect.closing_of(self.query.window.name) < 0
        return [at for at in (*ends, *([moment.now + 1] if early else [])) if at > moment.now]

    def renewed(
        self, found: Mapping[Interval, OpenWindow], moment: StepWatermarks, tiling: TupleSlices
    ) -> dict[Interval, EmittedTupleWindow]:
        """Return what is to be published now."""
        kept = self.published if moment.only_fresh else {}
        entries = [entry for tile in tiling.tiles for entry in tile.entries]
        arrivals = {
            interval: tuple(entry.accepted.arrival for entry in entries[one.low : one.high])
            for interval, one in found.items()
        }
        gone = [told for interval, told in self.published.items() if interval not in found]
        replaced = {arrival for told in gone for arrival in told.arrivals}
        heard = set[int]() if moment.only_fresh else replaced
        fresh = {
            interval: self._told(one, arrivals[interval], heard, moment, tiling)
            for interval, one in found.items()
        }
        return {**kept, **fresh}

    def _told(
        self,
        one: OpenWindow,
        arrivals: tuple[int, ...],
        replaced: set[int],
        moment: StepWatermarks,
        tiling: TupleSlices,
    ) -> EmittedTupleWindow:
        known = self.published.get(one.interval)
        if known and known.arrivals == arrivals:
            return EmittedTupleWindow(known.said._replace(settles=one.settles), arrivals)
        besides = set(known.arrivals) if known else replaced
        heard = besides if moment.settings.output == "discard" else set[int]()
        value = self._value(one, arrivals, heard, tiling)
        revision = known.said.revision + 1 if known else 0
        return EmittedTupleWindow(EmittedResult(value, revision, one.settles), arrivals)

    def _value(
        self, one: OpenWindow, arrivals: tuple[int, ...], heard: set[int], tiling: TupleSlices
    ) -> object:
        if heard.issuperset(arrivals):
            return None
        start, end, _ = one.interval
        lower, where = self.query.aggregate.lower, f"the window [{start}, {end})"
        if heard.isdisjoint(arrivals):
            return self.query.call_user_code(where, lambda: lower(tiling.fold(one.low, one.high)))
        entries = [entry for tile in tiling.tiles for entry in tile.entries][one.low : one.high]
        fresh = [entry for entry in entries if entry.accepted.arrival not in heard]
        return self.query.call_user_code(where, lambda: lower(tiling.recomputed(fresh)))

    def changes(
        self, now: Mapping[Interval, EmittedTupleWindow], moment: StepWatermarks
    ) -> list[ResultChange]:
        """Compare what is to be published with what was."""
        gone = {one: told for one, told in self.published.items() if one not in now}
        replaced = {arrival for told in gone.values() for arrival in told.arrivals}
        changes = [ResultChange("retracted", one, told.said) for one, told in gone.items()]
        for one, told in now.items():
            known = self.published.get(one)
            heard = set(known.arrivals) if known else replaced
            nothing = moment.settings.output == "discard" and heard.issuperset(told.arrivals)
            if not nothing and (known is None or known.arrivals != told.arrivals):
                changes.append(ResultChange("updated" if known else "new", one, told.said))
        return changes

    def commit(
        self,
        now: dict[Interval, EmittedTupleWindow],
        lives: Sequence[OpenWindow],
        moment: StepWatermarks,
    ) -> None:
        """Publish, and forget what is settled."""
        done = moment.done
        if self._tells(moment):
            self.past = frozenset(one.interval for one in lives if one.settles <= done)
        self.published = {i: told for i, told in now.items() if told.said.settles > done}
