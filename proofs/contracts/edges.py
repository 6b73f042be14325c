"""Lemmas on the edges of periodic windows: the real functions, for times of either sign.

proofs/smt/edges.py proves a model, for all sizes; these lemmas confirm the code.
"""

from math import gcd

from muntin.optimized.scotty.slices.edges import Edges, Progression
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.windows.periodic import Sliding, pane_start

TRUNCATING = Dialect(alignment="truncate")


def is_edge(time: int, progression: Progression) -> bool:
    """Whether a time is one of the edges."""
    inside = progression.low <= time <= progression.high
    return inside and (time - progression.residue) % progression.period == 0


def pane_is_the_last_start(time: int, offset: int, slide: int) -> None:
    """E1: at or before the time, less than a slide away, and a start."""
    assert slide > 0

    start = pane_start(time, offset, slide, OURS)
    assert start <= time < start + slide
    assert (start - offset) % slide == 0


def truncation_differs_before_the_offset_only(time: int, offset: int, slide: int) -> None:
    """E1: as C and Java divide, a pane is nearer to the offset, and never beyond it."""
    assert slide > 0

    ours, theirs = (
        pane_start(time, offset, slide, OURS),
        pane_start(time, offset, slide, TRUNCATING),
    )
    later = time < offset and ours != time
    assert theirs == (ours + slide if later else ours)
    assert not later or time < theirs <= offset


def windows_of_a_time_hold_it(time: int, start: int, size: int, slide: int) -> None:
    """E4: the starts of a time are exactly those whose windows hold it."""
    assert 1 <= size <= 3
    assert 1 <= slide <= 3
    assert -4 <= time <= 4
    assert -7 <= start <= 4

    holds = start % slide == 0 and start <= time < start + size
    assert (start in Sliding(size, slide).starts(time, OURS)) == holds


def a_time_lies_in_size_over_slide_windows(time: int, size: int, slide: int) -> None:
    """E4: as many as the quotient, rounded up or down."""
    assert 1 <= size <= 4
    assert 1 <= slide <= 4
    assert -6 <= time <= 6

    count = len(Sliding(size, slide).starts(time, OURS))
    assert size // slide <= count <= (size + slide - 1) // slide


def one_pane_one_set_of_windows(at: int, rest: int, size: int, slide: int) -> None:
    """E5: two times in one pane lie in the same windows [Li05]."""
    assert slide in (2, 4)
    assert size in (2, 4, 6)
    assert -2 <= at <= 2
    assert 0 <= rest < gcd(size, slide)

    start, kind = at * gcd(size, slide), Sliding(size, slide)
    assert kind.starts(start + rest, OURS) == kind.starts(start, OURS)


def the_next_edge_is_the_first(time: int, other: int, residue: int, period: int) -> None:
    """E2: an edge after the time, and none lies between."""
    assert period in (1, 2, 3, 7)
    assert time < other <= time + period

    progression = Progression(residue, period, time - period, time + 2 * period)
    edge = int(progression.after(time))
    assert time < edge <= time + period
    assert is_edge(edge, progression)
    assert not is_edge(other, progression) or edge == other


def the_edge_before_is_the_last(time: int, other: int, residue: int, period: int) -> None:
    """E2: an edge at or before the time, and none lies between."""
    assert period in (1, 2, 3, 7)
    assert time - period < other <= time

    progression = Progression(residue, period, time - 2 * period, time + period)
    edge = int(progression.at_or_before(time))
    assert time - period < edge <= time
    assert is_edge(edge, progression)
    assert not is_edge(other, progression) or edge == other


def what_is_covered_has_no_edge_of_its_own(
    time: int, residue: int, period: int, low: int, high: int
) -> None:
    """E1 of Scotty: fusion drops a progression only if each of its edges is one of the other."""
    assert period in (1, 2, 3, 4, 6)
    assert Progression(0, 2, -9, 9).covers(Progression(residue, period, low, high))
    assert is_edge(time, Progression(residue, period, low, high))

    assert is_edge(time, Progression(0, 2, -9, 9))


def no_edge_lies_within_a_cell(time: int, edge: int, residue: int, period: int) -> None:
    """E2 of Scotty: a cell holds its time, and no edge, whatever was fused."""
    assert period in (1, 2, 3, 4)
    assert -9 < time < 9
    assert is_edge(edge, Progression(0, 2, -20, 20)) or is_edge(
        edge, Progression(residue, period, -20, 20)
    )

    progressions = [Progression(0, 2, -20, 20), Progression(residue, period, -20, 20)]
    cell = Edges(progressions).interval_at(time)
    assert cell.low <= time < cell.high
    assert not cell.low < edge < cell.high
