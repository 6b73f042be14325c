"""The streaming query of a call, and what Spark must provide for it. Driver.

A stream over the result of another call, in one query, is refused. Spark has one watermark a query,
the least of all: the second call waits for rows of the first, and these for the watermark, which
waits for the second. The plan of the query decides, not the metadata of columns: files keep
metadata, and a stream of files that another query wrote is as good as any.
"""

import re
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import StructType, TimestampType

from muntin.spark.call.query_plan import AggregationPlan, Late
from muntin.spark.call.window_arguments import check_length
from muntin.spark.execution.repartition import in_backticks
from muntin.spark.spark_session import ROCKS
from muntin.spark.streaming.output_rows import LATE, from_transport, transport_schema
from muntin.spark.streaming.processor import MICROS_PER_MILLI, Processor
from muntin.spark.streaming.shuffle_payload import ShuffleEncoder, check_bucket_count
from muntin.spec.errors import InvalidInputError

STATE_STORE_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
WATERMARK_METADATA = "spark.watermarkDelayMs"
LATE_OPTIONS = ("count", "rows")
OUR_PROCESSOR = re.compile(r"TransformWithStateInPySpark \w+\(bucket#\d+L?, payload#\d+\)")
"""The processor of a call in the text of a plan: users may have processors of their own."""
WATERMARK_NODE = re.compile(r"EventTimeWatermark ")


@dataclass(frozen=True)
class StreamOptions:
    """Delay of the watermark in the unit of times, treatment of late rows, number of buckets."""

    watermark: int | None
    late: Late
    buckets: int

    def __post_init__(self) -> None:
        """Check them in batch too: one call serves both."""
        if self.late not in LATE_OPTIONS:
            raise InvalidInputError(f"late must be one of {LATE_OPTIONS}, not {self.late!r}")
        delay = self.watermark or 0
        if delay < 0:
            raise InvalidInputError(
                f"watermark={delay} is below zero: it must be how much later than others a row "
                "may come"
            )
        check_length(delay, f"watermark={delay}")
        check_bucket_count(self.buckets)


def build_stream(
    df: DataFrame, plan: AggregationPlan, options: StreamOptions, metrics: str
) -> DataFrame:
    """The stream of result rows: windows that are new, updated or retracted, and late rows."""
    check_not_chained(df)
    encoder = ShuffleEncoder(replace(plan, late=options.late), options.buckets)
    rows = with_watermark(df, plan, options.watermark)
    buckets = encoder.encode(rows).groupBy("bucket")
    mode = "Append" if plan.settings.output == "final" else "Update"
    transform = getattr(buckets, "transformWithStateInPandas")  # noqa: B009 - it is half typed
    schema = encoder.plan.schema()
    output: DataFrame = transform(Processor(encoder), transport_schema(schema), mode, "EventTime")
    result = from_transport(output, schema)
    is_late = f.col("kind") == LATE
    counted = result.observe(metrics, f.count(f.when(is_late, 1)).alias("late"))
    return counted if options.late == "rows" else counted.where(~is_late)


def with_watermark(df: DataFrame, plan: AggregationPlan, delay: int | None) -> DataFrame:
    """The stream with a watermark on its time; an error says what the stream lacks."""
    name, kind = plan.time, plan.types[plan.time]
    if not isinstance(kind, TimestampType):
        raise InvalidInputError(
            f"the time {name!r} of a stream must be a timestamp, not {kind.simpleString()}: "
            "Spark has watermarks on timestamps only"
        )
    provider = df.sparkSession.conf.get(STATE_STORE_PROVIDER, "")
    if provider != ROCKS:
        raise InvalidInputError(
            f"set {STATE_STORE_PROVIDER} to {ROCKS}, not {provider!r}: a stateful processor needs "
            "its timers and map states"
        )
    in_metadata = WATERMARK_METADATA in column_metadata(df.schema, name)
    existing = has_watermark(df) if in_metadata else False
    if existing and delay is not None:
        raise InvalidInputError(f"{name!r} has a watermark already: leave out watermark=")
    if existing is not False and delay is None:
        return df
    if delay is None:
        raise InvalidInputError(
            "a stream needs a watermark, or no window would ever be complete: set how much later "
            "than others a row may come, such as watermark='10 seconds'"
        )
    return df.withWatermark(in_backticks(name), f"{delay_in_millis(delay)} milliseconds")


def delay_in_millis(delay: int) -> int:
    """A delay in microseconds as Spark keeps it, rounded up: no row is late before its time.

    >>> delay_in_millis(1500), delay_in_millis(0)
    (2, 0)
    """
    return -(-delay // MICROS_PER_MILLI)


def column_metadata(schema: StructType, name: str) -> dict[str, object]:
    """Spark's metadata of a column."""
    return dict(schema[name].metadata or {})


def analyzed_plan(df: DataFrame) -> str | None:
    """The plan of a DataFrame as text; None with Spark Connect, where the server has it."""
    classic = getattr(df, "_jdf", None)
    return None if classic is None else str(classic.queryExecution().analyzed().toString())


def check_not_chained(df: DataFrame) -> None:
    """Refuse a stream over the result of another call in the same query."""
    if OUR_PROCESSOR.search(analyzed_plan(df) or ""):
        raise InvalidInputError(
            "this stream comes from the result of another aggregate() in the same query, and "
            "neither would ever emit a row, for Spark takes the least of both watermarks: write "
            "the first result to a table, files or a topic, and aggregate a stream that reads it"
        )


def has_watermark(df: DataFrame) -> bool | None:
    """Whether a stream has a watermark; None if its plan can't be seen.

    The metadata of a column may come from a file, and show a watermark where there is none.
    """
    plan = analyzed_plan(df)
    return None if plan is None else WATERMARK_NODE.search(plan) is not None
