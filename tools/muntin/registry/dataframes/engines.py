"""Engines that evaluate all rows of a DataFrame at once, with windows in comparable columns.

A result has a row for each window: `key`, `query`, `start`, `end`, and its value, which is `exact`
if it is an integer, and `real` if it is a float. Input rows have a `key`, an `id` in the order of
arrival, `t` and `v`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the usual name
from pyspark.sql.types import DataType, DoubleType, LongType, StringType, StructField, StructType

from muntin.columnar.aggregate_requests import parse_aggregate
from muntin.columnar.arguments import has_time_bounds
from muntin.columnar.arrow import column as column_in
from muntin.columnar.table import aggregate as table_aggregate
from muntin.registry.dataframes.generated_rows import key_traces
from muntin.registry.dataframes.native_windows import native_query, native_windows
from muntin.registry.dataframes.traces import MapRows, map_rows
from muntin.registry.implementations import KERNELS_TABLE, SPARK, SPARK_NATIVE
from muntin.spark.call.aggregate_arguments import lookup, typed_column
from muntin.spark.call.aggregation import aggregate
from muntin.spark.call.window_arguments import serialize
from muntin.spark.execution.arrow import ArrowBatch, batches, mapped, table
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Query
from muntin.spec.windows.data_driven import Session

DataFrameEngine = Callable[[DataFrame, Sequence[Query], Dialect], DataFrame]
VALUE_TYPES: Mapping[str, DataType] = {"exact": LongType(), "real": DoubleType()}


def value_column(query: Query) -> str:
    """The column for the values of a query over integers; empty if they are no numbers."""
    request = parse_aggregate("v", (query.aggregate.name, "v"), lookup)
    value_type = typed_column(request, {"v": LongType()}).type
    return next((name for name, other in VALUE_TYPES.items() if other == value_type), "")


def unsupported_reason(name: str, query: Query, dialect: Dialect) -> str:
    """Why an engine does not support a query; empty if it does."""
    native = native_query(query)
    if name == SPARK_NATIVE:
        return native if isinstance(native, str) else ""
    reason = _incomparable_reason(query)
    if reason or name == SPARK:
        return reason
    if not query.aggregate.commutative:
        return f"{query.aggregate.name} needs the order of arrival, which a shuffle does not keep"
    has_dialect = dialect != OURS and isinstance(query.window, Session)
    return "tables have no dialects" if has_dialect else ""


def _incomparable_reason(query: Query) -> str:
    """Why the windows of a query do not fit the columns of a result; empty if they do."""
    try:
        column = value_column(query)
    except InvalidInputError as error:
        return str(error)
    if not column:
        return f"{query.aggregate.name} is no number, and only numbers are compared over all rows"
    if has_time_bounds(query.window) != (True, True):
        return f"{query.window.name} windows by {query.window.measure.name} do not lie in time"
    return ""


def spark_operator(rows: DataFrame, queries: Sequence[Query], dialect: Dialect) -> DataFrame:
    """Windows by `muntin.spark.aggregate`, in one call."""
    names = dict.fromkeys(query.aggregate.name for query in queries)
    windows = aggregate(
        rows,
        time="t",
        keys="key",
        windows={query.id: query.window for query in queries},
        aggregates={f"of {name}": (name, "v") for name in names},
        dialect=dialect,
    )
    renamed = windows.withColumnRenamed("window", "query")
    return renamed.select("key", "query", "start", "end", *_values(queries))


def _values(queries: Sequence[Query]) -> Iterator[Column]:
    for column, kind in VALUE_TYPES.items():
        own = [query for query in queries if value_column(query) == column]
        pairs = ((F.col("query") == query.id, query.aggregate.name) for query in own)
        values = [F.when(is_own, F.col(f"`of {name}`")) for is_own, name in pairs]
        yield F.coalesce(*values, F.lit(None)).cast(kind).alias(column)


def spark_windows(rows: DataFrame, queries: Sequence[Query], dialect: Dialect) -> DataFrame:
    """Windows by Spark itself, a group-by for each query."""
    native = [query for query in map(native_query, queries) if not isinstance(query, str)]
    return native_windows(rows, native, merge_at_gap=dialect.session_merge == "le")


def columnar_table(rows: DataFrame, queries: Sequence[Query], _: Dialect) -> DataFrame:
    """Windows by `muntin.columnar.aggregate`: each partition, with whole keys, is a table."""
    serialized = [serialize(query.id, query.window) for query in queries]
    by_label = {f"of {query.aggregate.name}": query for query in queries}
    fields = [StructField("query", StringType())]
    fields += [StructField(name, LongType()) for name in ("key", "start", "end")]
    types = {label: VALUE_TYPES[value_column(query)] for label, query in by_label.items()}
    fields += [StructField(label, value_type) for label, value_type in types.items()]
    aggregates = {label: (query.aggregate.name, "v") for label, query in by_label.items()}
    schema = StructType(fields)

    def work(given: Iterable[ArrowBatch]) -> Iterator[object]:
        filled = [batch for batch in given if batch.num_rows]
        if filled:
            windows = {window.id: window.kind() for window in serialized}
            result = table_aggregate(
                table(filled),
                time="t",
                keys="key",
                windows=windows,
                aggregates=aggregates,
                to="arrow",
            )
            names = {**{name: name for name in schema.names}, "query": "window"}
            columns = {name: column_in(result, other) for name, other in names.items()}
            yield from batches(columns, schema)

    windows = mapped(rows.select("key", "t", "v"), work, schema)
    return windows.select("key", "query", "start", "end", *_values(queries))


ENGINES: Mapping[str, DataFrameEngine] = {
    SPARK: spark_operator,
    KERNELS_TABLE: columnar_table,
    SPARK_NATIVE: spark_windows,
}
"""The engines, by the names that `--against` gives them."""


WINDOW_SCHEMA = "key long, query string, start long, end long, exact long, real double"


def answer_by_trace(rows: DataFrame, function: MapRows) -> DataFrame:
    """Windows by a function that gets the traces of keys one after another."""
    return map_rows(key_traces(rows), function, WINDOW_SCHEMA)


@dataclass(frozen=True)
class Digest:
    """The number of windows of a key and query, and two sums over hashes of their content."""

    windows: int
    low: int
    high: int


def digests(windows: DataFrame) -> dict[tuple[int, str], Digest]:
    """Digests by key and query: 64 bits of hash for each window, added up by halves."""
    hashed = F.xxhash64("query", "start", "end", "exact", F.col("real") + F.lit(0.0))
    half = F.lit(2**32 - 1)
    hashes = windows.select("key", "query", hashed.alias("h")).groupBy("key", "query")
    sums = hashes.agg(
        F.count("*").alias("n"),
        F.sum(F.col("h").bitwiseAND(half)).alias("low"),
        F.sum(F.shiftrightunsigned("h", 32)).alias("high"),
    )
    rows = getattr(sums, "toArrow")().to_pylist()  # noqa: B009 - Arrow is not typed
    return {(row["key"], row["query"]): Digest(row["n"], row["low"], row["high"]) for row in rows}
