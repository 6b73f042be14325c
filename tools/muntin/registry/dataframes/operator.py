"""Engines on whole DataFrames as operators for `muntin replay`, which process one step only.

Spark is started for the step, on this machine.
"""

from collections.abc import Hashable, Iterator

from pyspark.sql import SparkSession

from muntin.registry.dataframes.engines import ENGINES, unsupported_reason
from muntin.registry.dataframes.generated_rows import frame_of
from muntin.registry.dataframes.session import session
from muntin.spec.errors import UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query, Result, Settings
from muntin.spec.stream import END, Step


class DataFrameOperator(Operator):
    """An operator that accepts a step that ends the stream, and no other."""

    def __init__(self, name: str, settings: Settings) -> None:
        """Start without queries."""
        self._name, self._settings = name, settings
        self._queries: dict[str, Query] = {}

    def add(self, query: Query) -> None:
        """Register a query that the engine supports."""
        if why := unsupported_reason(self._name, query, self._settings.dialect):
            raise UnsupportedError(f"query {query.id!r}: {why}")
        self._queries[query.id] = query

    def remove(self, name: str) -> None:
        """Remove a query."""
        del self._queries[name]

    def take(self, step: Step, /) -> Output:
        """Evaluate all rows at once."""
        if step.watermark != END:
            raise UnsupportedError(
                f"{self._name} evaluates a whole DataFrame: one step, whose watermark is 'end'"
            )
        if not step.events or not self._queries:
            return Output()
        with session("local[1]") as spark:
            spark.conf.set("spark.sql.shuffle.partitions", "1")
            order, results = [*self._queries], self._results(spark, step)
            rows = sorted(results, key=lambda row: (row.end, row.start, order.index(row.query)))
        return Output(tuple(rows))

    def _results(self, spark: SparkSession, step: Step) -> Iterator[Result]:
        keys = list[Hashable](dict.fromkeys(event.key for event in step.events))
        numbers = {key: number for number, key in enumerate(keys)}
        rows = [(numbers[event.key], event.time, event.value) for event in step.events]
        queries = [*self._queries.values()]
        frame = frame_of(spark, rows)
        windows = ENGINES[self._name](frame, queries, self._settings.dialect)
        for row in windows.collect():
            value = row["real"] if row["exact"] is None else row["exact"]
            key = keys[int(row["key"])]
            yield Result(row["query"], key, row["start"], row["end"], value, "new", 0)
