"""How each part joins two partials, as in `Part.combine`, and the kernels that do it."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from muntin.kernels.aggregator.numeric_catalogue import add, add_triples, maximum, minimum
from muntin.kernels.compiler.engine import NodeShape
from muntin.kernels.compiler.numeric_aggregate import Kind, NumericAggregate, Partial
from muntin.kernels.compiler.specialization import compiled_module
from muntin.kernels.slicing.arrays import FIRST, LAST, Column, Ints
from muntin.kernels.slicing.choice import EMPTY, Choice
from muntin.kernels.slicing.dense.placing import Places
from muntin.kernels.slicing.parts import Count, First, Last, Max, Min, Part, Sum

Combine = Callable[[Partial, Partial], Partial]


def earlier(a: Partial, b: Partial) -> Partial:
    """Choose the smaller time, or the first of equals."""
    return b if b[0] < a[0] else a


def later(a: Partial, b: Partial) -> Partial:
    """Choose the greater time, or the last of equals."""
    return b if b[0] >= a[0] else a


def join_moments(a: Partial, b: Partial) -> Partial:
    """Add how many, move the means, and add squares of deviations [Chan83]."""
    share = b[0] / max(a[0] + b[0], 1)
    apart = b[1] - a[1]
    both = (a[0] + b[0], a[1] + apart * share, a[2] + b[2] + apart * apart * share * a[0])
    one = (a[0] + b[0], b[1] if a[0] == 0 else a[1], a[2] + b[2] + 0.0)
    return one if a[0] == 0 or b[0] == 0 else both


def above(a: float, b: float) -> bool:
    """Tell whether one is greater; NaN is the greatest."""
    return a > b or (a != a and b == b)  # noqa: PLR0124 - only NaN differs


def when(time: float) -> float:
    """Return the time of what is brought, a null too."""
    return time - EMPTY if time > LAST else time + EMPTY if time < FIRST else time


def with_greatest(a: Partial, b: Partial) -> Partial:
    """Choose the greatest value; of equals the earlier, or the first."""
    ahead = above(b[0], a[0]) or (not above(a[0], b[0]) and when(b[2]) < when(a[2]))
    return a if b[2] == LAST else b if a[2] == LAST or ahead else a


def with_least(a: Partial, b: Partial) -> Partial:
    """Choose the least value; of equals the earlier, or the first."""
    ahead = above(a[0], b[0]) or (not above(b[0], a[0]) and when(b[2]) < when(a[2]))
    return a if b[2] == LAST else b if a[2] == LAST or ahead else a


SINGLE: Mapping[type[Part], Callable[..., Partial]] = {
    Count: add,
    Sum: add,
    Min: minimum,
    Max: maximum,
    First: earlier,
    Last: later,
}


class Kernels(NamedTuple):
    """What `joins` and `pairs` are compiled to."""

    take_each: Callable[..., None]
    plant: Callable[..., None]
    fold: Callable[..., None]
    fold_each: Callable[..., None]


def combine_of(part: Part, dtype: np.dtype[np.generic]) -> Combine:
    """Return what joins two partials."""
    if type(part) in SINGLE:
        return SINGLE[type(part)]
    if isinstance(part, Choice):
        return with_greatest if part.greatest else with_least
    return join_moments if kinds_of(dtype)[1] == "float" else add_triples


def kinds_of(dtype: np.dtype[np.generic]) -> tuple[Kind, ...]:
    """Return the kinds of the numbers of a record, or of one number."""
    fields = [field[0] for field in dtype.fields.values()] if dtype.fields else [dtype]
    return tuple("float" if field == np.float64 else "int" for field in fields)


@cache
def kernels_of(combine: Combine, dtype: np.dtype[np.generic]) -> Kernels:
    """Return kernels for partials of some type: compiled when first called, and cached on disk."""
    kinds = kinds_of(dtype)
    zero: Partial = tuple(0.0 if kind == "float" else 0 for kind in kinds)
    summary = NumericAggregate(combine.__name__, (), kinds, zero, itself, combine, itself, kinds)
    found = vars(
        compiled_module(summary, ("aggregator/column_kernels", "slicing/dense/joins"), *NodeShape())
    )
    return Kernels(*(found[name] for name in Kernels._fields))


def itself(a: Partial) -> Partial:
    """Leave a partial as it is."""
    return a


def join_each(part: Part, found: Places, values: Column, partials: Column) -> None:
    """Join the partials of events to those of cells."""
    kernels_of(combine_of(part, values.dtype), values.dtype).take_each(found, values, partials)


def fold_each(part: Part, values: Column, lo: Ints, hi: Ints, none: Column) -> Column:
    """Return the folds of ranges, one by one; none holds that of an empty one."""
    out = np.repeat(none, lo.size)
    combine = combine_of(part, values.dtype)
    kernels_of(combine, values.dtype).fold_each(values, lo, hi, out)
    return out
