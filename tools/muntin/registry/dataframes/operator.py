"""Those that answer a whole DataFrame as operators, for `muntin replay`: of one step, the last.

Spark is started for the step, on this machine.
"""

from collections.abc import Hashable, Iterator

from pyspark.sql import SparkSession

from muntin.registry.dataframes.engines import VIEWS, refusal
from muntin.registry.dataframes.generated_rows import given
from muntin.registry.dataframes.session import session
from muntin.spec.errors import UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query, Result, Settings
from muntin.spec.stream import END, Step


class DataFrameOperator(Operator):
    """Takes a step that ends the stream, and no other."""

    def __init__(self, name: str, settings: Settings) -> None:
        """Start without queries."""
        self._name, self._settings = name, settings
        self._queries: dict[str, Query] = {}

    def add(self, query: Query) -> None:
        """Ask a query, if it can be put."""
        if why := refusal(self._name, query, self._settings.dialect):
            raise UnsupportedError(f"query {query.id!r}: {why}")
        self._queries[query.id] = query

    def remove(self, name: str) -> None:
        """Ask a query no more."""
        del self._queries[name]

    def take(self, step: Step, /) -> Output:
        """Answer all rows at once."""
        if step.watermark != END:
            raise UnsupportedError(
                f"{self._name} answers a whole DataFrame: one step, whose watermark is 'end'"
            )
        if not step.events or not self._queries:
            return Output()
        with session("local[1]") as spark:
            spark.conf.set("spark.sql.shuffle.partitions", "1")
            order = {name: nth for nth, name in enumerate(self._queries)}
            found = sorted(
                self._results(spark, step), key=lambda one: (one.end, one.start, order[one.query])
            )
        return Output(tuple(found))

    def _results(self, spark: SparkSession, step: Step) -> Iterator[Result]:
        keys = list[Hashable](dict.fromkeys(event.key for event in step.events))
        number = {key: nth for nth, key in enumerate(keys)}
        rows = [(number[event.key], event.time, event.value) for event in step.events]
        asked = [*self._queries.values()]
        view = VIEWS[self._name](given(spark, rows), asked, self._settings.dialect)
        for row in view.collect():
            value = row["real"] if row["exact"] is None else row["exact"]
            key = keys[int(row["key"])]
            yield Result(row["query"], key, row["start"], row["end"], value, "new", 0)
