"""Partials of several numbers in slices without holes: held against slices, and against time."""

from math import isclose
from random import Random

import numpy as np
import pytest

from muntin.kernels.slicing.arrays import Column, Ints, column_of
from muntin.kernels.slicing.operator import ColumnarOperator
from muntin.kernels.slicing.over import over
from muntin.snapshot import carry
from muntin.spec.catalogue import named
from muntin.spec.periodic import Sliding, tumbling
from muntin.spec.query import Query, Result, Settings

NAMES = ["m4", "first", "last", "var_pop", "std_sample"]
CHOICES = ["argmin", "argmax"]


def asked(random: Random, settings: Settings) -> list[ColumnarOperator]:
    """Operators with the same queries: dense, in slices, and dense again."""
    operators = [ColumnarOperator(settings, method=m) for m in ("dense", "slices", "dense")]
    size = random.choice([4, 10, 64, 777])
    kind = Sliding(size, random.choice([size, max(1, size // 3), 2 * size]), random.choice([0, 1]))
    for operator in operators:
        for name in NAMES:
            operator.add(Query(name, kind, over("x", named(name))))
        for name in CHOICES:
            operator.add(Query(name, tumbling(50), over(("y", "x"), named(name))))
    return operators


def batch(random: Random, at: int, *, whole: bool) -> tuple[Ints, dict[str, Column]]:
    """Times, some of which are equal, and some late; values, some of which are equal or NaN."""
    rng, n = np.random.default_rng(random.randrange(2**32)), random.choice([0, 1, 65, 1500])
    rate = random.choice([0.1, 1, 10])
    late = np.where(rng.random(n) < random.choice([0, 0.3]), rng.integers(0, 300, n), 0)
    times = at + (np.arange(n) / rate).astype(np.int64) - late
    x, y = rng.integers(-5, 6, n), rng.integers(-3, 4, n) / 2
    values = column_of(x) if whole else column_of(x / 4)
    return times, {"x": values, "y": column_of(np.where(rng.random(n) < 0.1, np.nan, y))}


def alike(a: Result, b: Result) -> bool:
    """Whether lines are the same, but for how the sums of a spread of floats are rounded."""
    same = a[:4] == b[:4] and a[5:] == b[5:]
    if isinstance(a.value, float) and isinstance(b.value, float) and a.query in NAMES[3:]:
        return same and isclose(a.value, b.value, rel_tol=1e-9, abs_tol=1e-12)
    return same and a.value == b.value


@pytest.mark.parametrize("keys", [0, 3, 200])
def test_partials_of_several_numbers_are_as_in_slices(keys: int) -> None:
    told, ways = 0, ""
    for seed in range(12):
        random = Random(seed)  # noqa: S311 nothing secret
        settings = Settings(random.choice([0, 500]), output=random.choice(["final", "accumulate"]))
        (tested, plainer, other), at = asked(random, settings), 0
        for step in range(4):
            times, values = batch(random, at, whole=bool(seed % 3))
            of = np.array([random.randrange(keys) for _ in times]) if keys else None
            at = max(at, int(times.max(initial=at))) + random.choice([0, 1, 500])
            if seed % 2 and step == 2:
                carry(tested, other)
                tested = other
            mine, its = (
                one.take_columns(times, values, of, at - 10).results() for one in (tested, plainer)
            )
            assert len(mine) == len(its)
            assert all(alike(a, b) for a, b in zip(mine, its, strict=True)), seed
            told += len(mine)
        ways += tested.explain()
    assert told > 1000
    assert ("by now keyed" in ways) == (keys > 0)
