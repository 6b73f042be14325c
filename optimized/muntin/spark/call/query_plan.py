"""The plan of one call: what is read, asked and answered. It travels to the workers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from pyspark.sql.types import (
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from muntin.spark.call.aggregate_arguments import AggregateColumn
from muntin.spark.call.window_serialization import SerializedWindow
from muntin.spec.query import Settings
from muntin.spec.windows.data_driven import LastNEvery
from muntin.spec.windows.measure import TIME
from muntin.spec.windows.window import WindowType

Late = Literal["none", "count", "rows"]
"""What is told of late rows: none are late in batch; else how many, or which."""

START, END = "start_coordinate", "end_coordinate"
"""Where windows begin and end that lie in another measure than time."""


def in_time(kind: WindowType) -> tuple[bool, bool]:
    """Whether the start, and the end, of windows are times."""
    clock = kind.measure is TIME
    return clock and not isinstance(kind, LastNEvery), clock


@dataclass(frozen=True)
class AggregationPlan:
    """The columns of time and keys, of own gaps and marks, windows, aggregates, settings."""

    time: str
    types: Mapping[str, DataType]
    keys: tuple[str, ...]
    windows: tuple[SerializedWindow, ...]
    wanted: tuple[AggregateColumn, ...]
    extra: tuple[str, ...]
    gap: str | None
    mark: str | None
    settings: Settings
    late: Late = "none"

    @property
    def values(self) -> tuple[str, ...]:
        """The columns that make the value of an event, each once."""
        read = (name for one in self.wanted for name in one.columns)
        return tuple(dict.fromkeys((*read, *self.extra)))

    @property
    def has_single_value_column(self) -> bool:
        """Whether the value of an event is that of its one column, and no record."""
        return len(self.values) <= 1 and all(len(one.columns) <= 1 for one in self.wanted)

    @property
    def read(self) -> tuple[str, ...]:
        """All columns that are read, each once."""
        marks = tuple(name for name in (self.gap, self.mark) if name)
        return tuple(dict.fromkeys((*self.keys, self.time, *self.values, *marks)))

    def kinds(self) -> dict[str, WindowType]:
        """Return the window types by id."""
        return {one.id: one.kind() for one in self.windows}

    def restricted_to(self, ids: set[str]) -> "AggregationPlan":
        """Return the plan for some of the windows."""
        return replace(self, windows=tuple(one for one in self.windows if one.id in ids))

    @property
    def has_non_time_coordinates(self) -> bool:
        """Whether some window lies in another measure than time, if only with one end."""
        return any(in_time(kind) != (True, True) for kind in self.kinds().values())

    def schema(self) -> StructType:
        """Return the columns of the answer."""
        clock, text = self.types[self.time], StringType()
        fields = [StructField("window", text), StructField("window_type", text)]
        fields += [StructField("start", clock), StructField("end", clock)]
        if self.has_non_time_coordinates:
            fields += [StructField(START, LongType()), StructField(END, LongType())]
        fields += [StructField(name, self.types[name]) for name in self.keys]
        fields += [StructField(one.label, one.type) for one in self.wanted]
        fields += [StructField("kind", text), StructField("revision", IntegerType())]
        late = [StructField("late", self.row())] if self.late == "rows" else []
        return StructType(fields + late)

    def row(self) -> StructType:
        """Return the columns of a late row, besides its keys."""
        names = dict.fromkeys((self.time, *self.values))
        return StructType([StructField(name, self.types[name]) for name in names])
