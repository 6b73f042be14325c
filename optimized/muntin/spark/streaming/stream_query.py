"""Streaming: rows go to buckets packed, and what these say is unpacked."""

from dataclasses import dataclass, replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import StructType, TimestampType

from muntin.spark.call.durations import Duration, micros
from muntin.spark.call.query_plan import AggregationPlan, Late
from muntin.spark.call.window_arguments import check_length
from muntin.spark.execution.repartition import in_backticks
from muntin.spark.session import ROCKS
from muntin.spark.streaming.output_rows import LATE
from muntin.spark.streaming.output_transport import from_transport, transport_schema
from muntin.spark.streaming.processor import MILLI, Processor
from muntin.spark.streaming.shuffle_payload import ShuffleEncoder, check_bucket_count
from muntin.spark.streaming.watermark_checks import check_not_chained, has_watermark
from muntin.spec.errors import InvalidInputError

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
DELAY = "spark.watermarkDelayMs"
LATES = ("count", "rows")


@dataclass(frozen=True)
class StreamQuery:
    """How a stream is run: delay of the watermark, late rows, buckets."""

    watermark: Duration | None
    late: Late
    buckets: int

    def __post_init__(self) -> None:
        """Refuse what no stream can be run by, in batch too: one call serves both."""
        if self.late not in LATES:
            raise InvalidInputError(f"late must be one of {LATES}, not {self.late!r}")
        delay = 0 if self.watermark is None else micros(self.watermark)
        if delay < 0:
            raise InvalidInputError(
                f"watermark={self.watermark!r} is below zero: it says how much later than others "
                "a row may come"
            )
        check_length(delay, f"watermark={self.watermark!r}")
        check_bucket_count(self.buckets)


def in_streaming(df: DataFrame, plan: AggregationPlan, how: StreamQuery, metrics: str) -> DataFrame:
    """Return lines as they come: windows that are new, updated, retracted; and late rows."""
    check_not_chained(df)
    packing = ShuffleEncoder(replace(plan, late=how.late), how.buckets)
    packed = packing.packed(watermarked(df, plan, how.watermark)).groupBy("bucket")
    mode = "Append" if plan.settings.output == "final" else "Update"
    run = getattr(packed, "transformWithStateInPandas")  # noqa: B009 - it is half typed
    schema = packing.plan.schema()
    said: DataFrame = run(Processor(packing), transport_schema(schema), mode, "EventTime")
    answer = from_transport(said, schema)
    late = f.col("kind") == LATE
    counted = answer.observe(metrics, f.count(f.when(late, 1)).alias("late"))
    return counted if how.late == "rows" else counted.where(~late)


def watermarked(df: DataFrame, plan: AggregationPlan, delay: Duration | None) -> DataFrame:
    """Return a stream with a watermark on its time, or say what it lacks."""
    name, kind = plan.time, plan.types[plan.time]
    if not isinstance(kind, TimestampType):
        raise InvalidInputError(
            f"the time {name!r} of a stream must be a timestamp, not {kind.simpleString()}: "
            "Spark has watermarks on timestamps only"
        )
    provider = df.sparkSession.conf.get(PROVIDER, "")
    if provider != ROCKS:
        raise InvalidInputError(f"set {PROVIDER} to {ROCKS}: state like this needs it")
    there = has_watermark(df) if DELAY in metadata(df.schema, name) else False
    if there and delay is not None:
        raise InvalidInputError(f"{name!r} has a watermark already: leave out watermark={delay!r}")
    if there is not False and delay is None:
        return df
    if delay is None:
        raise InvalidInputError(
            "a stream needs a watermark, or no window would ever be complete: say how much later "
            "than others a row may come, such as watermark='10 seconds'"
        )
    return df.withWatermark(in_backticks(name), f"{whole_millis(delay)} milliseconds")


def whole_millis(delay: Duration) -> int:
    """Return a delay in milliseconds, as Spark keeps it, rounded up: none is late before its time.

    >>> whole_millis(1500), whole_millis("2 seconds"), whole_millis(0)
    (2, 2000, 0)
    """
    return -(-micros(delay) // MILLI)


def metadata(schema: StructType, name: str) -> dict[str, object]:
    """Return what Spark notes of a column."""
    return dict(schema[name].metadata or {})
