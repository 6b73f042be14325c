"""Sketches are aggregates like others: in batch on Spark, and between micro-batches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from muntin.columnar.aggregate_requests import AggregateSpec
from muntin.spark import aggregate
from muntin.spec.query import Settings
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding, count
from muntin.spec.windows.window import WindowType
from spark_support.frames import random_rows
from spark_support.micro_batches import MicroBatch, check_micro_batches
from spark_support.tables import SCHEMA, answered, frame_of, in_batch, plan_of, rows, same

SKETCHES: dict[str, AggregateSpec] = {
    "hll": ("hll", "v"),
    "theta": ("theta", "s"),
    "kll": ("kll(50)", "w"),
    "countmin": ("countmin(1)", "v"),
    "n": "count",
}
WINDOWS: dict[str, WindowType] = {"slide": Sliding(9, 4, 1), "visit": Session(3), "five": count(5)}


def test_sketches_in_batch(spark: SparkSession) -> None:
    input_rows = random_rows(5, 60)
    df = frame_of(spark, input_rows, SCHEMA)
    answer = aggregate(df, time="t", keys=["k", "j"], windows=WINDOWS, aggregates=SKETCHES)
    plan = plan_of(WINDOWS, SKETCHES)
    assert [one.type.simpleString() for one in plan.aggregates] == [
        *["double"] * 3,
        *["bigint"] * 2,
    ]
    assert same(answered(plan, answer), in_batch(plan, input_rows))


@given(st.lists(st.tuples(rows(5), st.integers(0, 15)), min_size=1, max_size=4))
@pytest.mark.usefixtures("one_unit_is_a_millisecond")
def test_sketches_between_micro_batches(trace: list[MicroBatch]) -> None:
    check_micro_batches(plan_of(WINDOWS, SKETCHES, Settings(3)), trace)
