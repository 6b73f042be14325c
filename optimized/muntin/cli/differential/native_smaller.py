"""Traces on which Spark differs, made small: many candidates are one job of Spark."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from muntin.cli.differential.contender import attempt
from muntin.cli.differential.driving import native_queries
from muntin.cli.differential.judge import native_differs
from muntin.cli.differential.plan import SPEC, Plan
from muntin.cli.differential.remote import native_view
from muntin.cli.differential.sameness import View, tolerance
from muntin.cli.differential.smaller import Mismatch, charged, described, smallest
from muntin.conformance.transcript import OperatorTranscript
from muntin.spec.stream import END, Event

if TYPE_CHECKING:
    from muntin.spark.differential.session import Session

TOGETHER = 100
"""How many candidates are one job."""


class NativeBench:
    """Asks Spark about traces that are one batch each."""

    def __init__(self, spark: "Session", plan: Plan, *, merge_at_gap: bool) -> None:
        """Take the session, the queries, and whether sessions are those that Spark has."""
        self._spark, self._plan, self._at_gap = spark, plan, merge_at_gap

    def mismatch(self, wrong: dict[str, str]) -> Mismatch:
        """Make the trace of a charge against Spark small."""
        small = smallest(charged(wrong), self.first_wrong)
        return described(wrong, small, self._differences([small])[0])

    def first_wrong(self, traces: Iterable[OperatorTranscript]) -> OperatorTranscript | None:
        """Return the first of these traces, as far as they are batches, on which Spark differs."""
        batches = iter([one for one in traces if self._is_batch(one)])
        while part := list(islice(batches, TOGETHER)):
            for one, difference in zip(part, self._differences(part), strict=True):
                if difference:
                    return one
        return None

    def _is_batch(self, told: OperatorTranscript) -> bool:
        ends = [turn.step.watermark for turn in told.turns]
        return ends == [END] and told.settings == self._plan.settings() and bool(told.queries)

    def _differences(self, traces: Sequence[OperatorTranscript]) -> list[str]:
        found = list[str]()
        for told, native in zip(traces, self._answers(traces), strict=True):
            within = tolerance(told.queries, [event.value for event in _events(told)])
            found.append(native_differs(told, attempt(SPEC, told), native, within))
        return found

    def _answers(self, traces: Sequence[OperatorTranscript]) -> Iterator[View]:
        from muntin.spark.differential.native import answers  # noqa: PLC0415 - it is an extra
        from muntin.spark.differential.traces import given  # noqa: PLC0415 - it is an extra

        rows = [
            {
                "key": str(nth),
                "nth": nth,
                "t": [event.time for event in _events(told)],
                "v": [event.value for event in _events(told)],
                "ok": [True for _ in _events(told)],
            }
            for nth, told in enumerate(traces)
        ]
        self._spark.conf.set("spark.sql.shuffle.partitions", "1")  # few rows, and many jobs
        asked = {query.id for told in traces for query in told.queries}
        queries = [one for one in native_queries(self._plan) if one.id in asked]
        frame = answers(given(self._spark, rows), queries, merge_at_gap=self._at_gap)
        views = {
            row["nth"]: native_view(row.asDict(recursive=True)["native"]) for row in frame.collect()
        }
        return (views[nth] for nth in range(len(traces)))


def _events(told: OperatorTranscript) -> list[Event]:
    return [event for turn in told.turns for event in turn.step.events]
