"""Rows with late events that Spark itself generates: each depends on the seed and its id alone.

Ids are in the order of arrival. The key of a row is random; its time is before its arrival by a
delay of the shapes that `muntin.differential.inputs.generated_traces` has, as far as one row can
have them without its neighbours. Streams have pauses, some times are below zero, and one value in a
hundred is null.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the usual name

from muntin.registry.dataframes.traces import Frame

PACE, ACTIVE, PAUSE = 7, 700, 240
"""The mean distance of the rows of a key, the length of an active phase, and that of a pause."""
STARTS = (0, -400, 1_371_000_000)
"""The first times of keys."""
FLUSH = 84
"""The longest time that a device buffers its rows."""

Draw = Callable[[int, int], Column]
"""A random number of each row, from the index of the draw and the upper bound."""
Delay = Callable[[Draw], Column]


def _none(_: Draw) -> Column:
    return F.lit(0)


def _uniform(draw: Draw) -> Column:
    """Delay every fifth row by up to two minutes."""
    return F.when(draw(3, 5) == 0, draw(4, 120) + 1).otherwise(0)


def _heavy(draw: Draw) -> Column:
    """Delay all rows a little, and a few by very much."""
    tail = F.floor(2000 / (1 + draw(4, 2000)))
    return F.when(draw(3, 2) == 0, F.least(tail, F.lit(2000))).otherwise(0)


def _flush(draw: Draw) -> Column:
    """Delay each row as if a device buffered it."""
    return draw(4, FLUSH)


DELAYS: Mapping[str, Delay] = {"none": _none, "uniform": _uniform, "heavy": _heavy, "flush": _flush}


@dataclass(frozen=True)
class GeneratedRows:
    """Rows of a range of keys, from a seed; with another disorder each key draws a shape."""

    rows: int
    keys: range
    seed: int
    disorder: str

    def frame(self, spark: SparkSession, tasks: int) -> DataFrame:
        """A frame of `key`, `id`, `t` and `v`, in the order of arrival."""

        def draw(index: int, below: int, by: str = "id") -> Column:
            return F.pmod(F.xxhash64(F.lit(self.seed), F.lit(index), by), F.lit(below))

        first = self.keys.start * 2**40
        ids = spark.range(first, first + self.rows, 1, tasks)
        keyed = ids.select("id", (draw(0, len(self.keys)) + self.keys.start).alias("key"))
        arrival = F.floor((F.col("id") - first) * PACE / len(self.keys)) + draw(5, ACTIVE, "key")
        paused = arrival + F.floor(arrival / ACTIVE) * PAUSE
        start = F.element_at(F.array(*map(F.lit, STARTS)), (draw(6, 3, "key") + 1).cast("int"))
        shape, chosen = draw(7, len(DELAYS), "key"), DELAYS.get(self.disorder)
        delays = enumerate(delay(draw) for delay in DELAYS.values())
        by_shape = (F.when(shape == index, delay) for index, delay in delays)
        delay = chosen(draw) if chosen else F.coalesce(*by_shape)
        time = (start + paused - delay).cast("bigint")
        value = F.when(draw(1, 100) != 0, draw(2, 1100) - 100)
        return keyed.select("key", "id", time.alias("t"), value.alias("v"))


def key_traces(rows: DataFrame) -> Frame:
    """The rows of each key as one trace: `key`, `number`, `t`, `v`, and `ok`: all are on time."""
    sorted_rows = F.array_sort(F.collect_list(F.struct("id", "t", "v")))
    listed = rows.groupBy("key").agg(sorted_rows.alias("l"))
    ok = F.expr("transform(l, row -> true)")
    parts = (F.col("l.t").alias("t"), F.col("l.v").alias("v"), ok.alias("ok"))
    return listed.select(F.col("key").cast("string"), F.col("key").alias("number"), *parts)


def frame_of(spark: SparkSession, rows: Sequence[tuple[int, int, object]]) -> DataFrame:
    """Rows of key, time and value from the driver, partitioned by key."""
    value_type = "double" if any(isinstance(value, float) for *_, value in rows) else "bigint"
    numbered = [(key, index, time, value) for index, (key, time, value) in enumerate(rows)]
    schema = f"key bigint, id bigint, t bigint, v {value_type}"
    frame = spark.createDataFrame(numbered, schema)  # pyright: ignore[reportUnknownMemberType]  # pandas has no types
    return frame.repartition("key")
