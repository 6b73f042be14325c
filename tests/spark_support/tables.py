"""Small random tables, and their windows by the denotation."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from math import isnan
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import (
    BooleanType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from muntin.columnar.aggregate_requests import AggregateSpec
from muntin.columnar.arguments import END as END_AT
from muntin.columnar.arguments import START, InputColumns, has_time_bounds
from muntin.conformance.machines.strategies import window_types
from muntin.kernels.slicing.over import is_record, is_row
from muntin.spark.call.aggregate_arguments import AggregateColumn, lookup
from muntin.spark.call.analysis import analyze
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.execution.arrow import ArrowBatch, arrow_schema
from muntin.spark.execution.result_rows import WINDOW_INDEX_COLUMN
from muntin.spec.algebra.catalogue import named_keeping_nulls
from muntin.spec.denotation import denote
from muntin.spec.query import DEFAULTS, Output, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.periodic import Band, Cumulate, Sliding
from muntin.spec.windows.window import WindowType

pa = import_module("pyarrow")

FIELDS = {
    "k": StringType(),
    "j": LongType(),
    "t": LongType(),
    "v": IntegerType(),
    "w": DoubleType(),
    "s": StringType(),
    "g": LongType(),
    "p": BooleanType(),
}
SCHEMA = StructType([StructField(name, kind) for name, kind in FIELDS.items()])
MERGED: Mapping[str, AggregateSpec] = {
    "rows": "count",
    "n": ("count", "v"),
    "sum": ("sum", "v"),
    "real": ("sum", "w"),
    "mean": ("mean", "v"),
    "low": ("min", "v"),
    "high": ("max", "w"),
    "first": ("first", "v"),
    "last": ("last", "w"),
    "at": ("argmax", "v", "t"),
    "brings": ("argmin", "v", "g"),
    "spread": ("var_pop", "v"),
    "std": ("std_sample", "w"),
    "range": ("range", "v"),
    "m4": ("m4", "v"),
}
"""Aggregates that slices can be made for."""

HOLISTIC: Mapping[str, AggregateSpec] = {
    "middle": ("median", "v"),
    "all": ("collect", "v"),
    "kinds": ("distinct", "w"),
    "text": ("concat", "s"),
    "least": ("min", "s"),
    "most": ("argmin", "s", "v"),
    "modes": ("maxcount", "v"),
}
OF_ONE: Mapping[str, AggregateSpec] = {
    "rows": "count",
    "sum": ("sum", "v"),
    "all": ("collect", "v"),
}
"""Aggregates of one column, for frames."""

Row = tuple[str | None, int, int, int | None, float | None, str | None, int | None, bool]
FRAMES = (Delta, State, Threshold)


def rows(most: int = 24) -> SearchStrategy[list[Row]]:
    """Rows whose times are close together; values are small and exact."""
    number = st.integers(-3, 5)
    return st.lists(
        st.tuples(
            st.sampled_from(["a", "a", "b", None]),
            st.sampled_from([0, 0, 1]),
            st.integers(-20, 40),
            st.none() | number,
            st.none() | number.map(lambda n: n / 2),
            st.none() | st.sampled_from("xyz"),
            st.none() | st.sampled_from([1, 4]),
            st.booleans(),
        ),
        min_size=1,
        max_size=most,
    )


def kinds() -> SearchStrategy[WindowType]:
    """Any window type."""
    return window_types(0)


@st.composite
def cumulates(draw: DrawFn) -> Cumulate:
    """Small windows that grow."""
    step = draw(st.integers(1, 4))
    return Cumulate(step * draw(st.integers(1, 4)), step, draw(st.integers(1, 4)))


@st.composite
def bands(draw: DrawFn) -> Band:
    """Short intervals."""
    start = draw(st.integers(-25, 30))
    return Band(start, start + draw(st.integers(1, 20)))


def slidings() -> SearchStrategy[Sliding]:
    """Short windows, overlapping or not."""
    return st.builds(Sliding, st.integers(1, 9), st.integers(1, 9), st.integers(-9, 9))


def plan_of(
    windows: Mapping[str, WindowType],
    aggregates: Mapping[str, AggregateSpec],
    settings: Settings = DEFAULTS,
    inputs: InputColumns = InputColumns("t", ("k", "j")),  # noqa: B008 - it is a value
) -> AggregationPlan:
    """The plan of a call."""
    return analyze(SCHEMA, inputs, windows, aggregates, settings)


def table_of(given: Sequence[Row], types: StructType = SCHEMA) -> ArrowBatch:
    """Rows as a batch, as Spark sends them."""
    columns = list(zip(*given, strict=True)) or [() for _ in types.fields]
    schema = arrow_schema(types)
    arrays = [pa.array(c, pa.schema(schema).field(i).type) for i, c in enumerate(columns)]
    batch: ArrowBatch = pa.RecordBatch.from_arrays(arrays, schema=schema)
    return batch


class Line(NamedTuple):
    """A result row."""

    window: str
    start: int | None
    end: float | None
    low: int | None
    high: float | None
    key: tuple[Hashable, ...]
    values: tuple[object, ...]
    kind: str
    revision: int | None


def lines_in(plan: AggregationPlan, batches: Iterable[object]) -> list[Line]:
    """The result rows of batches."""
    lines = list[Line]()
    for batch in batches:
        for row in getattr(batch, "to_pylist")():  # noqa: B009 - Arrow is not typed
            key = tuple(row[name] for name in plan.keys)
            values = tuple(rounded(row[column.label]) for column in plan.aggregates)
            start, end = row["start"], row["end"]
            low, high = row.get(START), row.get(END_AT)
            change = row["kind"], row["revision"]
            lines.append(Line(row["window"], start, end, low, high, key, values, *change))
    return lines


def in_full(plan: AggregationPlan, batches: Iterable[object]) -> list[Line]:
    """The result rows of compact batches: in batch each window is new, once."""
    names, expanded = list(plan.kinds()), list[object]()
    for batch in batches:
        columns = getattr(batch, "to_pydict")()  # noqa: B009 - Arrow is not typed
        columns["window"] = [names[index] for index in columns[WINDOW_INDEX_COLUMN]]
        n = len(columns["window"])
        expanded.append(
            pa.RecordBatch.from_pydict(columns | {"kind": ["new"] * n, "revision": [0] * n})
        )
    return lines_in(plan, expanded)


def rounded(value: object) -> Hashable:
    """A value such that floats which differ by rounding are equal."""
    if is_record(value):
        return tuple(rounded(item) for item in value.values())
    if is_row(value):
        return tuple(rounded(item) for item in value)
    if isinstance(value, str):
        return value
    if not isinstance(value, Fraction | int | float):
        return None
    return "NaN" if isnan(value) else float(f"{float(value):.9g}")


def event(plan: AggregationPlan, row: Mapping[str, object]) -> Event:
    """A row as an event, whose value is that of its single column, or the row."""
    value = row["v"] if plan.has_single_value_column else tuple(row.items())
    gap, time = row["g"] if plan.gap else None, row["t"]
    assert isinstance(time, int)
    return Event(
        time,
        value,
        tuple(row[name] for name in plan.keys),
        gap if isinstance(gap, int) else None,
        bool(row["p"]) if plan.mark else False,
    )


def dicts(given: Sequence[Row]) -> list[dict[str, object]]:
    """Rows with the names of their columns."""
    return [dict(zip(FIELDS, row, strict=True)) for row in given]


def denoted(plan: AggregationPlan, steps: Sequence[Step]) -> list[Output]:
    """The output for a trace by definition: the value of a window is the list of its values."""
    queries = [
        Query(name, kind, named_keeping_nulls("collect")) for name, kind in plan.kinds().items()
    ]
    return denote(queries, steps, plan.settings)


def expected(plan: AggregationPlan, outputs: Iterable[Output]) -> list[Line]:
    """The result rows of the denotation."""
    kinds_of, lines = plan.kinds(), list[Line]()
    for result in (result for output in outputs for result in output.results):
        first, last = has_time_bounds(kinds_of[result.query])
        end = None if result.end == END else result.end
        key, values = result.key, result.value
        assert is_row(key)
        assert is_row(values)
        lines.append(
            Line(
                result.query,
                result.start if first else None,
                end if last else None,
                None if first else result.start,
                None if last else end,
                tuple(item for item in key if isinstance(item, Hashable)),
                tuple(aggregated(column, values) for column in plan.aggregates),
                result.kind,
                result.revision,
            )
        )
    return lines


def aggregated(column: AggregateColumn, values: Sequence[object]) -> Hashable:
    """The aggregate of the values of a window, by the catalogue or the user's own function."""
    if column.counts_rows:
        return rounded(len(values))
    aggregate = lookup(column.what) if isinstance(column.what, str) else column.what
    return rounded(aggregate.of([value_of(value, column.columns) for value in values]))


