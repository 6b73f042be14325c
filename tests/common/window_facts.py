"""What a row of the table of window traits says, held to the windows that the type itself gives."""

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import combinations, pairwise

from muntin.optimized.common.window_traits import GAP, MARK, SliceEdges, traits_of
from muntin.spec.dialect import OURS
from muntin.spec.stream import END, AcceptedEvent, Event
from muntin.spec.windows.measure import TIME, Timeline, build_timeline
from muntin.spec.windows.window import WindowType, materialize_windows

TIMES = range(-14, 30)
"""An event at each of these times; windows are complete up to `REACHED`."""
REACHED = 60


def timeline(times: Sequence[int], reached: int) -> Timeline:
    """One event a time, each of a value of its own, its gap and every third one marked."""
    events = [Event(time, time % 5, punctuation=time % 3 == 0) for time in times]
    return build_timeline([AcceptedEvent(e, n) for n, e in enumerate(events)], TIME, reached, OURS)


def spans(
    kind: WindowType, times: Sequence[int], reached: int = REACHED
) -> dict[tuple[float, float], set[int]]:
    """The times of the events in each window."""
    windows = materialize_windows(kind, timeline(times, reached))
    return {
        window.interval[:2]: {accepted.event.time for accepted in window.content}
        for window in windows
    }


def check_row(kind: WindowType) -> None:
    """Hold all that the row of a window type says to windows over dense and over sparse times."""
    check_parameters(kind)
    check_shape(kind)
    check_ends(kind)
    edges = traits_of(kind).slice_edges
    if edges:
        check_slices(kind, edges)


def check_parameters(kind: WindowType) -> None:
    """The table names each integer parameter once, unless it compares values only."""
    traits = traits_of(kind)
    named = [*traits.lengths, *traits.counts, *traits.positions]
    values = {**traits.lengths, **traits.counts, **traits.positions}
    assert len(set(named)) == len(named)
    assert values == {name: getattr(kind, name) for name in named}
    if not traits.needs_numbers:
        own = {each.name for each in fields(kind)}  # type: ignore[arg-type]  # all are dataclasses
        assert set(named) == {name for name in own if isinstance(getattr(kind, name), int)}


def check_shape(kind: WindowType) -> None:
    """Windows stay where edges are known, and start and end where the row says so."""
    traits, dense = traits_of(kind), spans(kind, TIMES)
    if traits.edges_known:
        for times in (TIMES[::2], TIMES[:20], TIMES[20:]):
            assert spans(kind, times).keys() <= dense.keys()
    if traits.has_one_start:
        assert len({start for start, _ in dense}) <= 1
    if traits.edges_known:
        grows = spans(kind, TIMES, REACHED + 100).keys() != dense.keys()
        assert grows == (traits.is_unbounded and bool(dense))
    ranks = {start for start, _ in dense} <= set(range(len(TIMES) + 1))
    assert ranks or not traits.starts_at_rank


def check_ends(kind: WindowType) -> None:
    """No window ends before the next end, and each ends when its type says so."""
    traits, dense = traits_of(kind), spans(kind, TIMES)
    for time in TIMES:
        if traits.next_end:
            following = traits.next_end(time)
            assert following > time
            assert not any(time < end < following for _, end in dense)
        if traits.all_ended:
            ended = traits.all_ended(time)
            windows = spans(kind, range(TIMES[0], time + 1))
            assert all(end <= ended for _, end in windows)
        if traits.last_end:
            ends = [end for (_, end), times in spans(kind, [time]).items() if time in times]
            expected = END if traits.is_unbounded and ends else max(ends, default=None)
            assert traits.last_end(time) == expected


def check_slices(kind: WindowType, edges: SliceEdges) -> None:
    """Two events with no edge between them are in the same windows."""
    dense = spans(kind, TIMES)

    def is_edge(time: int) -> bool:
        at_period = any((time - phase) % period == 0 for period, phase in edges.periods)
        return at_period or time in edges.single or edges.gap == 1

    for before, after in pairwise(TIMES):
        if not is_edge(after):
            assert all((before in times) == (after in times) for times in dense.values())
    if edges.gap < END:
        for a, b in combinations(TIMES, 2):
            assert b - a >= edges.gap or len(spans(kind, [a, b])) == 1


def reads(kind: WindowType, changed: str) -> bool:
    """Whether windows change with a further gap, or a mark, of each event."""
    plain = [Event(time, 0) for time in TIMES[::4]]
    other = [
        replace(event, gap=9) if changed == GAP else replace(event, punctuation=event.time % 8 == 0)
        for event in plain
    ]
    lines = [
        build_timeline(
            [AcceptedEvent(e, n) for n, e in enumerate(events)], kind.measure, REACHED, OURS
        )
        for events in (plain, other)
    ]
    first, second = (set(kind.intervals(line)) for line in lines)
    return first != second


def check_inputs(kind: WindowType) -> None:
    """Windows depend on gaps and on marks only if the row says so."""
    for name in (GAP, MARK):
        assert name in traits_of(kind).inputs or not reads(kind, name)
