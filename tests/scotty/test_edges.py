"""The interval of a time has the nearest edges, whatever was looked up before."""

from itertools import product

import pytest

from muntin.optimized.scotty.slices.edges import EdgeInterval, Edges, Progression

TIMES = range(-4, 5)
SECOND_PROGRESSIONS = [(residue, period) for period in (1, 2, 3, 5) for residue in range(period)]


@pytest.mark.parametrize(("residue", "period"), SECOND_PROGRESSIONS)
def test_an_interval_lies_between_the_nearest_edges_whatever_was_queried_before(
    residue: int, period: int
) -> None:
    progressions = [Progression(0, 3), Progression(residue, period)]
    all_edges = [edge for edge in range(-20, 20) if edge % 3 == 0 or (edge - residue) % period == 0]
    nearest = {
        time: (
            max(edge for edge in all_edges if edge <= time),
            min(edge for edge in all_edges if edge > time),
        )
        for time in TIMES
    }
    for times in product(TIMES, repeat=3):
        edges = Edges(progressions)
        assert [edges.interval_at(time) for time in times] == [
            EdgeInterval(*nearest[time]) for time in times
        ]
