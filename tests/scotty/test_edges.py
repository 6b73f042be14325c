"""The cell of a time, whatever was asked before: its edges are the nearest that there are."""

from itertools import product

import pytest

from muntin.optimized.scotty.slices.edges import EdgeInterval, Edges, Progression

TIMES = range(-4, 5)
SECONDS = [(residue, period) for period in (1, 2, 3, 5) for residue in range(period)]


@pytest.mark.parametrize(("residue", "period"), SECONDS)
def test_an_interval_lies_between_the_nearest_edges_whatever_was_queried_before(
    residue: int, period: int
) -> None:
    progressions = [Progression(0, 3), Progression(residue, period)]
    every = [t for t in range(-20, 20) if t % 3 == 0 or (t - residue) % period == 0]
    nearest = {
        time: (max(t for t in every if t <= time), min(t for t in every if t > time))
        for time in TIMES
    }
    for asked in product(TIMES, repeat=3):
        edges = Edges(progressions)
        assert [edges.interval_at(time) for time in asked] == [
            EdgeInterval(*nearest[time]) for time in asked
        ]
