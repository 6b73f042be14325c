"""Rows brought together by key, and cut into tables that part no key."""

from collections.abc import Iterable, Iterator, Sequence
from math import nan

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import DataType, DoubleType, FloatType

from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import Table, keys, pieces, table

CHUNK = 2**19
"""Rows that are answered at once, if no key has more."""


def quoted(names: Iterable[str]) -> list[Column]:
    """Return columns by their names, which may hold dots."""
    return [f.col(in_backticks(name)) for name in names]


def in_backticks(name: str) -> str:
    """Return a name as Spark reads it whole."""
    return f"`{name.replace('`', '``')}`"


def columns_read(plan: AggregationPlan) -> list[Column]:
    """Return the columns that a plan reads. Keys that are equal are alike: -0.0 is 0.0 in them."""
    return [
        _alike(one, plan.types[name]).alias(name) if name in plan.keys else one
        for name, one in zip(plan.read, quoted(plan.read), strict=True)
    ]


def _alike(key: Column, kind: DataType) -> Column:
    if not isinstance(kind, DoubleType | FloatType):
        return key
    number = f.when(f.isnan(key), f.lit(nan)).otherwise(key + f.lit(0.0))
    return number.cast(kind)


def repartition_by_key(rows: DataFrame, plan: AggregationPlan, order: Sequence[str]) -> DataFrame:
    """Return rows with all of one key in one partition, one key after the other."""
    columns = quoted((*plan.keys, *order))
    together = rows.repartition(*columns[: len(plan.keys)]) if plan.keys else rows.repartition(1)
    return together.sortWithinPartitions(*columns) if columns else together


def split_at_key_boundaries(batches: Iterable[Table], names: Sequence[str]) -> Iterator[Table]:
    """Return batches, which are sorted by key, as tables that part no key."""
    held, rows = list[Table](), 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows >= CHUNK and names:
            whole = table(held)
            number = keys(whole, names).number
            cut = int(np.argmax(number == number[-1]))
            if cut:
                yield whole.slice(0, cut)
            rest = whole.slice(cut, rows - cut)
            held, rows = pieces(rest), rows - cut
    if rows:
        yield table(held)
