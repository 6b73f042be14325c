"""What is told of windows, as columns of the answer."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeGuard

import numpy as np
from pyspark.sql import Column as Expression
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DoubleType,
    FloatType,
    IntegerType,
    StructField,
    StructType,
)

from muntin.kernels.slicing.arrays import FIRST, LAST, Ints
from muntin.spark.call.query_plan import END, START, AggregationPlan, in_time
from muntin.spark.execution.arrow import KeyNumbers, Table, batches, column, pa
from muntin.spark.execution.internal_columns import internal_name
from muntin.spark.execution.repartition import quoted
from muntin.spec.errors import InvalidInputError
from muntin.spec.stream import END as END_OF_STREAM
from muntin.spec.windows.window import WindowType


@dataclass(frozen=True)
class ResultRows:
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


WINDOW_INDEX_COLUMN = internal_name("window")
"""Which of the windows of a plan, where the answer is compact."""
CONSTANT = ("window", "window_type", "kind", "revision")


def compact_schema(plan: AggregationPlan) -> StructType:
    """Return the columns of an answer in batch, without what follows from the window."""
    fields = [one for one in plan.schema().fields if one.name not in CONSTANT]
    return StructType([StructField(WINDOW_INDEX_COLUMN, IntegerType()), *fields])


def expand_compact(answer: DataFrame, plan: AggregationPlan) -> DataFrame:
    """Return a compact answer with all its columns: in batch each window is new, once."""
    kinds = plan.kinds()
    names = _nth([f.lit(name) for name in kinds])
    types = _nth([f.lit(kind.name) for kind in kinds.values()])
    known = dict[str, Expression]()
    known |= zip(CONSTANT, (names, types, f.lit("new"), f.lit(0)), strict=True)
    return answer.withColumns(known).select(*quoted(plan.schema().names))


def _nth(each: Sequence[Expression]) -> Expression:
    return f.array(*each)[f.col(f"`{WINDOW_INDEX_COLUMN}`")] if len(each) > 1 else each[0]


def result_batches(
    plan: AggregationPlan,
    lines: Sequence[ResultRows],
    of: Table,
    found: KeyNumbers,
    *,
    compactly: bool = False,
) -> Iterator[Table]:
    """Return lines as batches; the columns of keys are taken from the rows of a table."""
    kinds, names = plan.kinds(), list(plan.kinds())
    schema = compact_schema(plan) if compactly else plan.schema()
    each = {name: column(of, name) for name in plan.keys}
    for one in lines:
        n, kind = one.key.size, kinds[one.window]
        if n:
            columns = _extent(one, kind) | {w.label: one.values[w.label] for w in plan.wanted}
            columns |= {name: keys.take(found.row[one.key]) for name, keys in each.items()}
            if compactly:
                columns[WINDOW_INDEX_COLUMN] = np.full(n, names.index(one.window), np.int32)
            else:
                columns |= {"window": pa.repeat(one.window, n), "late": pa.nulls(n)}
                columns |= {"window_type": pa.repeat(kind.name, n)}
                columns |= {"kind": one.kind, "revision": one.revision}
            yield from batches(columns, schema)


def _extent(one: ResultRows, kind: WindowType) -> dict[str, object]:
    first, last = in_time(kind)
    start, end = pa.array(one.start), pa.array(one.end, mask=one.end == LAST)
    none = pa.nulls(one.key.size, pa.int64())
    return {
        "start": start if first else none,
        "end": end if last else none,
        START: none if first else start,
        END: none if last else end,
    }


def coordinates(numbers: Sequence[float]) -> Ints:
    """Return starts or ends as integers of 64 bits; what has no end is LAST."""
    return np.array([_coordinate(one) for one in numbers], np.int64)


def _coordinate(one: float) -> int:
    if one == END_OF_STREAM:
        return LAST
    if FIRST < one < LAST:
        return int(one)
    raise InvalidInputError(
        f"a window begins or ends at {one}, which is more than the columns of the answer can say: "
        f"it must lie within {LAST - 1} of 0"
    )


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
