"""Every operator answers every small trace as the denotation does."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from exhaustive.combine_counts import traces
from exhaustive.object_state import whole
from exhaustive.operators import ALONE, CONTENDERS, SCOPES, SCOTTY
from exhaustive.profile import PROFILE
from exhaustive.traces import Scope, Walk, answer, contender
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
    for scope, entries, found in SCOPES[name].walks():
        walked = Walk(scope, entries).run()
        assert walked.traces == traces(scope)
        assert found in (None, walked)


@pytest.mark.parametrize("name", ALONE)
def test_scotty_alone_answers_every_trace_at_six_times(name: str) -> None:
    walk = Walk(ALONE[name], SCOTTY)
    assert walk.names == ["scotty-lazy"]
    walked = walk.run()
    assert walked.traces == traces(ALONE[name]) == LONGEST[PROFILE]
    assert walked.results > LONGEST[PROFILE] // 20


def test_every_operator_takes_part() -> None:
    parts = {name: Walk(one.scope, CONTENDERS).names for name, one in SCOPES.items()}
    assert {name for names in parts.values() for name in names} == {one.name for one in CONTENDERS}
    assert all(parts.values())
    walked = [
        {entry.name for _, some, _ in one.walks() for entry in some} for one in SCOPES.values()
    ]
    assert walked == [{one.name for one in CONTENDERS}] * len(SCOPES)


class Lenient(SpecificationOperator):
    """An operator that merges sessions at the gap."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(Settings(settings.allowed_lateness, dialect=LENIENT))


class Regressing(SpecificationOperator):
    """An operator whose watermark can be lowered."""

    def take(self, events: Step, /) -> Output:
        self.history = replace(self.history, watermark=-END)
        return super().take(events)


@pytest.mark.parametrize("wrong", [Lenient, Regressing])
def test_an_operator_that_is_wrong_is_found_out(wrong: Callable[[Settings], Operator]) -> None:
    scope = Scope((Session(2), tumbling(2)), 3, 3)
    with pytest.raises(AssertionError):
        Walk(scope, [OperatorEntry("wrong", wrong)]).run()


@pytest.mark.parametrize("entry", CONTENDERS, ids=lambda entry: entry.name)
def test_a_copy_answers_as_the_operator_and_leaves_it_alone(entry: OperatorEntry) -> None:
    scope = Scope((tumbling(2),), 6, 6, Settings(1, in_order=entry.in_order_only))
    operator = contender(entry, scope)
    assert operator
    replayed = contender(entry, scope)
    assert replayed
    for time in (0, 0, 1, 3, 4):
        step = Step((Event(time, time),), time - 1)
        before = whole(operator.operator)
        twin, got = operator.take(step)
        assert whole(operator.operator) == before
        assert got == answer(replayed.operator, step)
        operator = twin
