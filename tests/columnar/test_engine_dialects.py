"""The compiled engine in every mode and dialect, with batches cut anywhere, and its invariants."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import get_args, get_type_hints

import numpy as np
import pytest

from muntin.columnar.engine import timetable
from muntin.columnar.engine_group import EngineGroup
from muntin.columnar.operator import ColumnarOperator
from muntin.conformance.output_comparison import response_difference
from muntin.kernels.slicing.forms import form_of
from muntin.kernels.slicing.plan import planned
from muntin.reference.specification import SpecificationOperator
from muntin.snapshot import transfer_state
from muntin.spec.algebra.catalogue import named
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.query import Mode, Output, Query, Result, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding, tumbling
from muntin.spec.windows.window import WindowType
from support.session_invariants import check_sessions
from support.window_invariants import check_windows

MODES: tuple[Mode, ...] = get_args(Mode)
AGGREGATES = ("sum", "min", "max", "count", "first", "last", "mean", "m4", "var_pop")
DECISIONS = [
    (name, value)
    for name, hint in get_type_hints(Dialect).items()
    for value in ((-1, 1) if name == "closing" else get_args(hint)[1:])
]
KINDS: tuple[WindowType, ...] = (
    tumbling(7, 3), Sliding(10, 5), Cumulate(12, 3, 1), Landmark(-4, 3), Band(-9, 30), Session(5),
)  # fmt: skip
UNSERVED = {
    ("first_window", "floor_first"): (Sliding,), ("first_window", "offset_first"): (Sliding,),
    ("session_end", "last"): (Session,), ("late_update", "next_watermark"): (Session,),
    ("late_update", "none"): (Session,), ("lateness", "never"): (Landmark,),
}  # fmt: skip
"""What depends on single events, or on those after the end of the stream: nothing compiled."""


def dialect_of(random: Random) -> Dialect:
    """A dialect with one decision in two that is not ours."""
    chosen = {name: value for name, value in DECISIONS if random.random() < 0.25}
    left_out = {name for name, value in UNSERVED if chosen.get(name) == value}
    return replace(OURS, **{n: value for n, value in chosen.items() if n not in left_out})


def window_type(random: Random, base: int) -> WindowType:
    """A window type; some begin where the stream does."""
    near = base + random.randrange(-20, 20)
    kinds = (
        tumbling(7, 3), Sliding(10, 5), Cumulate(12, 3, 1), Session(5), Sliding(30, 4, 3),
        Sliding(3, 8, 2), tumbling(100), Session(17), Landmark(near, random.choice([3, 10])),
        Band(near, near + random.choice([1, 40])),
    )  # fmt: skip
    return random.choice(kinds)


def has_close_value(expected: Result, actual: Result) -> bool:
    """Whether two values are equal, but for the order in which floats were added."""
    if isinstance(expected.value, float) and isinstance(actual.value, float):
        return abs(expected.value - actual.value) <= 1e-9 * max(1, abs(expected.value))
    return expected.value == actual.value


def check_engines(operator: ColumnarOperator) -> None:
    """What must hold of every engine of an operator."""
    for group in operator.groups.values():
        if isinstance(group, EngineGroup) and group.engine:
            check_windows(group.engine)
            check_sessions(group.engine)


def cut_steps(random: Random, step: Step, size: str) -> Iterator[Step]:
    """A step as it is, with an event each, or cut anywhere; the watermark comes with the last."""
    n = len(step.events)
    inner = range(1, n) if size == "one" else sorted(random.sample(range(n + 1), min(n, 2)))
    bounds = [0, *(inner if size != "whole" else ()), n]
    for low, high in pairwise(bounds):
        yield Step(step.events[low:high], step.watermark if high == n else None)


class Play:
    """A compiled operator, and the specification beside it."""

    def __init__(self, random: Random, settings: Settings) -> None:
        """Start with some queries."""
        self.random, self.settings, self.queries = random, settings, dict[str, Query]()
        self.base, self.keys = random.choice([0, 0, -40, 10**9]), random.choice([1, 1, 2, 7, 80])
        self.now, self.results, self.added = self.base, 0, 0
        self.tested = ColumnarOperator(settings, method="compiled")
        self.denoted = SpecificationOperator(settings)
        for _ in range(random.randrange(1, 4)):
            self.add()

    def add(self) -> None:
        """Ask a further query."""
        kind = window_type(self.random, self.base)
        query = Query(f"q{self.added}", kind, named(self.random.choice(AGGREGATES)))
        self.added += 1
        self.queries[query.id] = query
        for operator in (self.tested, self.denoted):
            operator.add(query)

    def change(self) -> None:
        """Add or remove a query, or go on from a snapshot."""
        random = self.random
        if random.random() < 0.1:
            self.add()
        if random.random() < 0.1 and len(self.queries) > 1:
            name = random.choice([*self.queries])
            del self.queries[name]
            for operator in (self.tested, self.denoted):
                operator.remove(name)
        if random.random() < 0.1:
            other = ColumnarOperator(self.settings, method="compiled")
            for query in self.queries.values():
                other.add(query)
            transfer_state(self.tested, other)
            self.tested = other

    def draw(self) -> Step:
        """A step of events around the present, of which many are late."""
        random, spread = self.random, self.random.choice([10, 40, 200])
        self.now += random.choice([0, 3, 20, 20, 90, -30, -100, 1000])
        given = random.choice([None, self.now, self.now - spread, self.now + spread])
        own = random.random() < 0.1
        events = tuple(
            Event(
                self.now + random.randrange(-spread, spread),
                random.randrange(-5, 100),
                random.randrange(self.keys) * 977,
                random.choice([2, 30]) if own and random.random() < 0.5 else None,
            )
            for _ in range(random.choice([0, 1, 2, 6, 20]))
        )
        return Step(events, END if random.random() < 0.03 else given)

    def take(self, step: Step) -> None:
        """Give both a step, and compare all that they emit."""
        expected, events = self.denoted.take(step), step.events
        if self.random.random() < 0.5 and not any(event.gap for event in events):
            columns = [(e.time, e.value, e.key) for e in events]
            times, values, keys = np.array(columns, np.int64).reshape(-1, 3).T.copy()
            answered = self.tested.take_columns(times, values, keys, step.watermark)
            late = tuple(events[int(at)] for at in answered.late)
            actual = Output(answered.results(), late)
        else:
            actual = self.tested.take(step)
        assert not response_difference(expected, actual, has_close_value)
        check_engines(self.tested)
        self.results += len(expected.results)


def play(random: Random, mode: Mode, size: str) -> int:
    """Run a random stream; the number of results."""
    settings = Settings(random.choice([0, 5, 30, 200]), mode, dialect=dialect_of(random))
    game = Play(random, settings)
    for _ in range(random.randrange(2, 12)):
        game.change()
        for step in cut_steps(random, game.draw(), size):
            game.take(step)
    return game.results


@pytest.mark.parametrize("size", ["whole", "one", "cut"])
@pytest.mark.parametrize("mode", MODES)
def test_random_streams_answer_as_the_specification_does(
    mode: Mode, size: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timetable, "AHEAD", 8)
    seeds = [Random(f"{mode} {size} {seed}") for seed in range(12)]  # noqa: S311 nothing secret
    assert sum(play(random, mode, size) for random in seeds) > 100


ONE_DECISION = [OURS, *(replace(OURS, **{name: value}) for name, value in DECISIONS)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dialect", ONE_DECISION, ids=lambda one: f"{one}"[8:-1])
def test_every_decision_is_compiled_but_those_on_single_events(
    dialect: Dialect, mode: Mode
) -> None:
    settings, total = Settings(9, mode, dialect=dialect), named("sum")
    decided = [
        left_out for (n, value), left_out in UNSERVED.items() if getattr(dialect, n) == value
    ]
    left_out = decided[0] if decided else ()
    for kind in KINDS:
        query, form = Query("q", kind, total), form_of(total)
        assert form is not None
        plan = planned(query, form, settings, "compiled")
        assert plan.method == ("generic" if isinstance(kind, left_out) else "compiled"), plan.why


@pytest.mark.parametrize("keys", [1, 2])
@pytest.mark.parametrize("name", ["first", "last"])
def test_of_equal_times_that_come_late_the_order_of_arrival_decides(name: str, keys: int) -> None:
    settings = Settings(100, "discard")
    both = ColumnarOperator(settings, method="compiled"), SpecificationOperator(settings)
    late = tuple(Event(3, 2**at, at % keys) for at in range(6))
    for operator in both:
        operator.add(Query("w", tumbling(10), named(name)))
        operator.take(Step(tuple(Event(5, 0, key) for key in range(keys)), 20))
    tested, denoted = (operator.take(Step(late)) for operator in both)
    assert {result.kind for result in denoted.results} == {"updated"}
    assert not response_difference(denoted, tested)


def test_a_removed_session_leaves_no_state() -> None:
    operator = ColumnarOperator(method="compiled")
    for name, gap in (("short", 5), ("long", 50), ("last", 500)):
        operator.add(Query(name, Session(gap), named("sum")))
    operator.take_columns([1, 9, 30], [1, 2, 4], [1, 1, 2], 0)
    (group,) = operator.groups.values()
    assert isinstance(group, EngineGroup)
    assert group.engine is not None
    before = len(group)
    operator.remove("long")
    assert [int(store.scalars[0]) for store in group.engine.stores] == [5, 500]
    assert len(group) < before
    results = operator.take_columns([31], [8], [2], END).results()
    assert {(r.query, r.key, r.start, r.value) for r in results} == {
        ("short", 1, 1, 1), ("short", 1, 9, 2), ("short", 2, 30, 12),
        ("last", 1, 1, 3), ("last", 2, 30, 12),
    }  # fmt: skip
    check_engines(operator)


@pytest.mark.parametrize("mode", ["accumulate-retract", "discard"])
@pytest.mark.parametrize("keys", [1, 3])
def test_an_update_that_waits_for_a_watermark_outlives_a_cut_of_the_slices(
    keys: int, mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timetable, "AHEAD", 8)
    settings = Settings(1000, mode, dialect=Dialect(late_update="next_watermark"))
    both = ColumnarOperator(settings, method="compiled"), SpecificationOperator(settings)
    for operator in both:
        operator.add(Query("w", tumbling(10), named("sum")))
    times: list[list[int]] = [[5], [3], [-500, 10_000], [4], []]
    starts = list[float]()
    for at, few in enumerate(times):
        events = tuple(Event(time, 2**at, at % keys) for time in few)
        step = Step(events, {0: 20, len(times) - 1: 21}.get(at))
        tested, denoted = (operator.take(step) for operator in both)
        assert not response_difference(denoted, tested)
        check_engines(both[0])
        starts = [result.start for result in denoted.results]
    assert starts.count(0) == min(keys, 2)


@pytest.mark.parametrize("keys", [1, 3])
@pytest.mark.parametrize("dialect", [OURS, Dialect(lateness="window")], ids=["event", "window"])
def test_the_slices_of_a_landmark_are_folded(
    dialect: Dialect, keys: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timetable, "AHEAD", 8)
    operator = ColumnarOperator(Settings(20, dialect=dialect), method="compiled")
    operator.add(Query("all", Landmark(5, 100), named("sum")))
    operator.add(Query("near", Sliding(40, 10), named("max")))
    (group,) = operator.groups.values()
    assert isinstance(group, EngineGroup)
    results: Sequence[Result] = ()
    for now in range(0, 4000, 50):
        times = np.arange(now, now + 50, 5)
        results = operator.take_columns(times, times * 0 + 1, times // 5 % keys, now + 55).results()
    check_engines(operator)
    assert group.engine is not None
    assert group.engine.timetable is not None
    assert len(group.engine.timetable.edges) < 200
    assert len(group) < 100 * keys
    last = [r for r in results if r.query == "all" and r.end == 4005]
    assert sum(int(str(r.value)) for r in last) == 799
