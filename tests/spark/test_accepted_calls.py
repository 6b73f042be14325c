"""Unusual calls that are accepted: keys of all types, names that run into each other."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from muntin.columnar import windows
from muntin.columnar.aggregate_requests import AggregateSpec
from muntin.columnar.arguments import InputColumns
from muntin.columnar.embedding import catalogued
from muntin.columnar.embedding.window_engine import query_ids
from muntin.spark import ReplaySource, aggregate
from muntin.spark.call.window_arguments import serialize_windows
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.query import DEFAULTS
from muntin.spec.windows.data_driven import Punctuation
from muntin.spec.windows.frames import State
from muntin.spec.windows.measure import TIME, Measure, Timeline
from muntin.spec.windows.periodic import PeriodicWindow, count, tumbling
from muntin.spec.windows.window import Interval
from spark_support.frames import SECOND, compare, timed
from spark_support.tables import collected, plan_of

KEYS = {
    "string": "k",
    "byte": "cast(v % 100 as byte)",
    "double": "cast(v as double)",
    "decimal": "cast(v as decimal(9, 2))",
    "boolean": "v > 2",
    "binary": "cast(k as binary)",
    "date": "date_add(date '2024-01-01', cast(v as int))",
    "timestamp": "ts",
    "ntz": "cast(ts as timestamp_ntz)",
}
AGGREGATES: Mapping[str, AggregateSpec] = {"n": "count", "sum": ("sum", "v")}
STRATEGIES: Mapping[str, windows.TableWindow] = {
    "apart": windows.tumbling(10 * SECOND),
    "group-by": windows.sliding(20 * SECOND, 10 * SECOND),
    "kernels": windows.session(SECOND),
    "records": windows.rolling(SECOND),
}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_accepts_keys_of_these_types(spark: SparkSession, strategy: str) -> None:
    df = timed(spark, [("a", 1, 2), ("b", 3, 5)]).withColumns(
        {name: f.expr(made) for name, made in KEYS.items()}
    )
    kinds = {"w": STRATEGIES[strategy]}
    answer = aggregate(df, windows=kinds, aggregates=AGGREGATES, keys=list(KEYS))
    one = aggregate(df, windows=kinds, aggregates=AGGREGATES, keys="k")
    compare(
        answer.select("start", "end", "string", "n", "sum"),
        one.select("start", "end", "k", "n", "sum"),
    )
    assert {tuple(row) for row in collected(answer.select(*KEYS))} == {
        tuple(row) for row in collected(df.select(*KEYS))
    }


def test_names_that_run_into_each_other_are_distinguished(spark: SparkSession) -> None:
    df = timed(spark, [("a", s, s) for s in range(6)])
    answer = aggregate(
        df,
        windows={"a": count(2), "a b": count(3)},
        aggregates={"b c": "count", "c": ("sum", "v")},
    )
    rows = Counter(collected(answer.select("window", "b c", "c")))
    assert rows == Counter([("a", 2, 1), ("a", 2, 5), ("a", 2, 9), ("a b", 3, 3), ("a b", 3, 12)])


@dataclass(frozen=True)
class Bells(PeriodicWindow):
    """A window between any two bells: its parameters have names that other types use too."""

    at: tuple[int, ...]
    offset: int | None = None
    every: int = 2**70
    measure: Measure = TIME
    type_name = "bells"

    def intervals(self, line: Timeline, /) -> list[Interval]:
        del line
        return [Interval(a, b) for a, b in pairwise(self.at)]


def test_parameters_of_own_window_types_have_no_bounds() -> None:
    (sent,) = serialize_windows({"bells": Bells((1, 5, 9))})
    assert sent.kind() == Bells((1, 5, 9))


def test_ids_of_queries_stay_as_checkpoints_have_them() -> None:
    aggregates = {name: catalogued("sum") for name in ("n", "s")}
    ids = query_ids({"w": tumbling(2), "x y": count(3)}, aggregates)
    assert list(ids.values()) == ["w n", "w s", "x y n", "x y s"]


def test_columns_for_late_rows_are_dropped_in_batch_where_no_window_looks_at_them() -> None:
    reads = InputColumns("t", ("k",), extra=("s",))
    own = Punctuation(lambda event: event.value == "x")
    for kind, dropped in ((tumbling(2), True), (State(), False), (own, False)):
        plan = plan_of({"w": kind}, {"n": "count"}, DEFAULTS, reads)
        assert plan.without_late_columns().values == (() if dropped else ("s",))


def test_columns_for_late_rows_cost_nothing_in_batch(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    df, kinds = timed(spark, [("a", 1, 2), ("a", 2, 5)]), [windows.tumbling(10 * SECOND)]
    answer = aggregate(df, windows=kinds, aggregates={"n": "count"}, columns="k")
    answer.explain()
    assert "MapInArrow" not in capsys.readouterr().out
    assert collected(answer.select("n")) == [(2,)]


@pytest.mark.parametrize("strategy", ["group-by", "records"])
def test_keys_and_columns_of_these_types_are_kept_by_streams(
    spark: SparkSession, strategy: str
) -> None:
    """Two micro-batches, so that state is read again; the result is that of batch."""
    spark.dataSource.register(ReplaySource)
    options = {"rows": "40", "keys": "2", "step": "1000000", "delay": "0", "rows_per_trigger": "20"}
    kept = {name: f.expr(one) for name, one in KEYS.items() if name != "decimal"}
    names = [one for one in kept if one not in ("timestamp", "ntz")]
    stream, batch = (
        aggregate(
            reader.format("muntin-replay")
            .options(**options)
            .load()
            .withColumn("k", f.expr("cast(key as string)"))
            .withColumns(kept),
            windows={"w": STRATEGIES[strategy]},
            aggregates=AGGREGATES,
            keys=names,
            columns=list(kept) if strategy == "records" else (),
            watermark="1 second",
            output="final",
            late="rows",
            buckets=1,
            metrics=f"kept {strategy}",
        ).drop("late")
        for reader in (spark.readStream, spark.read)
    )
    table = f"kept_{strategy.replace('-', '_')}"
    query = stream.writeStream.format("memory").queryName(table).outputMode("append")
    query.trigger(availableNow=True).start().awaitTermination()
    emitted = {*collected(spark.table(table))}
    assert emitted
    assert emitted <= {*collected(batch.select(*stream.columns))}


@pytest.mark.parametrize(
    ("strategy", "type_of"), [("count", "struct <a:int>"), ("tumbling", "`a` int")]
)
def test_a_struct_of_one_field_is_a_type(spark: SparkSession, strategy: str, type_of: str) -> None:
    def held(v: int) -> tuple[int]:  # in here, or Spark would look for this module on its workers
        return (v,)

    plus = Aggregate("plus", int, Monoid(0, int.__add__), held, True, "algebraic")  # noqa: FBT003
    kinds = {"w": count(2) if strategy == "count" else windows.tumbling(10 * SECOND)}
    df = timed(spark, [("a", 1, 2), ("a", 2, 5)])
    answer = aggregate(df, windows=kinds, aggregates={"s": (plus, "v", type_of)})
    assert answer.schema["s"].dataType.simpleString() == "struct<a:int>"
    assert collected(answer.select("s.a")) == [(7,)]
