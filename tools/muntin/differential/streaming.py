"""Spark's own windows over a stream of micro-batches, beside what the specification says of it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from muntin.differential.plan import DiffPlan
from muntin.differential.shrinking import Mismatch
from muntin.differential.spark.native_streams import Mode, NativeEmission
from muntin.differential.stream_expectations import (
    Batches,
    appended,
    arrivals,
    differing_batches,
    updated,
)
from muntin.differential.streams_smaller import stream_mismatch
from muntin.registry.dataframes.native_queries import NativeQuery, translated
from muntin.spec.query import Query

if TYPE_CHECKING:
    from muntin.registry.dataframes.session import Session

ROWS, KEYS, BATCH = 400, 4, 40
"""How long a stream is: the denotation judges all of it as one trace."""

Expected = Callable[[Query, Batches, int], list[set[NativeEmission]]]
EXPECTED: Mapping[Mode, Expected] = MappingProxyType({"append": appended, "update": updated})
"""What each mode has to tell after each step."""


@dataclass(frozen=True)
class StreamOutcome:
    """What came of one query in one mode; and the least stream on which it is wrong, if it is."""

    query: str
    mode: str
    batches: int
    told: int
    wrong: list[str]
    mismatch: Mismatch | None = None

    def __str__(self) -> str:
        """Say it in a line."""
        outcome = f"WRONG: {self.wrong[0]}" if self.wrong else "agrees"
        return (
            f"{self.query} in {self.mode} mode: {self.batches} micro-batches, "
            f"{self.told} windows told: {outcome}"
        )


@dataclass(frozen=True)
class StreamTrial:
    """A query in a mode of Spark, over a stream."""

    spark: "Session"
    query: Query
    native: NativeQuery
    mode: Mode
    delay: int

    def told(self, rows: Batches) -> list[list[NativeEmission]]:
        """Return what Spark tells in each micro-batch."""
        from muntin.differential.spark.streaming import NativeStream  # noqa: PLC0415 - it is an extra

        return NativeStream(self.native, self.delay, self.mode).run(self.spark, rows)

    def wrong(self, rows: Batches) -> list[str]:
        """Say what is wrong in which step."""
        return differing_batches(EXPECTED[self.mode](self.query, rows, self.delay), self.told(rows))

    def found(self, rows: Batches) -> StreamOutcome:
        """Return what comes of a stream, made small if it is wrong."""
        told = self.told(rows)
        wrong = differing_batches(EXPECTED[self.mode](self.query, rows, self.delay), told)
        least = None
        if wrong:
            least = stream_mismatch(self.query, self.mode, rows, self.delay, self.wrong)
        return StreamOutcome(self.query.id, self.mode, len(rows), sum(map(len, told)), wrong, least)


def judged(spark: "Session", plan: DiffPlan) -> Iterator[StreamOutcome]:
    """Run each query that Spark serves over one stream, in each mode that it has for it."""
    rows = arrivals(replace(plan, rows=ROWS, keys=KEYS, batch=BATCH))
    for query in plan.queries():
        native = translated(query)
        if isinstance(native, str):
            continue
        modes: list[Mode] = ["append", "update"] if native.slide else ["append"]
        for mode in modes:  # Spark refuses update mode for sessions
            yield StreamTrial(spark, query, native, mode, plan.delay).found(rows)
