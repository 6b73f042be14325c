"""A plan held against the DataFrame that it is for, before any job starts."""

from pyspark.sql import DataFrame

from muntin.spark.call.column_checks import check_state_types
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.call.window_inputs import check_inputs
from muntin.spec.errors import InvalidInputError

CASE = "spark.sql.caseSensitive"


def check_columns(plan: AggregationPlan, df: DataFrame) -> None:
    """Refuse columns that are there twice, that nothing looks at, that a stream can't keep."""
    check_unambiguous(plan, df)
    check_inputs(plan)
    if df.isStreaming:
        check_state_types(plan)


def check_unambiguous(plan: AggregationPlan, df: DataFrame) -> None:
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
