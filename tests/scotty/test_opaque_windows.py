"""Types derived from built-in window types are evaluated by their own methods only."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import pytest

from muntin.conformance.fuzz.trace_generator import random_trace
from muntin.conformance.machines.lockstep import lockstep, supported_trace
from muntin.conformance.machines.random_choices import WORDS, SeededSource
from muntin.optimized.scotty.operator import Scotty
from muntin.reference.specification import SpecificationOperator
from muntin.registry.implementations import OPERATORS, OperatorEntry
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


@dataclass(frozen=True)
class Weekdays(Sliding):
    """Five of every seven windows."""

    def intervals(self, timeline: Timeline, /) -> Iterable[Interval]:
        """Leave two out."""
        return {
            interval
            for interval in super().intervals(timeline)
            if interval.start // self.slide % 7 < 5
        }


@dataclass(frozen=True)
class Capped(Session):
    """Sessions that are cut every so often."""

    most: int = 3

    def intervals(self, timeline: Timeline, /) -> Iterable[Interval]:
        """Cut what is too long."""
        for interval in super().intervals(timeline):
            for start in range(interval.start, int(interval.end), self.most):
                yield Interval(start, min(start + self.most, int(interval.end)))


@dataclass(frozen=True)
class Delayed(UserTrigger):
    """A trigger whose buffers are emitted one instant later."""

    def completion_time(self, interval: Interval, timeline: Timeline, /) -> float | None:
        """Wait."""
        due = super().completion_time(interval, timeline)
        return None if due is None else due + 1


DERIVED = (Weekdays(4, 3, 1), Weekdays(2, 2), Capped(3, most=2), Delayed(lambda s, _: (s, 0, 1)))


@pytest.mark.parametrize("window", DERIVED, ids=lambda window: type(window).__name__)
def test_random_traces_of_a_derived_type(window: WindowType) -> None:
    def with_window(queries: Sequence[Query]) -> tuple[Query, ...]:
        return tuple(replace(query, window=window) for query in queries)

    for seed in range(60):
        trace = random_trace(SeededSource(f"{seed}"))
        turns = tuple(replace(turn, added=with_window(turn.added)) for turn in trace.turns)
        trace = supported_trace(
            replace(trace, queries=with_window(trace.queries), turns=turns), Scotty
        )
        assert lockstep(trace, Scotty).divergence is None, trace


def test_a_derived_session_is_refused_with_lateness_by_window() -> None:
    operator = Scotty(Settings(dialect=Dialect(lateness="window")))
    with pytest.raises(
        UnsupportedError, match="query 'q': Capped derives from Session, not served"
    ):
        operator.add(Query("q", Capped(3), WORDS))


TIMES = [3, 4, 5, 9, 10, 11, 12, 30, 31]


def outputs_of(operator: Operator, window: WindowType, *, in_order: bool) -> object:
    operator.add(Query("q", window, named("count")))
    final_step = Step(() if in_order else (Event(6, 1), Event(29, 1)), END)
    return [operator.step([Event(t, 1) for t in TIMES], 20), operator.take(final_step)]


@pytest.mark.parametrize("entry", OPERATORS, ids=lambda entry: entry.name)
@pytest.mark.parametrize("window", [Weekdays(4, 4), Capped(4), Delayed(lambda s, _: (s, 1, 1))])
def test_every_operator_answers_as_the_type_says_or_refuses_it(
    entry: OperatorEntry, window: WindowType
) -> None:
    settings = Settings(9, in_order=entry.in_order_only)
    try:
        entry.build(settings).add(Query("q", window, named("count")))
    except UnsupportedError:
        assert entry.name.split("-")[0] in {"panes", "pairs", "cutty", "tuple", "aggregate"}
        return
    outputs = outputs_of(entry.build(settings), window, in_order=entry.in_order_only)
    assert outputs == outputs_of(
        SpecificationOperator(settings), window, in_order=entry.in_order_only
    )


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
