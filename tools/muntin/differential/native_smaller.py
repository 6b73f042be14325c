"""Traces on which those differ that answer all rows at once, made small: many are one job."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from muntin.conformance.transcript.model import OperatorTranscript
from muntin.differential.comparison import view_differs
from muntin.differential.equality import View, tolerance
from muntin.differential.implementation import attempt
from muntin.differential.plan import SPEC, DiffPlan
from muntin.differential.shrinking import Mismatch, described, smallest, wrong_transcript
from muntin.differential.spark.remote import Row, native_view
from muntin.differential.tally import Wrong
from muntin.spec.dialect import Dialect
from muntin.spec.query import Query
from muntin.spec.stream import END, Event

if TYPE_CHECKING:
    from muntin.registry.dataframes.session import Session

TOGETHER = 100
"""How many candidates are one job."""
BESIDE = "beside the rows of other keys, and not alone: the seed and the command show it again"


class NativeShrinker:
    """Asks one of them about traces that are one batch each."""

    def __init__(self, spark: "Session", plan: DiffPlan, name: str, dialect: Dialect) -> None:
        """Take the session, the queries, who is asked, and in which dialect."""
        self._spark, self._plan, self._name, self._dialect = spark, plan, name, dialect

    def mismatch(self, wrong: Wrong) -> Mismatch:
        """Make the trace of a charge small."""
        small = smallest(wrong_transcript(wrong), self.first_wrong)
        what = self._differences([small])[0]
        return described(wrong, small, what or f"{wrong['what']} ({BESIDE})")

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
        for told, view in zip(traces, self._answers(traces), strict=True):
            within = tolerance(told.queries, [event.value for event in _events(told)])
            served = {query.id for query in self._served()}
            found.append(view_differs(attempt(SPEC, told), view, served, within))
        return found

    def _served(self) -> list[Query]:
        from muntin.registry.dataframes.engines import refusal  # noqa: PLC0415 - it is an extra

        asked = self._plan.queries()
        return [one for one in asked if not refusal(self._name, one, self._dialect)]

    def _answers(self, traces: Sequence[OperatorTranscript]) -> Iterator[View]:
        from muntin.registry.dataframes.engines import VIEWS  # noqa: PLC0415 - it is an extra
        from muntin.registry.dataframes.generated_rows import given  # noqa: PLC0415 - it is an extra

        rows = [
            (nth, event.time, event.value)
            for nth, told in enumerate(traces)
            for event in _events(told)
        ]
        self._spark.conf.set("spark.sql.shuffle.partitions", "1")  # few rows, and many jobs
        asked = {query.id for told in traces for query in told.queries}
        queries = [one for one in self._served() if one.id in asked]
        if not queries:
            return (View() for _ in traces)
        frame = VIEWS[self._name](given(self._spark, rows), queries, self._dialect)
        lines: dict[int, list[Row]] = {}
        for row in frame.collect():
            lines.setdefault(row["key"], []).append(row.asDict())
        return (native_view(lines.get(nth)) for nth in range(len(traces)))


def _events(told: OperatorTranscript) -> list[Event]:
    return [event for turn in told.turns for event in turn.step.events]
