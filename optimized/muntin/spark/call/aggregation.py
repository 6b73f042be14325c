"""The one call: windows over a DataFrame, in batch or in streaming."""

from collections.abc import Sequence
from typing import Literal

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as f
from pyspark.sql.types import DayTimeIntervalType

from muntin.columnar.aggregate_requests import AggregateSpecs
from muntin.columnar.arguments import check_dialect, check_inputs, parse_input_columns
from muntin.columnar.durations import Length, TimeUnit
from muntin.columnar.windows import Windows, parse_windows
from muntin.spark.batch.strategy import in_batch
from muntin.spark.call.analysis import analyze, check_columns, time_unit
from muntin.spark.call.query_plan import AggregationPlan, Late
from muntin.spark.call.window_arguments import check_length
from muntin.spark.execution.repartition import quoted
from muntin.spark.streaming.stream_query import StreamOptions, build_stream
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Mode, Settings

BadRows = Literal["fail", "skip"]
"""What becomes of rows that have no time."""


def aggregate(  # noqa: PLR0913 - all but the first are named, and most have defaults
    rows: DataFrame,
    *,
    windows: Windows,
    aggregates: AggregateSpecs,
    time: str = "ts",
    keys: str | Sequence[str] = (),
    columns: str | Sequence[str] = (),
    gap: str | None = None,
    mark: str | None = None,
    dialect: Dialect = OURS,
    watermark: Length | None = None,
    allowed_lateness: Length = 0,
    output: Mode = "accumulate-retract",
    late: Late = "count",
    buckets: int = 16,
    bad_rows: BadRows = "fail",
    metrics: str | Observation = "muntin",
) -> DataFrame:
    """A row for each window of each key that is new, updated or retracted.

    The arguments up to `dialect` are those of `muntin.columnar.aggregate`; the others are of
    streams, but for `bad_rows` and `metrics`, and change nothing in batch. A result row has the
    id, type, start and end of the window, the keys, a column for each aggregate, `kind` and
    `revision`. In batch each window is new, once. The guide is docs/spark.md.
    """
    check_metrics(metrics)
    inputs = parse_input_columns(time, keys, columns, gap, mark)
    unit = time_unit(check_frame(rows).schema, inputs.time)
    kinds = parse_windows(windows, unit)
    check_inputs(kinds, gap, mark)
    given = with_gaps_in_units(rows, inputs.gap, unit)
    settings = settings_of(unit.length(allowed_lateness, "allowed_lateness"), output, dialect)
    plan = analyze(given.schema, inputs, kinds, aggregates, settings)
    options = StreamOptions(_delay(watermark, unit), late, buckets)
    check_columns(plan, given)
    timed = filter_null_times(given, plan, bad_rows, metrics)
    if not rows.isStreaming:
        return in_batch(timed, plan.without_late_columns())
    return build_stream(timed, plan, options, name_of(metrics))


def settings_of(allowed_lateness: int, output: Mode, dialect: Dialect) -> Settings:
    """The settings of the operators, with lateness in the unit of the times."""
    check_length(allowed_lateness, f"allowed_lateness={allowed_lateness}")
    return Settings(allowed_lateness, output, dialect=check_dialect(dialect))


def _delay(watermark: Length | None, unit: TimeUnit) -> int | None:
    """How far the watermark trails, in the unit of the times."""
    return None if watermark is None else unit.length(watermark, "watermark")


def with_gaps_in_units(rows: DataFrame, name: str | None, unit: TimeUnit) -> DataFrame:
    """The rows with gaps as integers; beside timestamps they are intervals of days to seconds."""
    if name is None or unit.nanoseconds is None or name not in rows.columns:
        return rows
    kind = rows.schema[name].dataType
    if not isinstance(kind, DayTimeIntervalType):
        raise InvalidInputError(
            f"the gaps {name!r} must be intervals, since the time {unit.column!r} is a timestamp, "
            f"not {kind.simpleString()}; write make_dt_interval(0, 0, 0, {name}) for seconds"
        )
    (gap,) = quoted([name])
    return rows.withColumn(name, f.unix_micros(f.timestamp_micros(f.lit(0)) + gap))


def check_frame(value: object) -> DataFrame:
    """Refuse anything but a DataFrame."""
    if isinstance(value, DataFrame):
        return value
    raise InvalidInputError(f"the rows must be a DataFrame of Spark, not {value!r}")


def check_metrics(value: object) -> None:
    """Refuse what Spark can't observe by; Spark Connect has an Observation of its own."""
    is_observation = type(value).__name__ == Observation.__name__
    if not value or not (isinstance(value, str) or is_observation):
        raise InvalidInputError(f"metrics must be a name or an Observation, not {value!r}")


def filter_null_times(
    df: DataFrame, plan: AggregationPlan, bad_rows: BadRows, metrics: str | Observation
) -> DataFrame:
    """The rows that have a time; the others are counted and left out, or fail their task."""
    if bad_rows == "fail":
        return df
    if bad_rows != "skip":
        raise InvalidInputError(f"bad_rows must be 'fail' or 'skip', not {bad_rows!r}")
    (time,) = quoted([plan.time])
    name = f"{name_of(metrics)} input" if df.isStreaming else metrics
    counted = df.observe(name, f.count(f.when(time.isNull(), 1)).alias("null_times"))
    return counted.where(time.isNotNull())


def name_of(metrics: str | Observation) -> str:
    """The name of the metrics of a stream."""
    if isinstance(metrics, str):
        return metrics
    raise InvalidInputError("Spark observes streams by name: say metrics='a name'")
