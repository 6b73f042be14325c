"""What is told of windows, as columns of the answer."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeGuard

import numpy as np
from pyspark.sql.types import ArrayType, DataType, DoubleType, FloatType, StructType

from muntin.kernels.slicing.arrays import FIRST, LAST, Ints
from muntin.spark.arrow import Column, Keys, Table, batches, column, pa
from muntin.spark.plan import END, START, Plan, in_time
from muntin.spec.window import WindowType


@dataclass(frozen=True)
class Told:
    """Lines about the windows of one id: which key, the interval, values, kind, revision.

    Values, kinds and revisions are columns, of Arrow or plain. An end of LAST is that of the
    stream. The key is a number of Keys.
    """

    window: str
    key: Ints
    start: Ints
    end: Ints
    values: Mapping[str, object]
    kind: object
    revision: object


def told(plan: Plan, lines: Sequence[Told], of: Table, found: Keys) -> Iterator[Table]:
    """Return lines as batches; the columns of keys are taken from the rows of a table."""
    kinds, schema = plan.kinds(), plan.schema()
    each = {name: column(of, name) for name in plan.keys}
    for one in lines:
        if one.key.size:
            taken = {name: keys.take(found.row[one.key]) for name, keys in each.items()}
            yield from batches(_columns(plan, one, kinds[one.window], taken), schema)


def _columns(
    plan: Plan, one: Told, kind: WindowType, keys: Mapping[str, Column]
) -> dict[str, object]:
    n, (first, last) = one.key.size, in_time(kind)
    start, end = pa.array(one.start), pa.array(one.end, mask=one.end == LAST)
    none = pa.nulls(n, pa.int64())
    columns: dict[str, object] = {
        "window": pa.repeat(one.window, n),
        "window_type": pa.repeat(kind.name, n),
        "start": start if first else none,
        "end": end if last else none,
        START: none if first else start,
        END: none if last else end,
        "kind": one.kind,
        "revision": one.revision,
    }
    late = {"late": pa.nulls(n)}
    return columns | late | dict(keys) | {w.label: one.values[w.label] for w in plan.wanted}


def coordinates(numbers: Sequence[float]) -> Ints:
    """Return starts or ends as integers of 64 bits; what has no end is LAST."""
    return np.array([LAST if one == float("inf") else max(FIRST, int(one)) for one in numbers])


def is_row(value: object) -> TypeGuard[Sequence[object]]:
    """Whether a value is several."""
    return isinstance(value, tuple | list)


def as_type(value: object, kind: DataType) -> object:
    """Return a value that was computed exactly as one of a column's type.

    >>> as_type(Fraction(1, 4), DoubleType())
    0.25
    """
    if value is None:
        return None
    if isinstance(kind, DoubleType | FloatType) and isinstance(value, int | Fraction):
        return float(value)
    if isinstance(kind, ArrayType) and is_row(value):
        return list(value)
    if isinstance(kind, StructType) and is_row(value):
        return dict(zip(kind.names, value, strict=True))
    return value
