"""The facts of proofs/scotty.md, checked after each step of Scotty against the accepted events.

Only the slices of the operator are read; what they must be is computed from the accepted events,
which a ghost variable keeps. A fact that does not hold stops the walk.
"""

from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from muntin.conformance.machines.random_choices import WORDS
from muntin.optimized.scotty.groups.count_group import CountGroup
from muntin.optimized.scotty.groups.count_key_state import CountKeyState
from muntin.optimized.scotty.groups.key_state import KeyState
from muntin.optimized.scotty.groups.time_group import TimeGroup
from muntin.optimized.scotty.groups.tuple_group import TupleGroup, TupleGroupKey
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.slices.aggregate_store import BuildStore, LazyStore
from muntin.optimized.scotty.slices.slice import LiftedEvent, Slice
from muntin.spec.denotation import History, windows_of
from muntin.spec.errors import UnsupportedError
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import END, AcceptedEvent, Event, Step
from muntin.spec.windows.periodic import Sliding, pane_start

Facts = Iterator[tuple[str, bool]]


class AcceptedValue(NamedTuple):
    """An accepted event: its place in event order, and its lifted value."""

    time: int
    arrival: int
    value: object


Events = list[AcceptedValue]


class CheckedScotty(Scotty):
    """Checks after each step that the slices represent the accepted events."""

    unordered = False
    configuration = ("_build", "_letters")

    def __init__(self, settings: Settings, build: BuildStore = LazyStore) -> None:
        """Start with no event."""
        super().__init__(settings, build)
        self.accepted = dict[Hashable, Events]()
        self.monoid = WORDS.monoid

    def add(self, query: Query) -> None:
        """Add a query, in the aggregate of all others."""
        super().add(query)
        self.lift, self.monoid = query.aggregate.lift, query.aggregate.monoid

    def take(self, step: Step, /) -> Output:
        """Process a step, and check the facts."""
        before = self._arrival_count
        output = super().take(step)
        for arrival, event in enumerate(step.events, before):
            if event not in output.late:
                value = self.lift(event.value)
                self.accepted.setdefault(event.key, []).append(
                    AcceptedValue(event.time, arrival, value)
                )
        broken = [fact for fact, holds in self.facts(output) if not holds]
        assert not broken, (broken, self.accepted, step, self._watermark)
        return output

    def facts(self, output: Output) -> Facts:
        """Yield the facts of each group of queries."""
        limit = self._watermark - self._settings.allowed_lateness
        for group in self.groups:
            if isinstance(group, TimeGroup):
                for state in group.key_states.values():
                    yield from self.time_slice_facts(state, self.history(state.key), limit)
                    yield from self.retention_facts(group, state, limit - 1)
            if isinstance(group, CountGroup):
                kinds = [query.window for query in group.queries.values()]
                for rank_state in group.key_states.values():
                    yield from self.rank_facts(rank_state, self.history(rank_state.key), kinds)
                kinds_of_results = {
                    result.kind for result in output.results if result.query in group.queries
                }
                yield (
                    "R5 count windows from slices of ranks are not retracted",
                    "retracted" not in kinds_of_results,
                )
            if isinstance(group, TupleGroup):
                for keyed in group.key_groups.values():
                    yield from self.tuple_slice_facts(keyed, self.history(keyed.key_state.key))

    def history(self, key: Hashable) -> Events:
        """The accepted events of a key, in event order."""
        return sorted(self.accepted.get(key, ()), key=lambda accepted: accepted[:2])

    def fold(self, events: Sequence[AcceptedValue]) -> object:
        """Fold events, in event order."""
        assert self.monoid
        return self.monoid.fold([event.value for event in events])

    def time_slice_facts(self, state: KeyState, history: Events, limit: float) -> Facts:
        """M1, M2, M4 and M5: slices in time."""
        slices, plan = state.slices.slices, state.slices.requirements
        within = [[event for event in history if s.first <= event.time <= s.last] for s in slices]
        behind = [event for event in history if slices and event.time >= slices[0].first]
        yield (
            "M1 slices are sorted and disjoint",
            all(a.last < b.first for a, b in pairwise(slices)),
        )
        yield "M1 no slice is empty", all(each.size for each in slices)
        yield (
            "M1 firsts are those of the slices",
            state.slices.first_times == [s.first for s in slices],
        )
        yield "M1 each tuple is in one", behind == [event for events in within for event in events]
        yield (
            "M4 a slice is as long as its tuples",
            all(
                (each.first, each.last, each.size) == (events[0].time, events[-1].time, len(events))
                for each, events in zip(slices, within, strict=True)
            ),
        )
        yield (
            "M4 a slice folds its tuples in event order",
            all(
                each.partial == self.fold(events)
                for each, events in zip(slices, within, strict=True)
            ),
        )
        yield (
            "M5 tuples are stored where the plan says so",
            all(
                [entry.order for entry in each.tuples or ()]
                == ([event[:2] for event in events] * plan.stored)
                for each, events in zip(slices, within, strict=True)
            ),
        )
        yield from self.separator_facts(state, list(zip(slices, within, strict=True)), limit)

    def separator_facts(
        self, state: KeyState, contents: list[tuple[Slice, Events]], limit: float
    ) -> Facts:
        """M2: where slices begin and end."""
        plan = state.slices.requirements
        open_slices = [(each, events) for each, events in contents if each.last >= limit]
        yield (
            "M2 no slice reaches over an edge, except final slices",
            all(
                plan.edges.interval_at(each.first) == plan.edges.interval_at(each.last)
                for each, _ in open_slices
            ),
        )
        yield (
            "M2 nor over the smallest gap",
            plan.gap is None
            or all(
                b.time - a.time < plan.gap + plan.merge_slack
                for _, events in open_slices
                for a, b in pairwise(events)
            ),
        )
        yield (
            "M2 a separator lies between each two neighbours",
            None not in state.slices.separators(),
        )

    def retention_facts(self, group: TimeGroup, state: KeyState, limit: float) -> Facts:
        """M6 and M7: no slice and no key is kept that no open window needs."""
        needed = min(self.needed_since(query, state.key, limit) for query in group.queries.values())
        yield (
            "M6 no slice is kept that no window needs",
            all(each.last >= needed for each in state.slices.slices),
        )
        yield "M7 no key without state is kept", not state.is_idle

    def needed_since(self, query: Query, key: Hashable, limit: float) -> float:
        """The start of the first window of a query that is not final."""
        kind = query.window
        if isinstance(kind, Sliding) and abs(limit) < END:
            ended = int(limit) - kind.size
            return pane_start(ended, kind.offset, kind.slide, self._settings.dialect) + kind.slide
        history = [AcceptedEvent(Event(k.time, k.value, key), k.arrival) for k in self.history(key)]
        world = History(self._settings, self._watermark, self._last_finite)
        starts = [w.interval.start for w in windows_of(query, history, world) if w.final_at > limit]
        return min(starts, default=limit)

    def rank_facts(self, state: CountKeyState, history: Events, kinds: Sequence[object]) -> Facts:
        """R1: slices of ranks."""
        most = len(history) + 1
        edges = {
            rank
            for kind in kinds
            if isinstance(kind, Sliding)
            for start in range(kind.offset % kind.slide, most + kind.slide, kind.slide)
            for rank in (start, start + kind.size)
        }
        cells = [each.ranks for each in state.slices]
        contents = [history[each.ranks.low : each.ranks.low + each.size] for each in state.slices]
        yield "R1 every tuple is counted", state.tuple_count == len(history)
        yield "R1 slices follow each other", all(a.high == b.low for a, b in pairwise(cells))
        yield (
            "R1 slices lie between edges that follow each other",
            all(
                {cell.low, cell.high} <= edges | {0}
                and not edges & set(range(cell.low + 1, cell.high))
                for cell in cells
            ),
        )
        yield "R1 all but the last are full", all(each.is_full for each in state.slices[:-1])
        yield (
            "R1 no slice has more tuples than ranks",
            all(each.size <= each.ranks.high - each.ranks.low for each in state.slices),
        )
        yield (
            "R1 the last one ends with the last tuple",
            not cells or (cells[-1].low + state.slices[-1].size == len(history)),
        )
        yield (
            "R1 a slice folds the tuples of its ranks",
            all(
                each.partial == self.fold(events)
                for each, events in zip(state.slices, contents, strict=True)
                if each.partial_known
            ),
        )

    def tuple_slice_facts(self, keyed: TupleGroupKey, history: Events) -> Facts:
        """T1: slices with tuples."""
        state = keyed.key_state
        orders = [entry.order for entry in [*state.entries, *state.deferred_events]]
        accepted = [event[:2] for event in history]
        yield (
            "T1 tuples are the accepted events without the evicted first ones",
            (sorted(orders) == accepted[state.evicted_count :]),
        )
        yield (
            "T1 slices have them in order",
            [e.order for e in state.entries] == sorted(entry.order for entry in state.entries),
        )
        yield (
            "T1 each known partial folds its slice",
            all(
                tile.partial == self.fold_entries(tile.entries)
                for tile in state.slices.slices
                if tile.partial_known
            ),
        )

    def fold_entries(self, entries: Sequence[LiftedEvent]) -> object:
        """Fold tuples."""
        assert self.monoid
        return self.monoid.fold([entry.partial for entry in entries])


class CheckedUnorderedScotty(CheckedScotty):
    """The same for a commutative aggregate: no tuple needs to be stored."""

    unordered = True

    def add(self, query: Query) -> None:
        """Add a query, unless its aggregate depends on order."""
        if query.aggregate is WORDS:
            raise UnsupportedError("this operator checks commutative aggregates only")
        super().add(query)
