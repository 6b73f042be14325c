"""The plan of slices, for those who make them and those who combine them: edges, parts, columns."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from pyspark.sql.types import DoubleType, LongType, StructField, StructType

from muntin.columnar import embedding
from muntin.columnar.embedding import (
    Ints,
    PartialSlices,
    SliceLayout,
    SortedRows,
    Source,
    Values,
    column_of,
)
from muntin.spark.call.aggregate_arguments import FLOATING_TYPES
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import ArrowBatch, column, numbers, times
from muntin.spark.execution.evaluation import aggregates_of, is_columnar
from muntin.spark.execution.repartition import internal_name

LOW, HIGH, ORDER = internal_name("low"), internal_name("high"), internal_name("order")


def sliceable_windows(plan: AggregationPlan) -> set[str]:
    """The windows that can be made of slices, without the rows."""
    if not is_columnar(plan):
        return set()
    return embedding.sliceable_windows(plan.kinds(), aggregates_of(plan).values(), plan.settings)


@dataclass(frozen=True)
class SlicePlan:
    """The windows of a plan, the parts that slices keep, and the columns in which they are sent."""

    plan: AggregationPlan

    @cached_property
    def layout(self) -> SliceLayout:
        """Where slices begin, and what they hold."""
        types = self.plan.types
        floats = {name for name in self.plan.values if isinstance(types[name], FLOATING_TYPES)}
        return SliceLayout(self.plan.kinds(), aggregates_of(self.plan), floats)

    @cached_property
    def schema(self) -> StructType:
        """The columns of slices."""
        fields = [StructField(name, self.plan.types[name]) for name in self.plan.keys]
        fields += [StructField(name, LongType()) for name in (LOW, HIGH, ORDER)]
        for index, kind in enumerate(self.layout.encoded_columns):
            wire_type = DoubleType() if kind == "float" else LongType()
            fields.append(StructField(internal_name(index), wire_type))
        return StructType(fields)

    def _columns(self, rows: ArrowBatch) -> tuple[Ints, dict[Source, Values]]:
        names = (*self.plan.values, self.plan.time)
        return times(rows, self.plan.time), {name: numbers(rows, name) for name in names}

    def sorted_rows(self, rows: ArrowBatch, number: Ints, arrival: int) -> SortedRows:
        """Rows by key and slice, given the numbers of their keys and the first arrival number."""
        time, columns = self._columns(rows)
        return self.layout.sorted_rows(time, columns, number, arrival)

    def preaggregate(self, rows: ArrowBatch, number: Ints, arrival: int) -> PartialSlices:
        """The slices of rows, of the same arguments."""
        time, columns = self._columns(rows)
        return self.layout.preaggregate(time, columns, number, arrival)

    def encode(self, slices: PartialSlices) -> dict[str, object]:
        """The columns of slices, besides their keys."""
        columns: dict[str, object] = {LOW: slices.low, HIGH: slices.high, ORDER: slices.order}
        each = enumerate(self.layout.encode(slices))
        return columns | {internal_name(index): encoded for index, encoded in each}

    def decode(self, rows: ArrowBatch, number: Ints, count: Ints | None = None) -> PartialSlices:
        """Slices from their columns, given the numbers of their keys, and the rows in each."""
        low, high, order = (np.asarray(column(rows, n), np.int64) for n in (LOW, HIGH, ORDER))
        names = map(internal_name, range(len(self.layout.encoded_columns)))
        rest = (column_of(column(rows, name)) for name in names)
        return self.layout.decode((low, high, order), rest, number, count)
