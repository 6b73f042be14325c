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
from muntin.spec.stream import END, AcceptedEvent, Event, Step
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
        before = self._arrivals
        output = super().take(step)
        for arrival, event in enumerate(step.events, before):
            if event not in output.late:
                value = self.lift(event.value)
                self.kept.setdefault(event.key, []).append(Kept(event.time, arrival, value))
        broken = [fact for fact, holds in self.facts(output) if not holds]
        assert not broken, (broken, self.kept, step, self._before)
        return output

    def facts(self, output: Output) -> Facts:
        """Yield what is true of each group of queries."""
        limit = self._before - self._settings.allowed_lateness
        for group in self.groups:
            if isinstance(group, TimeGroup):
                for lane in group.lanes.values():
                    yield from self.in_time(lane, self.history(lane.key), limit)
                    yield from self.released(group, lane, limit - 1)
            if isinstance(group, CountGroup):
                kinds = [query.window for query in group.queries.values()]
                for ranks in group.lanes.values():
                    yield from self.in_ranks(ranks, self.history(ranks.key), kinds)
                told = {one.kind for one in output.results if one.query in group.queries}
                yield (
                    "R5 count windows from slices of ranks are not retracted",
                    ("retracted" not in told),
                )
            if isinstance(group, TupleGroup):
                for keyed in group.keyed.values():
                    yield from self.in_tuples(keyed, self.history(keyed.lane.key))

    def history(self, key: Hashable) -> list[Kept]:
        """Return what was accepted of a key, in event order."""
        return sorted(self.kept.get(key, ()), key=lambda one: one[:2])

    def fold(self, ones: Sequence[Kept]) -> object:
        """Fold events, in event order."""
        assert self.monoid
        return self.monoid.fold([one.value for one in ones])

    def in_time(self, lane: KeyState, history: list[Kept], limit: float) -> Facts:
        """M1, M2, M4 and M5: slices in time."""
        slices, plan = lane.slices.slices, lane.slices.plan
        within = [[kept for kept in history if s.first <= kept.time <= s.last] for s in slices]
        behind = [kept for kept in history if slices and kept.time >= slices[0].first]
        yield (
            "M1 slices are sorted and disjoint",
            all(a.last < b.first for a, b in pairwise(slices)),
        )
        yield "M1 none is empty", all(one.size for one in slices)
        yield "M1 firsts are those of the slices", lane.slices.firsts == [s.first for s in slices]
        yield "M1 each tuple is in one", behind == [kept for ones in within for kept in ones]
        yield (
            "M4 a slice is as long as its tuples",
            all(
                (one.first, one.last, one.size) == (held[0].time, held[-1].time, len(held))
                for one, held in zip(slices, within, strict=True)
            ),
        )
        yield (
            "M4 a slice folds its tuples in event order",
            all(one.partial == self.fold(held) for one, held in zip(slices, within, strict=True)),
        )
        yield (
            "M5 tuples are stored where the plan says so",
            all(
                [entry.order for entry in one.tuples or ()] == ([k[:2] for k in held] * plan.stored)
                for one, held in zip(slices, within, strict=True)
            ),
        )
        yield from self.parted(lane, list(zip(slices, within, strict=True)), limit)

    def parted(self, lane: KeyState, held: list[tuple[Slice, list[Kept]]], limit: float) -> Facts:
        """M2: where slices begin and end."""
        plan = lane.slices.plan
        fresh = [(one, kept) for one, kept in held if one.last >= limit]
        yield (
            "M2 no slice reaches over an edge, but for what is settled",
            all(plan.edges.cell(one.first) == plan.edges.cell(one.last) for one, _ in fresh),
        )
        yield (
            "M2 nor over the smallest gap",
            plan.gap is None
            or all(
                b.time - a.time < plan.gap + plan.reach
                for _, ones in fresh
                for a, b in pairwise(ones)
            ),
        )
        yield "M2 something parts each two neighbours", None not in lane.slices.separators()

    def released(self, group: TimeGroup, lane: KeyState, limit: float) -> Facts:
        """M6 and M7: what no window needs that is not settled."""
        needed = min(self.needed(query, lane.key, limit) for query in group.queries.values())
        yield (
            "M6 no slice is kept that nothing needs",
            all(one.last >= needed for one in lane.slices.slices),
        )
        yield "M7 no key is kept of which nothing is left", not lane.idle

    def needed(self, query: Query, key: Hashable, limit: float) -> float:
        """Return where the first window of a query begins that is not settled."""
        kind = query.window
        if isinstance(kind, Sliding) and abs(limit) < END:
            ended = int(limit) - kind.size
            return pane_start(ended, kind.offset, kind.slide, self._settings.dialect) + kind.slide
        history = [AcceptedEvent(Event(k.time, k.value, key), k.arrival) for k in self.history(key)]
        world = History(self._settings, self._before, self._reached)
        starts = [w.interval.start for w in windows_of(query, history, world) if w.final_at > limit]
        return min(starts, default=limit)

    def in_ranks(self, lane: CountKeyState, history: list[Kept], kinds: Sequence[object]) -> Facts:
        """R1: slices of ranks."""
        most = len(history) + 1
        edges = {
            rank
            for kind in kinds
            if isinstance(kind, Sliding)
            for start in range(kind.offset % kind.slide, most + kind.slide, kind.slide)
            for rank in (start, start + kind.size)
        }
        cells = [one.cell for one in lane.slices]
        held = [history[one.cell.low : one.cell.low + one.size] for one in lane.slices]
        yield "R1 every tuple is counted", lane.total == len(history)
        yield "R1 slices follow each other", all(a.high == b.low for a, b in pairwise(cells))
        yield (
            "R1 slices lie between edges that follow each other",
            all(
                {cell.low, cell.high} <= edges | {0}
                and not edges & set(range(cell.low + 1, cell.high))
                for cell in cells
            ),
        )
        yield "R1 all but the last are full", all(one.full for one in lane.slices[:-1])
        yield (
            "R1 none has more tuples than ranks",
            all(one.size <= one.cell.high - one.cell.low for one in lane.slices),
        )
        yield (
            "R1 the last one ends with the last tuple",
            not cells or (cells[-1].low + lane.slices[-1].size == len(history)),
        )
        yield (
            "R1 a slice folds the tuples of its ranks",
            all(
                one.partial == self.fold(ones)
                for one, ones in zip(lane.slices, held, strict=True)
                if one.known
            ),
        )

    def in_tuples(self, keyed: TupleGroupKey, history: list[Kept]) -> Facts:
        """T1: slices with tuples."""
        lane = keyed.lane
        orders = [entry.order for entry in [*lane.entries, *lane.pending]]
        kept = [one[:2] for one in history]
        yield (
            "T1 tuples are those accepted, but for the first",
            (sorted(orders) == kept[lane.forgotten :]),
        )
        yield (
            "T1 slices have them in order",
            [e.order for e in lane.entries] == sorted(entry.order for entry in lane.entries),
        )
        yield (
            "T1 each known partial folds its slice",
            all(tile.partial == self.of(tile.entries) for tile in lane.tiling.tiles if tile.known),
        )

    def of(self, entries: Sequence[LiftedEvent]) -> object:
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
