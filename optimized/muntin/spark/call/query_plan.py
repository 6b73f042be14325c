"""The plan of one call: what is read, computed and emitted. It is sent to the workers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from pyspark.sql import types as t

from muntin.columnar.aggregate_requests import value_columns
from muntin.columnar.arguments import END, START, has_time_bounds
from muntin.optimized.common.window_traits import VALUE, inputs_of_all
from muntin.spark.call.aggregate_arguments import AggregateColumn
from muntin.spark.call.window_arguments import SerializedWindow
from muntin.spec.query import Settings
from muntin.spec.windows.window import WindowType

Late = Literal["none", "count", "rows"]
"""What is emitted about late rows: in batch none are late; in a stream their number, or they."""


@dataclass(frozen=True)
class AggregationPlan:
    """The columns of time, keys, gaps and marks, the windows, aggregates and settings."""

    time: str
    types: Mapping[str, t.DataType]
    keys: tuple[str, ...]
    windows: tuple[SerializedWindow, ...]
    aggregates: tuple[AggregateColumn, ...]
    extra: tuple[str, ...]
    gap: str | None
    mark: str | None
    settings: Settings
    late: Late = "none"

    @property
    def values(self) -> tuple[str, ...]:
        """The columns that make the value of an event, each once."""
        return value_columns(self.aggregates, self.extra)

    @property
    def has_single_value_column(self) -> bool:
        """Whether the value of an event is that of its single column, and no record."""
        return len(self.values) <= 1 and all(len(one.columns) <= 1 for one in self.aggregates)

    @property
    def read(self) -> tuple[str, ...]:
        """All columns that are read, each once."""
        marks = tuple(name for name in (self.gap, self.mark) if name)
        return tuple(dict.fromkeys((*self.keys, self.time, *self.values, *marks)))

    def kinds(self) -> dict[str, WindowType]:
        """The window types by id."""
        return {window.id: window.kind() for window in self.windows}

    def restricted_to(self, ids: set[str]) -> "AggregationPlan":
        """The plan for some of the windows."""
        return replace(self, windows=tuple(one for one in self.windows if one.id in ids))

    def without_late_columns(self) -> "AggregationPlan":
        """The plan for batch, which has no late rows; columns for them that windows read stay."""
        looks = VALUE in inputs_of_all(self.kinds().values())
        return self if looks else replace(self, extra=())

    def schema(self) -> t.StructType:
        """The result columns."""
        time, text = self.types[self.time], t.StringType()
        fields = [t.StructField("window", text), t.StructField("window_type", text)]
        fields += [t.StructField("start", time), t.StructField("end", time)]
        if any(has_time_bounds(kind) != (True, True) for kind in self.kinds().values()):
            fields += [t.StructField(START, t.LongType()), t.StructField(END, t.LongType())]
        fields += [t.StructField(name, self.types[name]) for name in self.keys]
        fields += [t.StructField(one.label, one.type) for one in self.aggregates]
        fields += [t.StructField("kind", text), t.StructField("revision", t.IntegerType())]
        late = [t.StructField("late", self.row())] if self.late == "rows" else []
        return t.StructType(fields + late)

    def row(self) -> t.StructType:
        """The columns of a late row, besides its keys."""
        names = dict.fromkeys((self.time, *self.values))
        return t.StructType([t.StructField(name, self.types[name]) for name in names])
