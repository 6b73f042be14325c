"""How what comes is compared with what is expected."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.conformance.transcript.expectations import (
    Difference,
    Expectations,
    JsonRow,
    agree,
    differences,
    maximum_matching,
)
from muntin.conformance.transcript.json_reader import Json


def line(step: int, value: Json, **more: Json) -> JsonRow:
    return {"step": step, "query": "q", "value": value, **more}


def test_a_line_that_nobody_expects_is_a_difference() -> None:
    actual = [line(0, 1), line(0, 2)]
    assert differences(Expectations((line(0, 1),)), actual) == [Difference(None, line(0, 2))]
    assert differences(Expectations((line(0, 1),), subset=True), actual) == []
    assert differences(Expectations(()), actual) == [Difference(None, one) for one in actual]
    assert differences(Expectations(None), actual) == []


def test_a_line_that_does_not_come_is_a_difference_in_every_mode() -> None:
    missing = [Difference(line(0, 1), None)]
    assert differences(Expectations((line(0, 1),)), []) == missing
    assert differences(Expectations((line(0, 1),), subset=True), []) == missing


def test_a_line_comes_as_often_as_it_is_expected() -> None:
    assert differences(Expectations((line(0, 1), line(0, 1))), [line(0, 1)]) == [
        Difference(line(0, 1), None)
    ]
    assert differences(Expectations((line(0, 1),)), [line(0, 1)] * 2) == [
        Difference(None, line(0, 1))
    ]


def test_a_line_of_another_step_is_not_the_same() -> None:
    assert len(differences(Expectations((line(0, 1),)), [line(1, 1)])) == 2


def test_an_unexpected_row_is_shown_with_the_missing_one() -> None:
    actual = [line(0, 7, start=10), line(0, 8, start=0)]
    expected = (line(0, 5, start=0), line(0, 7, start=10))
    assert differences(Expectations(expected), actual) == [Difference(expected[0], actual[1])]
    session, longer = line(0, 5, start=0, end=9), line(0, 5, start=0, end=12)
    assert differences(Expectations((session,)), [longer]) == [Difference(session, longer)]
    two = [line(0, 7, start=0, kind="new"), line(0, 8, start=0, kind="updated")]
    (difference,) = differences(
        Expectations((line(0, 5, start=0, kind="updated"),), subset=True), two
    )
    assert difference.actual == two[1]


def test_the_order_within_a_step_is_not_compared() -> None:
    assert differences(Expectations((line(0, 1), line(0, 2))), [line(0, 2), line(0, 1)]) == []


def test_an_expectation_that_says_little_leaves_the_right_line_to_one_that_says_more() -> None:
    actual = [line(0, 1, start=0), line(0, 2, start=0)]
    expected: tuple[JsonRow, ...] = ({"step": 0, "start": 0}, {"step": 0, "value": 1})
    assert differences(Expectations(expected), actual) == []
    assert differences(Expectations(({}, {"value": 1}, {"step": 0})), actual)
    assert differences(Expectations(({"query": "q"}, {"value": 1})), actual) == []


@given(st.lists(st.sets(st.integers(0, 5)).map(sorted), max_size=6))
def test_a_matching_is_greatest(candidates: list[list[int]]) -> None:
    def best(rest: list[list[int]], used: frozenset[int]) -> int:
        if not rest:
            return 0
        others = [1 + best(rest[1:], used | {one}) for one in rest[0] if one not in used]
        return max([best(rest[1:], used), *others])

    given_to = maximum_matching(candidates)
    assert len(set(given_to.values())) == len(given_to)
    assert all(right in candidates[left] for left, right in given_to.items())
    assert len(given_to) == best(candidates, frozenset())


def test_many_lines_are_compared_in_a_moment() -> None:
    actual = [line(0, value, start=value) for value in range(10_000)]
    short: list[JsonRow] = [{"step": 0, "start": value, "value": value} for value in range(10_000)]
    wrong: list[JsonRow] = [{**one, "value": -1} for one in short]
    assert differences(Expectations(tuple(reversed(actual))), actual) == []
    assert differences(Expectations(tuple(reversed(short))), actual) == []
    assert differences(Expectations(tuple(wrong)), actual) == [
        Difference(w, g) for w, g in zip(wrong, actual, strict=True)
    ]


LATE: list[JsonRow] = [
    {"step": 1, "late": [{"t": 5, "v": 1}, {"t": 6, "v": None, "key": "k"}]},
    {"step": 2, "late": [{"t": 5, "v": 1}]},
]


@pytest.mark.parametrize(
    ("late", "wrong"),
    [
        (None, 0),
        ([], 3),
        ([{"t": 5}, {"t": 5}, {"t": 6}], 0),
        ([{"t": 5, "step": 1}, {"t": 5, "step": 2, "v": 1}, {"t": 6, "key": "k"}], 0),
        ([{"t": 5, "step": 1}, {"t": 5, "step": 1}, {"t": 6}], 2),
        ([{"t": 5}, {"t": 6}], 1),
        ([{"t": 5}, {"t": 5}, {"t": 6, "key": None}], 1),
        ([{"t": 5}, {"t": 5}, {"t": 6, "punct": False, "gap": None}], 0),
        ([{"t": 5}, {"t": 5}, {"t": 6}, {"t": 7}], 1),
    ],
)
def test_late_events_are_compared(late: list[JsonRow] | None, wrong: int) -> None:
    expected = Expectations(late=None if late is None else tuple(late))
    assert len(differences(expected, LATE)) == wrong


def test_in_a_subset_other_events_may_be_late() -> None:
    assert differences(Expectations(late=({"t": 6},), subset=True), LATE) == []
    assert len(differences(Expectations(late=({"t": 7},), subset=True), LATE)) == 1


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        (1, 1, True),
        (1, 1.0, True),
        (1, 1.0 + 1e-12, True),
        (1, 1.001, False),
        (10**18, 10**18 + 1, False),
        (10**400, 1.5, False),
        (0, 1e-13, True),
        (True, 1, False),
        (False, 0, False),
        (None, 0, False),
        (None, False, False),
        ("NaN", "NaN", True),
        ("1", 1, False),
        ([1, [2]], [1, [2]], True),
        ([1, 2], [1], False),
        ([], None, False),
        ({"a": 1.5}, {"a": 1.5}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
    ],
)
def test_values_agree(expected: Json, actual: Json, same: bool) -> None:  # noqa: FBT001 - a table
    assert agree(expected, actual) is same
    assert agree(actual, expected) is same
