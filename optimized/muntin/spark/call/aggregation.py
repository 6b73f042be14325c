"""The one call: windows over a DataFrame, in batch or in streaming."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as f

from muntin.spark.batch.strategy import in_batch
from muntin.spark.call import arguments
from muntin.spark.call.aggregate_arguments import AggregateSpec
from muntin.spark.call.analysis import InputColumns, Windows, analyze
from muntin.spark.call.durations import Duration, micros
from muntin.spark.call.fitting import check_columns
from muntin.spark.call.query_plan import AggregationPlan, Late
from muntin.spark.call.window_arguments import short
from muntin.spark.call.window_inputs import without_late_columns
from muntin.spark.execution.repartition import quoted
from muntin.spark.streaming.stream_query import StreamOptions, build_stream
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Mode, Settings

BadRows = Literal["fail", "skip"]
"""What to do with rows that have no time."""


def aggregate(  # noqa: PLR0913 - all but the first are named, and most are seldom said
    df: DataFrame,
    *,
    windows: Windows,
    aggregates: Mapping[str, AggregateSpec],
    time: str = "ts",
    keys: str | Sequence[str] = (),
    watermark: Duration | None = None,
    allowed_lateness: Duration = 0,
    output: Mode = "accumulate-retract",
    late: Late = "count",
    columns: Sequence[str] = (),
    gap: str | None = None,
    mark: str | None = None,
    dialect: Dialect = OURS,
    bad_rows: BadRows = "fail",
    buckets: int = 16,
    metrics: str | Observation = "muntin",
) -> DataFrame:
    """Return a line for each window of each key that came, changed or went.

    A line has the id, type, start and end of the window, the keys, a column for each aggregate, the
    kind of news and the revision. In batch each window is new, once. The guide is docs/spark.md.
    """
    arguments.metrics(metrics)
    reads = InputColumns(
        arguments.column(time, "time"),
        arguments.columns(keys, "keys"),
        arguments.columns(columns, "columns"),
        arguments.perhaps(gap, "gap"),
        arguments.perhaps(mark, "mark"),
    )
    settings = settings_of(allowed_lateness, output, dialect)
    plan = analyze(arguments.frame(df).schema, reads, windows, aggregates, settings)
    options = StreamOptions(watermark, late, buckets)
    check_columns(plan, df)
    good = filter_null_times(df, plan, bad_rows, metrics)
    if not df.isStreaming:
        return in_batch(good, without_late_columns(plan))
    return build_stream(good, plan, options, name_of(metrics))


def settings_of(allowed_lateness: Duration, output: Mode, dialect: Dialect) -> Settings:
    """Return how lateness, output and what engines disagree about are to be treated."""
    lateness = micros(allowed_lateness)
    short(lateness, f"allowed_lateness={allowed_lateness!r}")
    return Settings(lateness, output, dialect=arguments.dialect(dialect))


def filter_null_times(
    df: DataFrame, plan: AggregationPlan, bad_rows: BadRows, metrics: str | Observation
) -> DataFrame:
    """Return the rows that have a time, if the others are to be counted and left out."""
    if bad_rows == "fail":
        return df
    if bad_rows != "skip":
        raise InvalidInputError(f"bad_rows must be 'fail' or 'skip', not {bad_rows!r}")
    (time,) = quoted([plan.time])
    name = f"{name_of(metrics)} input" if df.isStreaming else metrics
    counted = df.observe(name, f.count(f.when(time.isNull(), 1)).alias("null_times"))
    return counted.where(time.isNotNull())


def name_of(metrics: str | Observation) -> str:
    """Return the name of the metrics of a stream."""
    if isinstance(metrics, str):
        return metrics
    raise InvalidInputError("Spark observes streams by name: say metrics='a name'")
