"""Rows as they are, all of a key in one place: for what no slices can be made of before."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from muntin.spark.answering import answered
from muntin.spark.answers import told
from muntin.spark.arrow import Table, Work, keys, mapped, pieces, table
from muntin.spark.plan import Plan

CHUNK = 2**19
"""Rows that are answered at once, if no key has more."""
ARRIVAL = "muntin arrival"


def by_records(df: DataFrame, plan: Plan) -> DataFrame:
    """Return the answer: rows are brought together by key, in their order of arrival."""
    rows = df.select(*quoted(plan.read)).withColumn(ARRIVAL, f.monotonically_increasing_id())
    return mapped(gathered(rows, plan, [ARRIVAL]), answering(plan), plan.schema())


def quoted(names: Iterable[str]) -> list[Column]:
    """Return columns by their names, which may hold dots."""
    return [f.col(f"`{name.replace('`', '``')}`") for name in names]


def gathered(rows: DataFrame, plan: Plan, order: Sequence[str]) -> DataFrame:
    """Return rows with all of one key in one partition, one key after the other."""
    columns = quoted((*plan.keys, *order))
    together = rows.repartition(*columns[: len(plan.keys)]) if plan.keys else rows.repartition(1)
    return together.sortWithinPartitions(*columns)


def answering(plan: Plan) -> Work:
    """Return what a worker does."""

    def work(batches: Iterable[Table]) -> Iterator[object]:
        for whole in chunks(batches, plan.keys):
            found = keys(whole, plan.keys)
            yield from told(plan, answered(plan, whole, found), whole, found)

    return work


def chunks(batches: Iterable[Table], names: Sequence[str]) -> Iterator[Table]:
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
