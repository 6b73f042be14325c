"""Lemmas on sessions as slices hold them: their union, and sessions read off slices [Traub20].

Each event is a slice first, none with a gap of its own that matters; sessions merge below the gap,
as in our dialect.
"""

from contracts.sessions import defined
from muntin.optimized.scotty.emission.session_index import SessionIndex
from muntin.optimized.scotty.slices.slice import Slice, merged_slice
from muntin.spec.stream import END
from muntin.spec.windows.window import Interval


def slice_of(time: int) -> Slice:
    """Return the slice of one event, whose own gap reaches no further than its time."""
    return Slice(time, time, time, time, 1, None)


def union(*parts: Slice) -> Slice:
    """Return the slice of all their events."""
    return merged_slice(list(parts), None, None)


def read_off(slices: list[Slice], gap: int) -> list[Interval]:
    """Return the sessions of some slices."""
    found = SessionIndex(gap, -END, inclusive=False).spans(slices, 0)
    return [span.as_interval(without_gap=False) for span in found]


def slices_of(times: list[int], gap: int) -> list[Slice]:
    """Return the slices of some events in order, for this smallest gap."""
    ones = list(map(slice_of, times))
    found = SessionIndex(gap, -END, inclusive=False).spans(ones, 0)
    return [union(*ones[span.low : span.high]) for span in found]


def union_is_associative_and_commutative(a: int, b: int, c: int) -> None:
    """M1: in whatever order slices are fused."""

    one, two, three = slice_of(a), slice_of(b), slice_of(c)
    assert union(one, two) == union(two, one)
    assert union(one, union(two, three)) == union(union(one, two), three)


def a_slice_reaches_a_gap_beyond_its_last_event(a: int, b: int, gap: int) -> None:
    """M1: whichever of its events is the last."""
    assert gap > 0

    assert union(slice_of(a), slice_of(b)).session_end(gap) == max(a, b) + gap


def sessions_are_read_off_slices(a: int, b: int, c: int, gap: int) -> None:
    """M3: they are those of the definition."""
    assert a <= b <= c
    assert gap > 0

    assert read_off([slice_of(a), slice_of(b), slice_of(c)], gap) == defined([a, b, c], gap)


def the_smallest_gap_suffices(a: int, b: int, c: int, gap: int, larger: int) -> None:
    """M3: sessions of a larger gap are those of the slices that the smallest gap makes."""
    assert a <= b <= c
    assert 0 < gap <= larger

    assert read_off(slices_of([a, b, c], gap), larger) == defined([a, b, c], larger)
