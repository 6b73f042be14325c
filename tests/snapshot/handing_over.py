"""Traces of which columns take the first steps and a Scotty the others, whoever chooses."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import pairwise

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from muntin.conformance import choices
from muntin.conformance.choices import DOUBLED, Choose
from muntin.conformance.strategies import Drawn
from muntin.conformance.transcript import Turn
from muntin.kernels.slicing.operator import ColumnarOperator
from muntin.kernels.slicing.plan import METHODS, Method
from muntin.optimized.scotty.aggregate_store import BuildStore, LazyStore, eager, fiba
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.time_group import TimeGroup
from muntin.reference.denoted import Denoted
from muntin.snapshot import restore, snapshot
from muntin.spec.catalogue import named
from muntin.spec.data_driven import LastNEvery, Session
from muntin.spec.dialect import Dialect
from muntin.spec.operator import Operator
from muntin.spec.periodic import Band, Cumulate, Landmark, Sliding, tumbling
from muntin.spec.query import Mode, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.window import WindowType

NUMBERS = (
    *("count", "sum", "min", "max", "mean", "range", "first", "last", "m4", "median"),
    *("percentile(25)", "var_pop", "var_sample", "std_pop", "std_sample"),
)
PAIRS = ("argmin", "argmax")
BESIDE = ("distinct", "mincount")
"""What has no form over columns."""
MODES: tuple[Mode, ...] = ("accumulate-retract", "accumulate", "discard", "final")
BUILDS: tuple[BuildStore, ...] = (LazyStore, LazyStore, eager, fiba)
KEYS: tuple[tuple[Hashable, ...], ...] = ((None,), (None, "k"), ("a", "b", 1, 2))


def settings(choose: Choose) -> Settings:
    """Choose what columns offer: both rules of lateness, all modes, in order or not."""
    dialect = Dialect(lateness=choose.one(("event", "event", "window")))
    in_order = choose.one((False, False, False, True))
    return Settings(choose.one((0, 0, 1, 3, 8, 100)), choose.one(MODES), in_order, dialect)


@dataclass(frozen=True)
class Trace:
    """A stream, how columns are made for its first turns, and a Scotty for the others."""

    settings: Settings
    method: Method
    build: BuildStore
    turns: tuple[Turn, ...]
    split: int


@dataclass
class _Run:
    """A stream as it is made."""

    choose: Choose
    settings: Settings
    base: int
    pairs: bool
    beside: bool
    gaps: bool
    keys: tuple[Hashable, ...]
    asked: list[str] = field(default_factory=list[str])
    names: int = 0
    watermark: float = -END
    last: float = -END

    def _window(self) -> WindowType:
        """Choose windows whose slices lie in time; among others, if these may run beside."""
        c, near = self.choose, self.choose.whole(self.base - 5, self.base + 12)
        size, slide = c.whole(1, 7), c.whole(1, 7)
        kinds: list[WindowType] = [
            *(tumbling(size, near), Sliding(size, slide, near), Session(size), Session(slide)),
            Cumulate(size * c.whole(1, 3), size, near),
            *(Band(near, near + size), Landmark(near, size)),
        ]
        others: list[WindowType] = [LastNEvery(size, slide), Session(size, DOUBLED)]
        return c.one(kinds + others if self.beside else kinds)

    def _query(self) -> Query:
        """Choose a query."""
        names = PAIRS if self.pairs else (*NUMBERS, *(BESIDE if self.beside else ()))
        query = Query(f"q{self.names}", self._window(), named(self.choose.one(names)))
        self.names += 1
        self.asked.append(query.id)
        return query

    def _at(self, corner: choices.Corner) -> int:
        limit = self.watermark - self.settings.allowed_lateness
        return corner.at(self.base, self.watermark, limit, self.last)

    def _event(self) -> Event:
        c, draft = self.choose, choices.draft(self.choose)
        time = self._at(draft.corner)
        if self.settings.in_order and time < self.last:
            time = int(self.last) + draft.number % 3
        self.last = max(self.last, time)
        value = None if draft.number == 4 else draft.number
        pair = value if value is None or not self.pairs else (value, c.whole(0, 9))
        return Event(time, pair, c.one(self.keys), draft.gap if self.gaps else None)

    def _step(self) -> Step:
        events = [self._event() for _ in range(self.choose.one((0, 1, 1, 2, 4, 7)))]
        luck, watermark = self.choose.whole(1, 60), None
        if luck <= 30:
            watermark = END if luck == 1 else self._at(choices.corner(self.choose))
            self.watermark = max(self.watermark, watermark)
        if self.settings.in_order:
            events.sort(key=lambda event: event.time)
            self.watermark = max(self.watermark, self.last)
        return Step(tuple(events), watermark)

    def turn(self, fewest: int = 0) -> Turn:
        """Choose a step, and queries that come or go before it: at least so many come."""
        luck = self.choose.whole(1, 12)
        goes = luck == 1 and self.asked
        gone = (self.asked.pop(self.choose.whole(0, len(self.asked) - 1)),) if goes else ()
        come = tuple(self._query() for _ in range(max(fewest, int(luck == 2))))
        return Turn(self._step(), come, gone)


def trace(choose: Choose) -> Trace:
    """Choose a stream."""
    base, keys = choose.one((0, 0, -37, 10**17)), choose.one(KEYS)
    pairs, beside, gaps = (choose.whole(1, n) == 1 for n in (8, 4, 4))
    run = _Run(choose, settings(choose), base, pairs, beside, gaps, keys)
    method, build, length = choose.one(("auto", *METHODS)), choose.one(BUILDS), choose.whole(2, 14)
    turns = [run.turn(choose.whole(1, 4)), *(run.turn() for _ in range(length - 1))]
    return Trace(run.settings, method, build, tuple(turns), choose.whole(0, length - 1))


@st.composite
def traces(draw: DrawFn) -> Trace:
    """Choose streams as Hypothesis does."""
    return trace(Drawn(draw))


def _check_slices(scotty: Scotty) -> None:
    """Slices of a key lie one behind the other, and what stands for their tuples lies in them."""
    for group in scotty.groups:
        for lane in group.lanes.values() if isinstance(group, TimeGroup) else ():
            slices = lane.slices.slices
            assert all(left.last < right.first for left, right in pairwise(slices))
            times = [(s, t.accepted.event.time) for s in slices for t in s.tuples or ()]
            assert all(s.first <= time <= s.last for s, time in times)
            assert [s.first for s in slices] == lane.slices.firsts


def hand_over(one: Trace) -> int:
    """Run a trace against the denotation; return how many lines the Scotty has told."""
    denoted, now, told = Denoted(one.settings), _columns(one), 0
    asked = dict[str, Query]()
    for nth, turn in enumerate(one.turns):
        if nth == one.split:
            data, scotty = snapshot(now), Scotty(one.settings, one.build)
            for query in asked.values():
                scotty.add(query)
            restore(scotty, data)
            _check_slices(scotty)
            now = scotty
        for operator in (denoted, now):
            for name in turn.removed:
                operator.remove(name)
            for query in turn.added:
                operator.add(query)
        asked |= {query.id: query for query in turn.added}
        asked = {name: query for name, query in asked.items() if name not in turn.removed}
        wanted = denoted.take(turn.step)
        assert now.take(turn.step) == wanted
        told += len(wanted.results) * (nth >= one.split)
    return told


def _columns(one: Trace) -> Operator:
    return ColumnarOperator(one.settings, method=one.method)
