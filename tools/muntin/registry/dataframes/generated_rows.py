"""Rows out of order that Spark makes alone: each follows from the seed and its number.

Their numbers are in the order of arrival. Keys take turns by chance; the time of a row trails its
arrival by a delay of the shapes that `muntin.differential.inputs.generated_traces` has, as far as
one row can tell without its neighbours. Streams have pauses, some times are below zero, and one
value in a hundred is null.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from muntin.registry.dataframes.traces import Frame

PACE, STRETCH, PAUSE = 7, 700, 240
"""How far apart the rows of a key are on average; how long they come, and how long they do not."""
STARTS = (0, -400, 1_371_000_000)
"""Where the times of a key begin."""
FLUSH = 84
"""How long a device keeps what it has to tell."""

Draw = Callable[[int, int], Column]
"""A number below another, at random for each row: by which draw of the row, and by the bound."""
Delay = Callable[[Draw], Column]


def _none(_: Draw) -> Column:
    return F.lit(0)


def _uniform(draw: Draw) -> Column:
    """Delay every fifth row by up to two minutes."""
    return F.when(draw(3, 5) == 0, draw(4, 120) + 1).otherwise(0)


def _heavy(draw: Draw) -> Column:
    """Delay all rows a little, and few of them by very much."""
    tail = F.floor(2000 / (1 + draw(4, 2000)))
    return F.when(draw(3, 2) == 0, F.least(tail, F.lit(2000))).otherwise(0)


def _flush(draw: Draw) -> Column:
    """Let all rows be told of at the end of a stretch."""
    return draw(4, FLUSH)


DELAYS: Mapping[str, Delay] = {
    "none": _none,
    "uniform": _uniform,
    "heavy": _heavy,
    "flush": _flush,
}


@dataclass(frozen=True)
class GeneratedRows:
    """So many rows of some keys, by a seed and the name of a shape; or each key has its own."""

    rows: int
    keys: range
    seed: int
    disorder: str

    def frame(self, spark: SparkSession, tasks: int) -> DataFrame:
        """Return `key`, `id`, `t` and `v`, in the order of arrival."""

        def drawn(name: str, nth: int, below: int) -> Column:
            number = F.xxhash64(F.lit(self.seed), F.lit(nth), name)
            return F.pmod(number, F.lit(below))

        def draw(nth: int, below: int) -> Column:
            return drawn("id", nth, below)

        first = self.keys.start * 2**40
        ids = spark.range(first, first + self.rows, 1, tasks)
        keyed = ids.select("id", (draw(0, len(self.keys)) + self.keys.start).alias("key"))
        arrival = F.floor((F.col("id") - first) * PACE / len(self.keys)) + drawn("key", 5, STRETCH)
        paused = arrival + F.floor(arrival / STRETCH) * PAUSE
        start = F.element_at(F.array(*map(F.lit, STARTS)), (drawn("key", 6, 3) + 1).cast("int"))
        shape, known = drawn("key", 7, len(DELAYS)), DELAYS.get(self.disorder)
        each = [F.when(shape == nth, one(draw)) for nth, one in enumerate(DELAYS.values())]
        delay = known(draw) if known else F.coalesce(*each)
        time = (start + paused - delay).cast("bigint")
        value = F.when(draw(1, 100) != 0, draw(2, 1100) - 100)
        return keyed.select("key", "id", time.alias("t"), value.alias("v"))


def traces(rows: DataFrame) -> Frame:
    """Return the rows of each key as one trace: `key`, `nth`, `t` and `v`, and all are on time."""
    each = F.array_sort(F.collect_list(F.struct("id", "t", "v")))
    listed = rows.groupBy("key").agg(each.alias("l"))
    ok = F.expr("transform(l, one -> true)")
    parts = (F.col("l.t").alias("t"), F.col("l.v").alias("v"), ok.alias("ok"))
    return listed.select(F.col("key").cast("string"), F.col("key").alias("nth"), *parts)


def given(spark: SparkSession, rows: Sequence[tuple[int, int, object]]) -> DataFrame:
    """Return rows that the driver has, by key, time and value, with all of a key in one place."""
    number = "double" if any(isinstance(value, float) for *_, value in rows) else "bigint"
    numbered = [(key, nth, time, value) for nth, (key, time, value) in enumerate(rows)]
    schema = f"key bigint, id bigint, t bigint, v {number}"
    made = spark.createDataFrame(numbered, schema)  # pyright: ignore[reportUnknownMemberType]  # pandas has no types
    return made.repartition("key")
