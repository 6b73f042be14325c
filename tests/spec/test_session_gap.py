"""Why sessions merge strictly below the gap (rule 8): else results depend on the watermark's time.

A watermark promises only that nothing older than itself is to come. At watermark last + gap the
session is complete, since that is its end; but an event at that very time may still come.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.conformance.machines.random_choices import WORDS, Letter
from muntin.spec.denotation import denote
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.query import Mode, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Session

GAP = 5
AT_EQUALITY = Dialect(session_merge="le")
Emission = list[tuple[int, float, object]]


def emitted(early: int | None, dialect: Dialect, output: Mode, times: tuple[int, int]) -> Emission:
    """What becomes of two events, the watermark advancing between them or only after both."""
    first, second = (Event(time, Letter(0, i)) for i, time in enumerate(times))
    steps = [Step((first,), early), Step((second,)), Step((), END)]
    outputs = denote([Query("q", Session(GAP), WORDS)], steps, Settings(0, output, dialect=dialect))
    results = [result for step in outputs for result in step.results]
    gone = {(r.start, r.end) for r in results if r.kind == "retracted"}
    kept = [(r.start, r.end, r.value) for r in results if r.kind != "retracted"]
    return [one for one in kept if one[:2] not in gone]


def late(early: int | None, dialect: Dialect, output: Mode) -> bool:
    """Whether the second event is late: it never is, so nothing but the merge is at issue."""
    steps = [Step((Event(0, 0),), early), Step((Event(GAP, 0),))]
    query = Query("q", Session(GAP), WORDS)
    return any(out.late for out in denote([query], steps, Settings(0, output, dialect=dialect)))


@pytest.mark.parametrize("output", ["accumulate", "final"])
def test_merging_at_equality_makes_the_result_depend_on_when_the_watermark_comes(
    output: Mode,
) -> None:
    """What was said is never taken back in these modes, so it stands beside its correction."""
    assert not late(GAP, AT_EQUALITY, output)
    soon, later = (emitted(early, AT_EQUALITY, output, (0, GAP)) for early in (GAP, None))
    assert (0, GAP) in [one[:2] for one in soon]
    assert [one[:2] for one in later] == [(0, 2 * GAP)]
    assert soon != later


@pytest.mark.parametrize("output", ["accumulate", "final", "accumulate-retract"])
def test_merging_below_the_gap_does_not(output: Mode) -> None:
    assert not late(GAP, OURS, output)
    soon, later = (emitted(early, OURS, output, (0, GAP)) for early in (GAP, None))
    assert [one[:2] for one in soon] == [(0, GAP), (GAP, 2 * GAP)]
    assert soon == later


@given(st.integers(-20, 20), st.integers(-20, 20), st.integers(-20, 20))
def test_whenever_the_watermark_comes_what_is_final_is_the_same(
    first: int, second: int, watermark: int
) -> None:
    """For each second event that the watermark allows, that is at or after it."""
    times = (first, max(second, watermark))
    soon, later = (emitted(early, OURS, "final", times) for early in (watermark, None))
    assert sorted(soon) == sorted(later)
