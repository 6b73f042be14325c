"""What the operator over columns keeps, in bytes: no more after ten million events than after one.

MUNTIN_PROFILE=nightly lets a thousand million pass.
"""

import os
from collections.abc import Iterator
from gc import get_referents

import numpy as np
import pytest

from muntin.kernels.jit import COMPILED
from muntin.kernels.slicing.arrays import Column
from muntin.kernels.slicing.operator import ColumnarOperator
from muntin.spec.catalogue import named
from muntin.spec.periodic import tumbling
from muntin.spec.query import Query, Settings

LATENESS, SPAN, MILLION = 2000, 500_000, 10**6 if COMPILED else 40_000
"""A million events of a stream, or fewer of them over the same span of time."""
BATCH = MILLION // 50
MILLIONS = 1000 if os.environ.get("MUNTIN_PROFILE") == "nightly" else 10
SLICE = 240
"""Bytes a slice: four copies of a count and of a sum, two nodes of a tree, five numbers about it;
an edge, and at most sixteen entries of the table."""
CELL = 72
"""Bytes a cell: a key, a slice, two counts, a sum, and eight slots of a hash table."""
REACH = (SPAN // 50 + LATENESS) // 1000 + 2
"""The slices of one second that a step may need at once."""
FIXED = 2**18
"""Bytes of tables that are never smaller, and of the last windows that were told of."""


def arrays(thing: object, seen: set[int]) -> Iterator[Column]:
    """Yield every array that an object of ours holds, once."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        yield from [thing] if thing.base is None else arrays(thing.base, seen)
    elif isinstance(thing, dict | list | tuple | set) or _ours(thing):
        for one in get_referents(thing):
            yield from arrays(one, seen)


def _ours(thing: object) -> bool:
    return type(thing).__module__.startswith("muntin")


def held(operator: ColumnarOperator) -> int:
    """Count the bytes of all arrays."""
    return sum(array.nbytes for array in arrays(operator, set()))


@pytest.mark.parametrize(
    ("windows", "keys", "each"), [(1, 0, SLICE), (20, 0, SLICE), (300, 0, SLICE), (1, 500, CELL)]
)
def test_state_is_at_most_twice_its_slices_and_does_not_grow(
    windows: int, keys: int, each: int
) -> None:
    operator = ColumnarOperator(Settings(LATENESS), method="dense")
    for length in np.linspace(1000, 20_000, windows).astype(int).tolist():
        operator.add(Query(f"w{length}", tumbling(length), named("sum")))
    rng = np.random.default_rng(1)
    at = np.arange(MILLION) * SPAN // MILLION
    late = np.where(rng.random(MILLION) < 0.2, rng.integers(0, LATENESS, MILLION), 0)
    times = at[np.argsort(at + late, kind="stable")]
    ids = rng.integers(0, keys, MILLION) if keys else None
    most, early, slices = 0, 0, 0
    for million in range(MILLIONS):
        for begin in range(0, MILLION, BATCH):
            part = slice(begin, begin + BATCH)
            now = times[part] + million * SPAN
            key = None if ids is None else ids[part]
            operator.take_columns(now, times[part], key, int(now.max()) - LATENESS)
            slices = max(slices, operator.retained())
        most = max(most, held(operator))
        early = most if million == MILLIONS // 4 else early
    assert most <= 2 * each * max(slices, keys * REACH, 1024) + FIXED
    assert most == early
