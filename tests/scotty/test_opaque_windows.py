"""Window types that derive from known ones and say something else: nobody takes them for these."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import pytest

from muntin.conformance.fuzz.trace_generator import random_trace
from muntin.conformance.machines.lockstep import lockstep, supported_trace
from muntin.conformance.machines.random_choices import SeededSource
from muntin.conformance.machines.strategies import WORDS
from muntin.optimized.scotty.operator import Scotty
from muntin.reference.specification import SpecificationOperator
from muntin.registry.implementations import OperatorEntry
from muntin.snapshot import restore, snapshot
from muntin.spec.algebra.catalogue import named
from muntin.spec.dialect import Dialect
from muntin.spec.errors import UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import Timeline
from muntin.spec.windows.periodic import Sliding
from muntin.spec.windows.user_defined import UserTrigger
from muntin.spec.windows.window import Interval, WindowType
from support.contenders import OPERATORS


@dataclass(frozen=True)
class Weekdays(Sliding):
    """Of every seven windows, five."""

    def intervals(self, line: Timeline, /) -> Iterable[Interval]:
        """Leave two out."""
        return {one for one in super().intervals(line) if one.start // self.slide % 7 < 5}


@dataclass(frozen=True)
class Capped(Session):
    """Sessions that are cut every so often."""

    most: int = 3

    def intervals(self, line: Timeline, /) -> Iterable[Interval]:
        """Cut what is too long."""
        for one in super().intervals(line):
            for start in range(one.start, int(one.end), self.most):
                yield Interval(start, min(start + self.most, int(one.end)))


@dataclass(frozen=True)
class Patient(UserTrigger):
    """A trigger whose buffers are told one instant later."""

    def completion_time(self, interval: Interval, line: Timeline, /) -> float | None:
        """Wait."""
        known = super().completion_time(interval, line)
        return None if known is None else known + 1


DERIVED = (Weekdays(4, 3, 1), Weekdays(2, 2), Capped(3, most=2), Patient(lambda s, _: (s, 0, 1)))


@pytest.mark.parametrize("kind", DERIVED, ids=lambda kind: type(kind).__name__)
def test_random_traces_of_a_derived_type(kind: WindowType) -> None:
    def derived(queries: Sequence[Query]) -> tuple[Query, ...]:
        return tuple(replace(query, window=kind) for query in queries)

    for seed in range(60):
        trace = random_trace(SeededSource(f"{seed}"))
        turns = tuple(replace(turn, added=derived(turn.added)) for turn in trace.turns)
        trace = supported_trace(replace(trace, queries=derived(trace.queries), turns=turns), Scotty)
        assert lockstep(trace, Scotty).divergence is None, trace


def test_a_derived_session_is_refused_where_events_leave_with_sessions() -> None:
    operator = Scotty(Settings(dialect=Dialect(lateness="window")))
    with pytest.raises(UnsupportedError, match="query 'q': Capped derives from Session, of which"):
        operator.add(Query("q", Capped(3), WORDS))


TIMES = [3, 4, 5, 9, 10, 11, 12, 30, 31]


def told(operator: Operator, kind: WindowType, *, in_order: bool) -> object:
    operator.add(Query("q", kind, named("count")))
    last = Step(() if in_order else (Event(6, 1), Event(29, 1)), END)
    return [operator.step([Event(t, 1) for t in TIMES], 20), operator.take(last)]


@pytest.mark.parametrize("entry", OPERATORS, ids=lambda entry: entry.name)
@pytest.mark.parametrize("kind", [Weekdays(4, 4), Capped(4), Patient(lambda s, _: (s, 1, 1))])
def test_every_operator_answers_as_the_type_says_or_refuses_it(
    entry: OperatorEntry, kind: WindowType
) -> None:
    settings = Settings(9, in_order=entry.in_order_only)
    try:
        entry.build(settings).add(Query("q", kind, named("count")))
    except UnsupportedError:
        assert entry.name.split("-")[0] in {"panes", "pairs", "cutty", "tuple", "aggregate"}
        return
    given = told(entry.build(settings), kind, in_order=entry.in_order_only)
    assert given == told(SpecificationOperator(settings), kind, in_order=entry.in_order_only)


def test_a_derived_type_is_named_and_is_part_of_a_snapshot() -> None:
    def make() -> Scotty:
        operator = Scotty(Settings(50))
        operator.add(Query("q", Capped(30, most=60), WORDS))
        return operator

    before, after = make(), make()
    assert "session in time, forward context aware" in before.explain()
    before.step([Event(t, t) for t in range(0, 100, 10)], 60)
    restore(after, snapshot(before))
    step = Step((Event(30, 1),), END)
    assert before.take(step) == after.take(step)
