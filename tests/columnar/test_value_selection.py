"""Ranks among sorted runs, and sorting by merging, as NumPy has them."""

from random import Random

import numpy as np
import pytest

from muntin.columnar.engine.partials.values import selection
from muntin.columnar.engine.partials.values.selection import (
    narrow_runs,
    next_item,
    select_item,
    sort_items,
)

SIZES = (1, 2, 15, 16, 17, 40, 300)


def some_items(rng: Random, n: int) -> list[int]:
    spread = rng.choice([1, 3, 50, 2**62, 2**63 - 1])
    if spread == 2**63 - 1:
        return [rng.choice([spread, 5, -spread - 1]) for _ in range(n)]
    return [rng.randrange(-spread, spread + 1) for _ in range(n)]


@pytest.mark.parametrize("seed", range(40))
def test_a_rank_among_runs_is_that_of_all_their_items(seed: int) -> None:
    rng = Random(seed)  # noqa: S311 - nothing secret
    trend = rng.choice([0, 0, 1000])
    runs = [
        sorted(min(item + k * trend, 2**63 - 1) for item in some_items(rng, rng.choice(SIZES)))
        for k in range(rng.randrange(1, 9))
    ]
    items = np.array([-1, *(item for run in runs for item in run)], np.int64)
    ends = 1 + np.cumsum([len(run) for run in runs])
    ordered = sorted(items[1:].tolist())
    for target in {0, len(ordered) // 2, len(ordered) - 1, rng.randrange(len(ordered))}:
        bounds = np.array([[end - len(run), end] for end, run in zip(ends, runs, strict=True)])
        results, scratch = np.zeros(2, np.int64), np.zeros(items.size, np.int64)
        narrow_runs(items, bounds.reshape(-1), len(runs), target, results, scratch)
        following = ordered[min(target + 1, len(ordered) - 1)]
        assert results.tolist() == [ordered[target], following]


@pytest.mark.parametrize("seed", range(20))
def test_items_are_sorted_and_selected(seed: int) -> None:
    rng = Random(seed)  # noqa: S311 - nothing secret
    items = np.array(some_items(rng, rng.choice(SIZES)), np.int64)
    ordered, target = np.sort(items), rng.randrange(items.size)
    selected = items.copy()
    assert select_item(selected, items.size, target) == ordered[target]
    following = ordered[min(target + 1, items.size - 1)]
    assert next_item(selected, items.size, target, int(ordered[-1])) == following
    part = items.copy()
    sort_items(part, 0, items.size, np.zeros(items.size, np.int64))
    assert part.tolist() == ordered.tolist()


def test_no_order_of_items_is_the_worst(monkeypatch: pytest.MonkeyPatch) -> None:
    """The organ pipes that are the worst case of a median of three take a few turns."""
    n = 4000
    pipes = [*range(n // 2), *range(n // 2, 0, -1)]
    turns = list[int]()

    def counted(a: int, b: int) -> int:
        turns.append(1)
        return min(a, b)

    monkeypatch.setattr(selection, "min", counted, raising=False)
    select_item(np.array(pipes, np.int64), n, n // 2)
    assert len(turns) < 2 * 60  # two for each turn
