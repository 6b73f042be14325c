"""Slices without holes, in long batches: runs, pieces, tables that grow. Held against slices."""

from random import Random

import numpy as np
import pytest

from muntin.kernels.slicing.arrays import Column, Ints, column_of
from muntin.kernels.slicing.batch import Values
from muntin.kernels.slicing.dense import runs
from muntin.kernels.slicing.dense.timeline import Timeline
from muntin.kernels.slicing.operator import ColumnarOperator
from muntin.spec.catalogue import named
from muntin.spec.data_driven import Session
from muntin.spec.periodic import Sliding
from muntin.spec.query import Query, Result, Settings
from muntin.spec.window import WindowType

AGGREGATES = ["sum", "min", "max", "mean", "count", "range"]
SIZES = [4, 10, 64, 100, 777, 3000]


def kind(random: Random) -> WindowType:
    if random.random() < 0.2:
        return Session(random.choice([3, 20, 100]))
    size = random.choice(SIZES)
    slide = random.choice([size, max(1, size // 2), max(1, size // 3), 2 * size])
    return Sliding(size, slide, random.choice([0, 1, -3]))


def times(random: Random, at: int, n: int) -> Ints:
    """Times that rise from one on, but for a share of them that is late."""
    rng, rate = np.random.default_rng(random.randrange(2**32)), random.choice([0.1, 1, 10])
    share, most = random.choice([0, 0, 0.01, 0.2, 0.9]), random.choice([1, 10, 300, 3000])
    late = np.where(rng.random(n) < share, rng.integers(0, most, n), 0)
    return np.asarray(at + (np.arange(n) / rate).astype(np.int64) - late)


def numbers(random: Random, n: int, *, whole: bool) -> Values:
    rng = np.random.default_rng(random.randrange(2**32))
    found: Column = column_of(rng.integers(-50, 50, n))
    if not whole:
        found = column_of(np.where(rng.random(n) < 0.1, np.nan, found / 4))
    return Values(found, rng.random(n) < 0.7 if random.random() < 0.1 else None)


def plain(results: tuple[Result, ...]) -> list[tuple[object, ...]]:
    """Numbers as texts: NaN equals itself."""
    return [(r.query, r.start, r.end, str(r.value), r.kind, r.revision) for r in results]


def play(seed: int) -> int:
    """Let a random stream through both, and return how many windows were told of."""
    random = Random(seed)  # noqa: S311 nothing secret
    settings = Settings(random.choice([0, 5, 500]), output=random.choice(["final", "accumulate"]))
    tested, plainer = (ColumnarOperator(settings, method=m) for m in ("dense", "slices"))
    for name in "abc"[: random.randint(1, 3)]:
        query = Query(name, kind(random), named(random.choice(AGGREGATES)))
        tested.add(query)
        plainer.add(query)
    told, at, whole = 0, random.choice([0, -(10**6), 10**12]), random.random() < 0.6
    for _ in range(random.randint(2, 5)):
        n = random.choice([0, 1, 63, 64, 65, 200, random.randint(0, 1500)])
        batch, values = times(random, at, n), numbers(random, n, whole=whole)
        at = max(at, int(batch.max(initial=at))) + random.choice([0, 1, 500, 10**7])
        watermark = at - random.choice([0, 10, 300])
        mine, its = (one.take_columns(batch, values, None, watermark) for one in (tested, plainer))
        assert plain(mine.results()) == plain(its.results()), seed
        assert mine.late.tolist() == its.late.tolist()
        told += len(mine)
    return told


@pytest.mark.parametrize(("piece", "few"), [(64, 1), (2**15, 64)])
def test_long_batches_in_order_or_not_are_as_in_slices(
    piece: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "PIECE", piece)
    monkeypatch.setattr(runs, "FEW", few)
    assert sum(play(seed) for seed in range(60)) > 1000


def test_a_table_that_grows_within_a_stretch_knows_the_slices_before() -> None:
    """Edges of a narrow slice in one stretch: the last known slice begins after the stretch."""
    line = Timeline([(388, 385), (388, 386)], 777, -1000)
    for upto in range(-600, 3000, 7):
        line.covers(upto)
        for time in range(max(line.first, upto - 400), upto + 1):
            at = int(line.table[(time - line.origin) >> line.shift])
            assert line.edges[at] <= time, time
