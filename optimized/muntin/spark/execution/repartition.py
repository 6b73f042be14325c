"""Columns by their names, internal ones too; the shuffle by key, and tables that split no key."""

from collections.abc import Iterable, Iterator, Sequence
from math import nan

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import DataType, DoubleType, FloatType

from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import ArrowBatch, keys, table

PREFIX = "muntin "


def internal_name(suffix: object) -> str:
    """The name of an internal column.

    >>> internal_name("slot"), internal_name(0)
    ('muntin slot', 'muntin 0')
    """
    return f"{PREFIX}{suffix}"


def is_internal_name(name: str) -> bool:
    """Whether Spark, which folds cases, may read a name as that of an internal column."""
    return name.lower().startswith(PREFIX)


CHUNK = 2**19
"""The rows that are computed in one call, if no key has more."""


def quoted(names: Iterable[str]) -> list[Column]:
    """Columns by their names, which may hold dots."""
    return [f.col(in_backticks(name)) for name in names]


def in_backticks(name: str) -> str:
    """A name as Spark reads it: not as a path into a struct."""
    return f"`{name.replace('`', '``')}`"


def columns_read(plan: AggregationPlan) -> list[Column]:
    """The columns that a plan reads. Equal keys have the same bits: -0.0 becomes 0.0."""
    return [
        _normalized(column, plan.types[name]).alias(name) if name in plan.keys else column
        for name, column in zip(plan.read, quoted(plan.read), strict=True)
    ]


def _normalized(key: Column, kind: DataType) -> Column:
    if not isinstance(kind, DoubleType | FloatType):
        return key
    number = f.when(f.isnan(key), f.lit(nan)).otherwise(key + f.lit(0.0))
    return number.cast(kind)


def repartition_by_key(rows: DataFrame, plan: AggregationPlan, order: Sequence[str]) -> DataFrame:
    """Rows with all of one key in one partition, one key after the other."""
    columns = quoted((*plan.keys, *order))
    shuffled = rows.repartition(*columns[: len(plan.keys)]) if plan.keys else rows.repartition(1)
    return shuffled.sortWithinPartitions(*columns) if columns else shuffled


def split_at_key_boundaries(
    batches: Iterable[ArrowBatch], names: Sequence[str]
) -> Iterator[ArrowBatch]:
    """Batches, which are sorted by key, as tables that split no key."""
    pending, rows = list[ArrowBatch](), 0
    for batch in batches:
        pending.append(batch)
        rows += batch.num_rows
        if rows >= CHUNK and names:
            joined = table(pending)
            number = keys(joined, names).number
            cut = int(np.argmax(number == number[-1]))
            if cut:
                yield joined.slice(0, cut)
            rest = joined.slice(cut, rows - cut)
            pending, rows = rest.to_batches(), rows - cut
    if rows:
        yield table(pending)
