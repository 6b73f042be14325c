"""A plan held against the DataFrame that it is for, before any job starts."""

from pyspark.sql import DataFrame

from muntin.spark.call.column_checks import kept
from muntin.spark.call.query_plan import Plan
from muntin.spark.call.window_inputs import looks
from muntin.spec.errors import InvalidInputError

CASE = "spark.sql.caseSensitive"


def fitting(plan: Plan, df: DataFrame) -> None:
    """Refuse columns that are there twice, that nothing looks at, that a stream can't keep."""
    once(plan, df)
    looks(plan)
    if df.isStreaming:
        kept(plan)


def once(plan: Plan, df: DataFrame) -> None:
    """Refuse a name that is, to Spark, that of several columns, as after a join."""
    sensitive = df.sparkSession.conf.get(CASE, "false") == "true"
    names = [name if sensitive else name.lower() for name in df.columns]
    for name in plan.read:
        if names.count(name if sensitive else name.lower()) > 1:
            alike = [one for one in df.columns if one.lower() == name.lower()]
            raise InvalidInputError(
                f"the DataFrame has several columns {name!r} to Spark: {', '.join(alike)}; "
                "rename them, or select one"
            )
