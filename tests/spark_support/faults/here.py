"""The query of the tests of faults in a session that is there, and how it is refused."""

from importlib import import_module
from pathlib import Path

from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from muntin.spark import ReplaySource
from spark_support.faults.query import OPTIONS, answer_of

NOT_STARTED: type[Exception] = import_module("py4j.protocol").Py4JJavaError
"""What Spark raises where a query can't even start."""
REFUSED = StreamingQueryException, NOT_STARTED


def run(spark: SparkSession, folder: Path, rows: int, checkpoint: Path | None = None) -> None:
    """Run the query in this session, as far as there are rows."""
    started(spark, folder, rows, checkpoint).awaitTermination()


def started(
    spark: SparkSession, folder: Path, rows: int, checkpoint: Path | None = None
) -> StreamingQuery:
    """Start the query, which ends where there are no more rows."""
    spark.dataSource.register(ReplaySource)
    options = {**OPTIONS, "rows": str(rows)}
    answer = answer_of(spark.readStream.format("muntin-replay").options(**options).load())
    writer = answer.writeStream.format("parquet").option("path", str(folder / "sink"))
    writer = writer.option("checkpointLocation", str(checkpoint or folder / "checkpoint"))
    return writer.outputMode("append").trigger(availableNow=True).start()
