"""The one call: windows over a DataFrame, in batch or in streaming."""

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame

from muntin.spark.batch import in_batch
from muntin.spark.checking import Reads, Windows, planned
from muntin.spark.durations import Duration, micros
from muntin.spark.plan import Late
from muntin.spark.streaming import Streaming, in_streaming
from muntin.spark.wanted import Asked
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.query import Mode, Settings


def aggregate(  # noqa: PLR0913 - all but the first are named, and most are seldom said
    df: DataFrame,
    *,
    windows: Windows,
    aggregates: Mapping[str, Asked],
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
    buckets: int = 16,
    metrics: str = "muntin",
) -> DataFrame:
    """Return a line for each window of each key that came, changed or went.

    A line has the id and the type of the window, its start and end, the keys, a column for each
    aggregate, the kind of news and the revision. In batch each window is new, once. What the
    arguments mean: docs/spark.md.
    """
    names = (keys,) if isinstance(keys, str) else tuple(keys)
    reads = Reads(time, names, tuple(columns), gap, mark)
    settings = Settings(micros(allowed_lateness), output, dialect=dialect)
    plan = planned(df.schema, reads, windows, aggregates, settings)
    if not df.isStreaming:
        return in_batch(df, plan)
    return in_streaming(df, plan, Streaming(watermark, late, buckets, metrics))
