"""Each strategy of making slices on Spark: the denotation, and what the plan shows."""

import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from muntin.columnar import windows
from muntin.columnar.aggregate_requests import AggregateSpec
from muntin.kernels.slicing.custom import compiled_aggregate
from muntin.spark import aggregate
from muntin.spec.windows.data_driven import Rolling, Session
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding, tumbling
from muntin.spec.windows.window import WindowType
from spark_support.frames import SECOND, compare, random_rows, timed
from spark_support.tables import SCHEMA, answered, frame_of, in_batch, plan_of, same
from spark_support.tables import Row as Values
from spark_support.user_aggregates import WEIGHED

ASK: Callable[..., DataFrame] = aggregate
"""The call, with arguments that no type checker knows."""
IN_THE_JVM: dict[str, AggregateSpec] = {
    "rows": "count",
    "n": ("count", "w"),
    "sum": ("sum", "v"),
    "long": ("sum", "g"),
    "real": ("sum", "w"),
    "ratio": ("mean", "w"),
    "low": ("min", "w"),
    "high": ("max", "v"),
}
"""Aggregates that Spark's own expressions compute."""


def jobs(answer: DataFrame) -> list[str]:
    """The steps of the physical plan, from the rows on: group-bys, workers and exchanges."""
    plan = str(getattr(answer, "_jdf").queryExecution().executedPlan())  # noqa: B009 - it is private
    return re.findall(r"HashAggregate|MapInArrow|Exchange", plan)[::-1]


GROUP = ["HashAggregate", "Exchange", "HashAggregate"]
WORKERS = ["MapInArrow", "Exchange", "MapInArrow"]


@pytest.mark.parametrize(
    ("windows", "more", "how"),
    [
        ([tumbling(3)], {}, GROUP),
        ([Sliding(2, 5, 1)], {}, GROUP),
        ([tumbling(3)], {"exact": ("mean", "v")}, [*GROUP, "Exchange", "MapInArrow"]),
        ([Band(0, 9), Landmark(-3, 7)], {}, [*GROUP, "Exchange", "MapInArrow"]),
        ([Sliding(9, 4, 1), Cumulate(6, 2), Session(3)], {}, [*GROUP, "Exchange", "MapInArrow"]),
        ([Session(3), Session(7)], {"spread": ("var_pop", "v")}, WORKERS),
        ([Session(3)], {"last": ("last", "v")}, WORKERS),
        ([tumbling(3)], {"m4": ("m4", "v")}, WORKERS),
        ([Rolling(3)], {}, ["Exchange", "MapInArrow"]),
    ],
)
def test_each_strategy_of_making_slices(
    spark: SparkSession, windows: list[WindowType], more: dict[str, AggregateSpec], how: list[str]
) -> None:
    rows = random_rows(9, 70)
    nan: Values = ("a", 0, 4, 3, float("nan"), None, 2**62 - 1, False)
    rows += [nan, (*nan[:4], -0.5, None, 2**62 - 1, True)]
    rows += [(*nan[:6], -(2**62), True)] * 2  # in all -2: the upper half borrows
    named = {f"w{nth}": one for nth, one in enumerate(windows)}
    aggregates = {**IN_THE_JVM, **more}
    df = frame_of(spark, rows, SCHEMA)
    answer = aggregate(df, time="t", keys=["k", "j"], windows=named, aggregates=aggregates)
    assert jobs(answer) == how
    plan = plan_of(named, aggregates)
    assert same(answered(plan, answer), in_batch(plan, rows))


def test_clocks_and_small_numbers_are_values_too(spark: SparkSession) -> None:
    small = [
        "tinyint(v) b",
        "smallint(v) s",
        "float(v) f",
        "date_add(DATE '2024-01-01', v) d",
        "ts",
    ]
    df = timed(spark, [("a", 1, 4), ("a", 2, -6), ("b", 11, 5), ("a", 25, 1)])
    aggregates = {f"{how} {of}": (how, of) for how in ("min", "max") for of in "bsfd"}
    aggregates |= {f"sum {of}": ("sum", of) for of in "bsf"} | {"first": ("min", "ts")}
    given = df.selectExpr("k", *small)
    known = {"w": windows.tumbling(10 * SECOND)}
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    more = {"other": windows.band(epoch, epoch + SECOND)}
    whole, part = (
        ASK(given, keys="k", windows=kinds, aggregates=aggregates)
        for kinds in (known, known | more)
    )
    plain = given.groupBy("k", f.window("ts", "10 seconds").start).agg(
        *(getattr(f, label.split()[0])(one[1]) for label, one in aggregates.items())
    )
    assert (jobs(whole), jobs(part)) == (GROUP, [*GROUP, "Exchange", "MapInArrow"])
    rest = part.where("window = 'w'")
    for answer in (whole, rest):
        compare(answer.select("k", "start", *(f"`{label}`" for label in aggregates)), plain)
    assert whole.schema.simpleString() == part.schema.simpleString()


@pytest.mark.parametrize(
    ("how", "before"), [("sum", "HashAggregate"), ("var_pop", "MapInArrow"), ("own", "MapInArrow")]
)
def test_skewed_keys_do_not_fall_on_one_task(spark: SparkSession, how: str, before: str) -> None:
    df = spark.range(0, 20_000, 1, 4).selectExpr("0 AS k", "timestamp_millis(id) AS ts", "id AS v")
    own = (compiled_aggregate(WEIGHED, commutative=True), "v", "v", "double")
    each: AggregateSpec = own if how == "own" else (how, "v")
    kinds = [windows.sliding(10 * SECOND, 5 * SECOND)]
    answer = aggregate(df, keys="k", windows=kinds, aggregates={"a": each})
    assert jobs(answer)[:2] == [before, "Exchange"]
    if how == "sum":
        values = [sum(range(max(0, at), at + 10_000)) for at in range(-5000, 10_001, 5000)]
        values.append(sum(range(15_000, 20_000)))
        assert sorted(row["a"] for row in answer.collect()) == sorted(values)
