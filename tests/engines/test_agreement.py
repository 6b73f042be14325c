"""At which level answers agree, and what an engine does not show."""

from dataclasses import replace

import pytest

from muntin.conformance.engines.agreement import agrees, is_same_answer
from muntin.conformance.engines.engine import EngineAnswer
from muntin.conformance.transcript.expectations import JsonRow
from muntin.wire.messages import EngineDescription

SHOWS_ALL = EngineDescription("e", "1", ["tumbling"], level="sequence", late=True, kinds=True)


def row(step: int | None, start: int, value: int, kind: str = "new", key: str = "k") -> JsonRow:
    more: JsonRow = {"step": step, "key": key, "kind": kind}
    return {**more, "start": start, "end": start + 5, "value": [value]}


A, B = row(1, 0, 7), row(1, 5, 8)
LATER, UPDATE = row(2, 5, 8), row(2, 0, 9, "updated")
OTHER_KEY = row(1, 0, 1, key="j")


def levels(one: list[JsonRow], other: list[JsonRow], *, kinds: bool = True) -> list[str]:
    """The levels at which two lists of results agree."""
    answers = EngineAnswer(tuple(one), ()), EngineAnswer(tuple(other), ())
    return [
        level
        for level in ("sequence", "steps", "bag", "standing")
        if agrees(*answers, replace(SHOWS_ALL, level=level, kinds=kinds))
    ]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([A, B], [A, B], "sequence steps bag standing"),
        ([A, B], [B, A], "steps bag standing"),
        ([A, OTHER_KEY], [OTHER_KEY, A], "sequence steps bag standing"),
        ([A, B], [A, LATER], "bag standing"),
        ([A, B], [A], ""),
        ([A, A], [A], "standing"),
        ([A, UPDATE], [A], ""),
        ([A], [row(1, 0, 7, key="j")], ""),
        ([A], [row(1, 0, 8)], ""),
        ([A], [row(1, 1, 7)], ""),
        ([A, row(2, 0, 7, "retracted"), B], [B], "standing"),
    ],
)
def test_results_agree_at_some_levels(
    one: list[JsonRow], other: list[JsonRow], expected: str
) -> None:
    assert levels(one, other) == levels(other, one) == expected.split()


def test_kinds_and_retractions_count_only_where_an_engine_shows_them() -> None:
    unkind = {name: value for name, value in A.items() if name != "kind"}
    retracted = row(2, 0, 7, "retracted")
    assert levels([A], [unkind]) == []
    assert levels([A], [unkind], kinds=False) == ["sequence", "steps", "bag", "standing"]
    assert levels([A, retracted], [A], kinds=False)[:3] == ["sequence", "steps", "bag"]


def test_late_events_count_only_where_an_engine_shows_them() -> None:
    one, other = (EngineAnswer((A,), ({"step": 1, "v": v},)) for v in (3, 4))
    assert agrees(one, one, SHOWS_ALL)
    assert not agrees(one, other, SHOWS_ALL)
    assert agrees(one, other, replace(SHOWS_ALL, late=False))


def test_no_error_agrees_but_two_errors_look_the_same() -> None:
    error, refusal = EngineAnswer(error="out of memory"), EngineAnswer(unsupported="no sessions")
    for answer in (error, refusal):
        assert not agrees(EngineAnswer(), answer, SHOWS_ALL)
        assert is_same_answer(answer, replace(answer), SHOWS_ALL)
    assert is_same_answer(error, EngineAnswer(error="out of memory at 0x7f"), SHOWS_ALL)
    assert not is_same_answer(error, refusal, SHOWS_ALL)
    assert not is_same_answer(error, EngineAnswer(), SHOWS_ALL)
    assert not is_same_answer(EngineAnswer((A,), ()), EngineAnswer((), ()), SHOWS_ALL)
