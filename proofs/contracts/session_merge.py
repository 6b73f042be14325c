"""Lemmas on slices of sessions: their union, and the sessions read off slices [Traub20].

Each event starts as a slice, without a gap of its own; sessions merge below the gap, as in our
dialect.
"""

from contracts.sessions import defined_sessions
from muntin.optimized.scotty.emission.session_index import SessionIndex
from muntin.optimized.scotty.slices.slice import Slice, merged_slice
from muntin.spec.stream import END
from muntin.spec.windows.window import Interval


def slice_of(time: int) -> Slice:
    """The slice of one event, whose own gap reaches no further than its time."""
    return Slice(time, time, time, time, 1, None)


def union(*parts: Slice) -> Slice:
    """The slice of all events of some slices."""
    return merged_slice(list(parts), None, None)


def sessions_of(slices: list[Slice], gap: int) -> list[Interval]:
    """The sessions of some slices."""
    spans = SessionIndex(gap, -END, inclusive=False).spans(slices, 0)
    return [span.as_interval(without_gap=False) for span in spans]


def slices_of(times: list[int], gap: int) -> list[Slice]:
    """The slices of some events in order, for this smallest gap."""
    slices = list(map(slice_of, times))
    spans = SessionIndex(gap, -END, inclusive=False).spans(slices, 0)
    return [union(*slices[span.low : span.high]) for span in spans]


def union_is_associative_and_commutative(a: int, b: int, c: int) -> None:
    """M1: in whatever order slices are fused."""

    first, second, third = slice_of(a), slice_of(b), slice_of(c)
    assert union(first, second) == union(second, first)
    assert union(first, union(second, third)) == union(union(first, second), third)


def a_slice_reaches_a_gap_beyond_its_last_event(a: int, b: int, gap: int) -> None:
    """M1: whichever event is the last."""
    assert gap > 0

    assert union(slice_of(a), slice_of(b)).session_end(gap) == max(a, b) + gap


def sessions_are_read_off_slices(a: int, b: int, c: int, gap: int) -> None:
    """M3: they are the sessions of the definition."""
    assert a <= b <= c
    assert gap > 0

    assert sessions_of([slice_of(a), slice_of(b), slice_of(c)], gap) == defined_sessions(
        [a, b, c], gap
    )


def the_smallest_gap_suffices(a: int, b: int, c: int, gap: int, larger: int) -> None:
    """M3: sessions of a larger gap are those of the slices that the smallest gap makes."""
    assert a <= b <= c
    assert 0 < gap <= larger

    assert sessions_of(slices_of([a, b, c], gap), larger) == defined_sessions([a, b, c], larger)
