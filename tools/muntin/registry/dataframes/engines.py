"""What answers all rows at once, each in its own way, in columns that can be compared.

A view has a line for each window: `key`, `query`, `start`, `end`, and its value, which is `exact`
if it is an integer, and `real` if it is a float. Rows have a `key`, an `id` in the order of
arrival, `t` and `v`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it
from pyspark.sql.types import DataType, DoubleType, LongType, StringType, StructField, StructType

from muntin.columnar.aggregate_requests import parse_aggregate
from muntin.columnar.arguments import has_time_bounds
from muntin.columnar.arrow import column as column_in
from muntin.columnar.table import aggregate as answer
from muntin.registry.dataframes.generated_rows import traces
from muntin.registry.dataframes.names import SPARK, TABLE, WINDOWS
from muntin.registry.dataframes.native_queries import translated
from muntin.registry.dataframes.native_windows import windows_of
from muntin.registry.dataframes.traces import Row
from muntin.registry.dataframes.traces import mapped as by_row
from muntin.spark.call.aggregate_arguments import lookup, typed_column
from muntin.spark.call.aggregation import aggregate
from muntin.spark.call.window_arguments import serialize
from muntin.spark.execution.arrow import Table, batches, mapped, table
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Query
from muntin.spec.windows.data_driven import Session

View = Callable[[DataFrame, Sequence[Query], Dialect], DataFrame]
NUMBERS: Mapping[str, DataType] = {"exact": LongType(), "real": DoubleType()}


def column_of(query: Query) -> str:
    """Return the name of the column that holds the values of a query over integers, if one does."""
    request = parse_aggregate("v", (query.aggregate.name, "v"), lookup)
    kind = typed_column(request, {"v": LongType()}).type
    return next((name for name, each in NUMBERS.items() if each == kind), "")


def refusal(name: str, query: Query, dialect: Dialect) -> str:
    """Say why a query is not put to one of these; nothing, if it is."""
    native = translated(query)
    if name == WINDOWS:
        return native if isinstance(native, str) else ""
    found = _beyond_views(query)
    if found or name == SPARK:
        return found
    if not query.aggregate.commutative:
        return f"{query.aggregate.name} needs the order of arrival, which a shuffle does not keep"
    foreign = dialect != OURS and isinstance(query.window, Session)
    return "tables have no dialects" if foreign else ""


def _beyond_views(query: Query) -> str:
    """Say why the windows of a query have no place in a view."""
    try:
        number = column_of(query)
    except InvalidInputError as error:
        return str(error)
    if not number:
        return f"{query.aggregate.name} is no number, and only these are compared over all rows"
    if has_time_bounds(query.window) != (True, True):
        return f"{query.window.name} windows by {query.window.measure.name} do not lie in time"
    return ""


def by_operator(rows: DataFrame, queries: Sequence[Query], dialect: Dialect) -> DataFrame:
    """Let `muntin.spark.aggregate` answer, in one call."""
    names = dict.fromkeys(query.aggregate.name for query in queries)
    found = aggregate(
        rows,
        time="t",
        keys="key",
        windows={query.id: query.window for query in queries},
        aggregates={f"of {name}": (name, "v") for name in names},
        dialect=dialect,
    )
    named = found.withColumnRenamed("window", "query")
    return named.select("key", "query", "start", "end", *_values(queries))


def _values(queries: Sequence[Query]) -> list[Column]:
    """Return the value of each line, from the columns of all aggregates."""
    found = list[Column]()
    for number, kind in NUMBERS.items():
        mine = [
            F.when(F.col("query") == query.id, F.col(f"`of {query.aggregate.name}`"))
            for query in queries
            if column_of(query) == number
        ]
        found.append(F.coalesce(*mine, F.lit(None)).cast(kind).alias(number))
    return found


def by_windows(rows: DataFrame, queries: Sequence[Query], dialect: Dialect) -> DataFrame:
    """Let Spark's own windows answer, a group-by for each query."""
    native = [one for one in map(translated, queries) if not isinstance(one, str)]
    return windows_of(rows, native, merge_at_gap=dialect.session_merge == "le")


def by_table(rows: DataFrame, queries: Sequence[Query], _: Dialect) -> DataFrame:
    """Let `muntin.columnar.aggregate` answer: a partition, with all rows of a key, is a table."""
    sent = [serialize(query.id, query.window) for query in queries]
    wants = {f"of {query.aggregate.name}": query for query in queries}
    fields = [StructField("query", StringType())]
    fields += [StructField(name, LongType()) for name in ("key", "start", "end")]
    fields += [StructField(label, NUMBERS[column_of(one)]) for label, one in wants.items()]
    labels = {label: (one.aggregate.name, "v") for label, one in wants.items()}
    schema = StructType(fields)

    def work(given: Iterable[Table]) -> Iterator[object]:
        held = [batch for batch in given if batch.num_rows]
        if held:
            kinds = {one.id: one.kind() for one in sent}
            found = answer(table(held), time="t", keys="key", windows=kinds, aggregates=labels)
            names = {**{name: name for name in schema.names}, "query": "window"}
            yield from batches({name: column_in(found, it) for name, it in names.items()}, schema)

    made = mapped(rows.select("key", "t", "v"), work, schema)
    return made.select("key", "query", "start", "end", *_values(queries))


VIEWS: Mapping[str, View] = MappingProxyType(
    {SPARK: by_operator, TABLE: by_table, WINDOWS: by_windows}
)
"""Those that answer all rows at once, by the names that contenders have."""


LINES = "key long, query string, start long, end long, exact long, real double"


def by_traces(rows: DataFrame, answered: Callable[[Iterable[Row]], Iterator[Row]]) -> DataFrame:
    """Let a function answer the traces of keys, one after another."""
    return by_row(traces(rows), answered, LINES)


@dataclass(frozen=True)
class Digest:
    """How many windows there are of a key and query, and two sums over all that is said of them."""

    windows: int
    low: int
    high: int


def digests(view: DataFrame) -> dict[tuple[int, str], Digest]:
    """Return digests by key and query: 64 bits of hash for each window, added up by halves."""
    hashed = F.xxhash64("query", "start", "end", "exact", F.col("real") + F.lit(0.0))
    half = F.lit(2**32 - 1)
    each = view.select("key", "query", hashed.alias("h")).groupBy("key", "query")
    sums = each.agg(
        F.count("*").alias("n"),
        F.sum(F.col("h").bitwiseAND(half)).alias("low"),
        F.sum(F.shiftrightunsigned("h", 32)).alias("high"),
    )
    rows = getattr(sums, "toArrow")().to_pylist()  # noqa: B009 - Arrow is not typed
    return {(row["key"], row["query"]): Digest(row["n"], row["low"], row["high"]) for row in rows}
