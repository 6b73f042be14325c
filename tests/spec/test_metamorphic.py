"""What must follow from the denotation, whatever the trace: it is tested against itself."""

from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from muntin.conformance.machines.random_choices import WORDS, Letter
from muntin.conformance.machines.strategies import window_types
from muntin.spec.algebra.catalogue import named
from muntin.spec.denotation import denote
from muntin.spec.query import Output, Query, Result, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.measure import TIME
from muntin.spec.windows.periodic import Sliding, tumbling
from muntin.spec.windows.window import WindowType

IN_TIME = window_types(0).filter(lambda kind: kind.measure is TIME)
TIMES = st.lists(st.integers(-9, 20), max_size=12)


def events(times: Sequence[int], numbers: Sequence[int] = (0,)) -> list[Event]:
    """Make events with letters of their own."""
    return [Event(t, Letter(numbers[i % len(numbers)], i)) for i, t in enumerate(times)]


def final(outputs: Sequence[Output]) -> dict[tuple[str, int, float, int], object]:
    """Return what is published in the end, by query, interval and place among equals."""
    published: dict[tuple[str, int, float], list[Result]] = {}
    for result in (result for output in outputs for result in output.results):
        place = (result.query, result.start, result.end)
        if result.kind == "new":
            published.setdefault(place, []).append(result)
        else:
            published[place] = [r for r in published[place] if r.revision != result.revision]
            published[place] = [] if result.kind == "retracted" else [result]
    return {(*place, i): r.value for place, rs in published.items() for i, r in enumerate(rs)}


@given(window_types(0), TIMES, st.integers(0, 9), st.integers(-9, 20))
def test_splitting_steps_changes_only_when_results_are_emitted(
    kind: WindowType, times: list[int], lateness: int, watermark: int
) -> None:
    query, settings = Query("q", kind, WORDS), Settings(lateness)
    whole = [Step(tuple(events(times)), watermark), Step((), END)]
    split = [*(Step((event,)) for event in events(times)), Step((), watermark), Step((), END)]
    assert final(denote([query], whole, settings)) == final(denote([query], split, settings))


@given(TIMES.flatmap(lambda times: st.tuples(st.just(times), st.permutations(range(len(times))))))
def test_arrival_between_watermarks_is_no_matter_to_times_that_differ(
    drawn: tuple[list[int], list[int]],
) -> None:
    times, order = drawn
    distinct = {event.time: event for event in events(times)}
    shuffled = [event for i in order if (event := distinct.get(times[i]))]
    query = Query("q", Sliding(6, 2), WORDS)
    first, second = (
        denote([query], [Step(tuple(some), 5), Step((), END)])
        for some in (list(distinct.values()), list(dict.fromkeys(shuffled)))
    )
    assert [output.results for output in first] == [output.results for output in second]


@given(window_types(0), TIMES, st.integers(-50, 50), st.integers(-9, 20))
def test_shifting_time_shifts_the_answer(
    kind: WindowType, times: list[int], by: int, watermark: int
) -> None:
    relative = ("session", "punctuation", "delta", "threshold", "state", "rolling")
    if kind.name not in relative or kind.measure is not TIME:
        kind = Sliding(6, 4, offset=2)
    moved = Sliding(6, 4, offset=2 + by) if isinstance(kind, Sliding) else kind
    here = [Step(tuple(events(times, (1, -1, 2))), watermark), Step((), END)]
    there = [
        Step(tuple(events([t + by for t in times], (1, -1, 2))), watermark + by),
        Step((), END),
    ]
    shifted = [
        [r._replace(start=r.start + by, end=r.end + by) for r in output.results]
        for output in denote([Query("q", kind, WORDS)], here)
    ]
    assert shifted == [list(o.results) for o in denote([Query("q", moved, WORDS)], there)]


@given(st.lists(st.tuples(st.integers(-200, 400), st.integers(-9, 9)), max_size=20))
def test_minutes_sum_to_their_hour(drawn: list[tuple[int, int]]) -> None:
    trace = [Step(tuple(Event(t, v) for t, v in drawn), 100), Step((), END)]
    queries = [Query(str(size), tumbling(size), named("sum")) for size in (1, 60)]
    hours, sums = Counter[int](), Counter[int]()
    for result in (result for output in denote(queries, trace) for result in output.results):
        assert isinstance(result.value, int)
        into = sums if result.query == "1" else hours
        into[result.start // 60] += result.value
    assert {hour: total for hour, total in sums.items() if total} == {
        hour: total for hour, total in hours.items() if total
    }


@given(IN_TIME, TIMES, st.integers(0, 5), st.integers(-9, 20), st.integers(-9, 20))
def test_what_is_frozen_never_changes(
    kind: WindowType, times: list[int], lateness: int, watermark: int, late: int
) -> None:
    """The freezing theorem (rule 12): by event, what ended before w - L stays as it is."""
    query, settings = Query("q", kind, WORDS), Settings(lateness)
    before = [Step(tuple(events(times)), watermark)]
    after = [*before, Step((Event(late, Letter(0, 99)),)), Step((), watermark)]
    *_, changed, _ = denote([query], after, settings)
    assert all(result.end > watermark - lateness for result in changed.results)
