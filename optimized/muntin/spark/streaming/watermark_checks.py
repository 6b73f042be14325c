"""A stream over the answer of another call, in one query: both would wait for each other.

Spark has one watermark in a query, the least of all: the second call waits for lines of the first,
and these for the watermark, which waits for the second. What the plan says decides, not marks on
columns: files keep these, and a stream of files that another query wrote is as good as any.
"""

import re

from pyspark.sql import DataFrame

from muntin.spec.errors import InvalidInputError

ANSWERED = re.compile(r"TransformWithStateInPySpark \w+\(bucket#\d+L?, payload#\d+\)")
"""The processor of a call, as the plan shows it: users may have processors of their own."""
WATCHED = re.compile(r"EventTimeWatermark ")


def analyzed_plan(df: DataFrame) -> str | None:
    """Return the plan of a DataFrame as text; None with Spark Connect, where the server has it."""
    ours = getattr(df, "_jdf", None)
    return None if ours is None else str(ours.queryExecution().analyzed().toString())


def check_not_chained(df: DataFrame) -> None:
    """Refuse a stream that comes from the answer of another call."""
    if ANSWERED.search(analyzed_plan(df) or ""):
        raise InvalidInputError(
            "this stream comes from the answer of another aggregate() in the same query, and "
            "neither would ever say anything, for Spark takes the least of both watermarks: write "
            "the first answer to a table, files or a topic, and aggregate a stream that reads it"
        )


def has_watermark(df: DataFrame) -> bool | None:
    """Whether a watermark is in a stream, or None if that can't be seen.

    Columns have a note of it, which files keep, and so may those of streams that have none.
    """
    plan = analyzed_plan(df)
    return None if plan is None else WATCHED.search(plan) is not None