def value_of(value: object, columns: Sequence[str]) -> object:
    """The fields that an aggregate reads of a value; None if the first of a pair is null."""
    if not is_row(value):
        return value
    row = {item[0]: item[1] for item in value if is_row(item)}
    fields = tuple(row[name] for name in columns)
    return fields[0] if len(fields) == 1 else None if fields[0] is None else fields


def in_batch(plan: AggregationPlan, given: Sequence[Row]) -> list[Line]:
    """The result for a table by definition: one step that ends the stream."""
    step = Step(tuple(event(plan, row) for row in dicts(given)), END)
    return expected(plan, denoted(plan, [step]))


def same(a: Iterable[Line], b: Iterable[Line]) -> bool:
    """Whether two results have the same rows, in any order."""
    return Counter(a) == Counter(b)


def collected(df: DataFrame) -> list[tuple[object, ...]]:
    """The rows of a DataFrame."""
    rows_of: Iterable[tuple[object, ...]] = getattr(df, "collect")()  # noqa: B009 - it is half typed
    return [tuple(row) for row in rows_of]


def frame_of(
    spark: SparkSession, given: Sequence[Sequence[object]], types: StructType
) -> DataFrame:
    """Rows as a DataFrame, in their order."""
    df: DataFrame = getattr(spark, "createDataFrame")(given, types)  # noqa: B009 - it is half typed
    return df


def answered(plan: AggregationPlan, result: DataFrame) -> list[Line]:
    """The rows of a result of Spark."""
    return lines_in(plan, [getattr(result, "toArrow")()])  # noqa: B009 - it is half typed
