"""Scotty beside all that it has accepted: the facts of proofs/scotty.md, after each step.

Of the operator nothing is known here but its slices; what they have to be is worked out from the
events, which a ghost keeps. A fact that does not hold stops the walk.
"""

from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from muntin.conformance.machines.strategies import WORDS
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
from muntin.spec.stream import END, Accepted, Event, Step
from muntin.spec.windows.periodic import Sliding, pane_start

Facts = Iterator[tuple[str, bool]]


class Kept(NamedTuple):
    """An event that was accepted: its place in event order, and its lifted value."""

    time: int
    arrival: int
    value: object


class RelatedScotty(Scotty):
    """Checks after each step that the slices are what the events say."""

    unordered = False
    configuration = ("_build", "_letters")

    def __init__(self, settings: Settings, build: BuildStore = LazyStore) -> None:
        """Start with no event."""
        super().__init__(settings, build)
        self.kept = dict[Hashable, list[Kept]]()
        self.monoid = WORDS.monoid

    def add(self, query: Query) -> None:
        """Ask a further query, in the aggregate of all others."""
        super().add(query)
        self.lift, self.monoid = query.aggregate.lift, query.aggregate.monoid

    def take(self, step: Step, /) -> Output:
        """Take in a step, and check."""
        before = self._arrival_count
        output = super().take(step)
        for arrival, event in enumerate(step.events, before):
            if event not in output.late:
                value = self.lift(event.value)
                self.kept.setdefault(event.key, []).append(Kept(event.time, arrival, value))
        broken = [fact for fact, holds in self.facts(output) if not holds]
        assert not broken, (broken, self.kept, step, self._watermark)
        return output

    def facts(self, output: Output) -> Facts:
        """Yield what is true of each group of queries."""
        limit = self._watermark - self._settings.allowed_lateness
        for group in self.groups:
            if isinstance(group, TimeGroup):
                for key_state in group.key_states.values():
                    yield from self.check_time_slices(key_state, self.history(key_state.key), limit)
                    yield from self.check_eviction(group, key_state, limit - 1)
            if isinstance(group, CountGroup):
                windows = [query.window for query in group.queries.values()]
                for key_state in group.key_states.values():
                    yield from self.check_rank_slices(
                        key_state, self.history(key_state.key), windows
                    )
                kinds = {result.kind for result in output.results if result.query in group.queries}
                yield (
                    "R5 count windows from slices of ranks are not retracted",
                    ("retracted" not in kinds),
                )
            if isinstance(group, TupleGroup):
                for key_group in group.key_groups.values():
                    yield from self.check_tuple_slices(
                        key_group, self.history(key_group.key_state.key)
                    )

    def history(self, key: Hashable) -> list[Kept]:
        """Return what was accepted of a key, in event order."""
        return sorted(self.kept.get(key, ()), key=lambda kept_event: kept_event[:2])

    def fold(self, events: Sequence[Kept]) -> object:
        """Fold events, in event order."""
        assert self.monoid
        return self.monoid.fold([event.value for event in events])

    def check_time_slices(self, key_state: KeyState, history: list[Kept], limit: float) -> Facts:
        """M1, M2, M4 and M5: slices in time."""
        slices, plan = key_state.slices.slices, key_state.slices.requirements
        within = [
            [event for event in history if slice_.first <= event.time <= slice_.last]
            for slice_ in slices
        ]
        behind = [event for event in history if slices and event.time >= slices[0].first]
        yield (
            "M1 slices are sorted and disjoint",
            all(a.last < b.first for a, b in pairwise(slices)),
        )
        yield "M1 none is empty", all(slice_.size for slice_ in slices)
        yield (
            "M1 firsts are those of the slices",
            key_state.slices.first_times == [slice_.first for slice_ in slices],
        )
        yield "M1 each tuple is in one", behind == [event for tuples in within for event in tuples]
        yield (
            "M4 a slice is as long as its tuples",
            all(
                (slice_.first, slice_.last, slice_.size)
                == (tuples_of[0].time, tuples_of[-1].time, len(tuples_of))
                for slice_, tuples_of in zip(slices, within, strict=True)
            ),
        )
        yield (
            "M4 a slice folds its tuples in event order",
            all(
                slice_.partial == self.fold(tuples_of)
                for slice_, tuples_of in zip(slices, within, strict=True)
            ),
        )
        yield (
            "M5 tuples are stored where the plan says so",
            all(
                [entry.order for entry in slice_.tuples or ()]
                == ([k[:2] for k in tuples_of] * plan.stored)
                for slice_, tuples_of in zip(slices, within, strict=True)
            ),
        )
        yield from self.check_slice_edges(key_state, list(zip(slices, within, strict=True)), limit)

    def check_slice_edges(
        self, key_state: KeyState, tuples_of: list[tuple[Slice, list[Kept]]], limit: float
    ) -> Facts:
        """M2: where slices begin and end."""
        plan = key_state.slices.requirements
        fresh = [(slice_, kept) for slice_, kept in tuples_of if slice_.last >= limit]
        yield (
            "M2 no slice reaches over an edge, but for what is settled",
            all(
                plan.edges.interval_at(slice_.first) == plan.edges.interval_at(slice_.last)
                for slice_, _ in fresh
            ),
        )
        yield (
            "M2 nor over the smallest gap",
            plan.gap is None
            or all(
                b.time - a.time < plan.gap + plan.merge_slack
                for _, tuples in fresh
                for a, b in pairwise(tuples)
            ),
        )
        yield "M2 something parts each two neighbours", None not in key_state.slices.separators()

    def check_eviction(self, group: TimeGroup, key_state: KeyState, limit: float) -> Facts:
        """M6 and M7: what no window needs that is not settled."""
        needed = min(self.needed(query, key_state.key, limit) for query in group.queries.values())
        yield (
            "M6 no slice is kept that nothing needs",
            all(slice_.last >= needed for slice_ in key_state.slices.slices),
        )
        yield "M7 no key is kept of which nothing is left", not key_state.is_idle

    def needed(self, query: Query, key: Hashable, limit: float) -> float:
        """Return where the first window of a query begins that is not settled."""
        window = query.window
        if isinstance(window, Sliding) and abs(limit) < END:
            ended = int(limit) - window.size
            return (
                pane_start(ended, window.offset, window.slide, self._settings.dialect)
                + window.slide
            )
        history = [Accepted(Event(k.time, k.value, key), k.arrival) for k in self.history(key)]
        world = History(self._settings, self._watermark, self._last_finite)
        starts = [w.interval.start for w in windows_of(query, history, world) if w.settles > limit]
        return min(starts, default=limit)

    def check_rank_slices(
        self, key_state: CountKeyState, history: list[Kept], windows: Sequence[object]
    ) -> Facts:
        """R1: slices of ranks."""
        most = len(history) + 1
        edges = {
            rank
            for window in windows
            if isinstance(window, Sliding)
            for start in range(window.offset % window.slide, most + window.slide, window.slide)
            for rank in (start, start + window.size)
        }
        cells = [slice_.ranks for slice_ in key_state.slices]
        tuples_of = [
            history[slice_.ranks.low : slice_.ranks.low + slice_.size]
            for slice_ in key_state.slices
        ]
        yield "R1 every tuple is counted", key_state.tuple_count == len(history)
        yield "R1 slices follow each other", all(a.high == b.low for a, b in pairwise(cells))
        yield (
            "R1 slices lie between edges that follow each other",
            all(
                {cell.low, cell.high} <= edges | {0}
                and not edges & set(range(cell.low + 1, cell.high))
                for cell in cells
            ),
        )
        yield (
            "R1 all but the last are full",
            all(slice_.is_full for slice_ in key_state.slices[:-1]),
        )
        yield (
            "R1 none has more tuples than ranks",
            all(slice_.size <= slice_.ranks.high - slice_.ranks.low for slice_ in key_state.slices),
        )
        yield (
            "R1 the last one ends with the last tuple",
            not cells or (cells[-1].low + key_state.slices[-1].size == len(history)),
        )
        yield (
            "R1 a slice folds the tuples of its ranks",
            all(
                slice_.partial == self.fold(tuples)
                for slice_, tuples in zip(key_state.slices, tuples_of, strict=True)
                if slice_.partial_known
            ),
        )

    def check_tuple_slices(self, key_group: TupleGroupKey, history: list[Kept]) -> Facts:
        """T1: slices with tuples."""
        key_state = key_group.key_state
        orders = [entry.order for entry in [*key_state.entries, *key_state.deferred_events]]
        kept = [event[:2] for event in history]
        yield (
            "T1 tuples are those accepted, but for the first",
            (sorted(orders) == kept[key_state.evicted_count :]),
        )
        yield (
            "T1 slices have them in order",
            [e.order for e in key_state.entries]
            == sorted(entry.order for entry in key_state.entries),
        )
        yield (
            "T1 each known partial folds its slice",
            all(
                slice_.partial == self.fold_lifted(slice_.entries)
                for slice_ in key_state.slices.slices
                if slice_.partial_known
            ),
        )

    def fold_lifted(self, entries: Sequence[LiftedEvent]) -> object:
        """Fold tuples."""
        assert self.monoid
        return self.monoid.fold([entry.partial for entry in entries])


class RelatedInBags(RelatedScotty):
    """The same for an aggregate in which order is no matter: no tuple needs to be stored."""

    unordered = True

    def add(self, query: Query) -> None:
        """Ask a further query, unless order matters."""
        if query.aggregate is WORDS:
            raise UnsupportedError("bags, please")
        super().add(query)
