"""Every operator answers every small trace as the denotation does."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from exhaustive.object_state import object_form
from exhaustive.profile import PROFILE
from exhaustive.traces.operators import IMPLEMENTATIONS, SCOPES, SCOTTY_ONLY, SCOTTY_SCOPES
from exhaustive.traces.trace_counts import trace_count
from exhaustive.traces.walk import TraceScope, TraceWalk, answer_of, prepared_operator
from muntin.conformance.output_comparison import response_difference
from muntin.reference.specification import SpecificationOperator
from muntin.registry.implementations import OperatorEntry
from muntin.spec.dialect import Dialect
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import tumbling

LONGEST = {"ci": 159, "nightly": 1079649}
LENIENT = Dialect(session_merge="le")


@pytest.mark.parametrize("name", SCOPES)
def test_every_operator_answers_every_small_trace(name: str) -> None:
    for scope, entries, expected in SCOPES[name].walks():
        walked = TraceWalk(scope, entries).run()
        assert walked.traces == trace_count(scope)
        assert expected in (None, walked)


@pytest.mark.parametrize("name", SCOTTY_SCOPES)
def test_scotty_alone_answers_every_trace_at_six_times(name: str) -> None:
    walk = TraceWalk(SCOTTY_SCOPES[name], SCOTTY_ONLY)
    assert walk.names == ["scotty-lazy"]
    walked = walk.run()
    assert walked.traces == trace_count(SCOTTY_SCOPES[name]) == LONGEST[PROFILE]
    assert walked.results > LONGEST[PROFILE] // 20


def test_every_operator_takes_part() -> None:
    parts = {name: TraceWalk(case.scope, IMPLEMENTATIONS).names for name, case in SCOPES.items()}
    assert {name for names in parts.values() for name in names} == {
        one.name for one in IMPLEMENTATIONS
    }
    assert all(parts.values())
    walked = [
        {entry.name for _, entries, _ in case.walks() for entry in entries}
        for case in SCOPES.values()
    ]
    assert walked == [{entry.name for entry in IMPLEMENTATIONS}] * len(SCOPES)


class LenientSpecification(SpecificationOperator):
    """An operator that merges sessions at the gap."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(Settings(settings.allowed_lateness, dialect=LENIENT))


class RegressingSpecification(SpecificationOperator):
    """An operator whose watermark can be lowered."""

    def take(self, step: Step, /) -> Output:
        self.history = replace(self.history, watermark=-END)
        return super().take(step)


@pytest.mark.parametrize("wrong", [LenientSpecification, RegressingSpecification])
def test_a_wrong_operator_fails_the_walk(wrong: Callable[[Settings], Operator]) -> None:
    scope = TraceScope((Session(2), tumbling(2)), 3, 3)
    with pytest.raises(AssertionError):
        TraceWalk(scope, [OperatorEntry("wrong", wrong)]).run()


@pytest.mark.parametrize("entry", IMPLEMENTATIONS, ids=lambda entry: entry.name)
def test_a_copy_answers_as_the_operator_and_leaves_it_alone(entry: OperatorEntry) -> None:
    scope = TraceScope((tumbling(2),), 6, 6, Settings(1, in_order=entry.in_order_only))
    operator = prepared_operator(entry, scope)
    assert operator
    replayed = prepared_operator(entry, scope)
    assert replayed
    for time in (0, 0, 1, 3, 4):
        step = Step((Event(time, time),), time - 1)
        before = object_form(operator.operator)
        twin, got = operator.fork_with(step)
        assert object_form(operator.operator) == before
        assert not response_difference(answer_of(replayed.operator, step), got)
        operator = twin
