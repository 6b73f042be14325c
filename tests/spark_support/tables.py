"""Small random tables, and what the denotation says of them."""

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
from muntin.spark.execution.arrow import Table, arrow_schema
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
"""Aggregates that slices are made for."""

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
    reads: InputColumns = InputColumns("t", ("k", "j")),  # noqa: B008 - it is a value
) -> AggregationPlan:
    """Return the plan of a call."""
    return analyze(SCHEMA, reads, windows, aggregates, settings)


def table_of(given: Sequence[Row], of: StructType = SCHEMA) -> Table:
    """Return rows as a batch, as Spark gives them."""
    columns = list(zip(*given, strict=True)) or [() for _ in of.fields]
    schema = arrow_schema(of)
    arrays = [pa.array(c, pa.schema(schema).field(i).type) for i, c in enumerate(columns)]
    found: Table = pa.RecordBatch.from_arrays(arrays, schema=schema)
    return found


class Line(NamedTuple):
    """A line of the answer."""

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
    """Return the lines of batches."""
    found = list[Line]()
    for batch in batches:
        for row in getattr(batch, "to_pylist")():  # noqa: B009 - Arrow is not typed
            key = tuple(row[name] for name in plan.keys)
            values = tuple(rounded(row[one.label]) for one in plan.aggregates)
            start, end = row["start"], row["end"]
            low, high = row.get(START), row.get(END_AT)
            told = row["kind"], row["revision"]
            found.append(Line(row["window"], start, end, low, high, key, values, *told))
    return found


def in_full(plan: AggregationPlan, batches: Iterable[object]) -> list[Line]:
    """Return the lines of compact batches: in batch each window is new, once."""
    names, whole = list(plan.kinds()), list[object]()
    for batch in batches:
        columns = getattr(batch, "to_pydict")()  # noqa: B009 - Arrow is not typed
        columns["window"] = [names[nth] for nth in columns[WINDOW_INDEX_COLUMN]]
        n = len(columns["window"])
        whole.append(
            pa.RecordBatch.from_pydict(columns | {"kind": ["new"] * n, "revision": [0] * n})
        )
    return lines_in(plan, whole)


def rounded(value: object) -> Hashable:
    """Return a value such that floats which are as good as equal are equal."""
    if is_record(value):
        return tuple(rounded(one) for one in value.values())
    if is_row(value):
        return tuple(rounded(one) for one in value)
    if isinstance(value, str):
        return value
    if not isinstance(value, Fraction | int | float):
        return None
    return "NaN" if isnan(value) else float(f"{float(value):.9g}")


def event(plan: AggregationPlan, row: Mapping[str, object]) -> Event:
    """Return a row as the specification has it: of one column, that; else the row."""
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
    """Return rows by name."""
    return [dict(zip(FIELDS, row, strict=True)) for row in given]


def denoted(plan: AggregationPlan, steps: Sequence[Step]) -> list[Output]:
    """Answer a trace by definition: the value of a window is the list of its values."""
    queries = [
        Query(name, kind, named_keeping_nulls("collect")) for name, kind in plan.kinds().items()
    ]
    return denote(queries, steps, plan.settings)


def expected(plan: AggregationPlan, outputs: Iterable[Output]) -> list[Line]:
    """Return the lines that the denotation wants."""
    kinds_of, found = plan.kinds(), list[Line]()
    for result in (one for output in outputs for one in output.results):
        first, last = has_time_bounds(kinds_of[result.query])
        end = None if result.end == END else result.end
        key, held = result.key, result.value
        assert is_row(key)
        assert is_row(held)
        found.append(
            Line(
                result.query,
                result.start if first else None,
                end if last else None,
                None if first else result.start,
                None if last else end,
                tuple(item for item in key if isinstance(item, Hashable)),
                tuple(aggregated(one, held) for one in plan.aggregates),
                result.kind,
                result.revision,
            )
        )
    return found


def aggregated(one: AggregateColumn, values: Sequence[object]) -> Hashable:
    """Aggregate the values of a window by the catalogue, or as the user's own function says."""
    if one.counts_rows:
        return rounded(len(values))
    whole = lookup(one.what) if isinstance(one.what, str) else one.what
    return rounded(whole.of([value_of(value, one.columns) for value in values]))


def value_of(value: object, columns: Sequence[str]) -> object:
    """Return what an aggregate reads of a value; of a pair without a key, nothing."""
    if not is_row(value):
        return value
    row = {one[0]: one[1] for one in value if is_row(one)}
    found = tuple(row[name] for name in columns)
    return found[0] if len(found) == 1 else None if found[0] is None else found


def in_batch(plan: AggregationPlan, given: Sequence[Row]) -> list[Line]:
    """Answer a table by definition: one step that ends the stream."""
    step = Step(tuple(event(plan, row) for row in dicts(given)), END)
    return expected(plan, denoted(plan, [step]))


def same(a: Iterable[Line], b: Iterable[Line]) -> bool:
    """Whether there are the same lines, whatever their order."""
    return Counter(a) == Counter(b)


def collected(df: DataFrame) -> list[tuple[object, ...]]:
    """Return the rows of a DataFrame."""
    rows_of: Iterable[tuple[object, ...]] = getattr(df, "collect")()  # noqa: B009 - it is half typed
    return [tuple(row) for row in rows_of]


def frame_of(spark: SparkSession, given: Sequence[Sequence[object]], of: StructType) -> DataFrame:
    """Return rows as a DataFrame, in their order."""
    found: DataFrame = getattr(spark, "createDataFrame")(given, of)  # noqa: B009 - it is half typed
    return found


def answered(plan: AggregationPlan, answer: DataFrame) -> list[Line]:
    """Return the lines of an answer of Spark."""
    return lines_in(plan, [getattr(answer, "toArrow")()])  # noqa: B009 - it is half typed
