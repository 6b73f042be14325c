"""Comparison of whole DataFrames, by digests of their windows.

The specification, and operators that process one key at a time, answer the keys of their share.
Where digests of a key differ, its windows are compared one by one, and the specification decides
which implementation is wrong.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING

from muntin.conformance.transcript.model import OperatorTranscript
from muntin.differential.comparison import in_one_step, window_difference, wrong_trace
from muntin.differential.equality import WindowView, final_windows
from muntin.differential.implementation import run_trace, unsupported_queries
from muntin.differential.inputs.trace import KeyTrace
from muntin.differential.plan import SPEC, DiffPlan, Implementation
from muntin.differential.spark.driver import native_view, trace_of
from muntin.differential.tally import MAX_WRONG_TRACES, Tally
from muntin.registry.dataframes.engines import (
    ENGINES,
    Digest,
    answer_by_trace,
    digests,
    unsupported_reason,
    value_column,
)
from muntin.registry.dataframes.generated_rows import key_traces
from muntin.registry.dataframes.traces import MapRows, Row
from muntin.registry.implementations import DATAFRAME_NAMES, SPARK
from muntin.spec.query import Query

if TYPE_CHECKING:
    from muntin.registry.dataframes.traces import Frame


UNSTABLE = "its windows differed in the digest, and are right when computed again"


def unsupported_by(name: str, plan: DiffPlan) -> dict[str, str]:
    """The reason by query, for the queries that an implementation does not answer."""
    dialect, engine = plan.settings().dialect, name if name in DATAFRAME_NAMES else SPARK
    reasons = {query.id: unsupported_reason(engine, query, dialect) for query in plan.queries()}
    own = {} if name in DATAFRAME_NAMES else unsupported_queries(name, plan)
    return {query: why for query, why in reasons.items() if why} | own


def one_step(trace: KeyTrace, plan: DiffPlan) -> OperatorTranscript:
    """A trace as one step that ends the stream, as a DataFrame is."""
    return in_one_step(trace.transcript(plan), [True for _ in trace.times])


def answer_with(name: str, plan: DiffPlan) -> MapRows:
    """A function from traces to window rows, for executors: it runs an operator on each trace."""
    columns = {query.id: value_column(query) for query in plan.queries()}

    def answers(rows: Iterable[Row]) -> Iterator[Row]:
        for trace in map(trace_of, rows):
            run = run_trace(name, one_step(trace, plan), [*unsupported_by(name, plan)])
            for (query, start, end), value in final_windows(run.answers).items():
                window = {"key": trace.number, "query": query, "start": start, "end": int(end)}
                number = float(value) if isinstance(value, Fraction) else value
                yield window | {"exact": None, "real": None} | {columns[query]: number}

    return answers


@dataclass
class DataFrameAnswer:
    """The digests of one implementation on a chunk, by key and query."""

    implementation: Implementation
    queries: AbstractSet[str]
    digests: dict[tuple[int, str], Digest]
    seconds: float

    @property
    def windows(self) -> int:
        """The number of windows."""
        return sum(digest.windows for digest in self.digests.values())


class ChunkComparison:
    """All implementations on the rows of one chunk."""

    def __init__(self, rows: "Frame", plan: DiffPlan) -> None:
        """Persist the rows in the order of arrival, and again partitioned by key."""
        self._rows, self._plan = rows.persist(), plan
        self._keyed = self._rows.repartition("key").persist()

    def tally(self) -> Tally:
        """Run all implementations, compare, and count."""
        try:
            return self._tally()
        finally:
            self._keyed.unpersist()
            self._rows.unpersist()

    def _tally(self) -> Tally:
        answers = [self._answer(implementation) for implementation in self._plan.against]
        differing = differing_keys(answers)
        tally, attributed = Tally(refused=self._unsupported()), dict[int, set[str]]()
        for trace, wrong in self._examine(sorted(differing)[:MAX_WRONG_TRACES], answers):
            transcript = one_step(trace, self._plan)
            differences = wrong or dict.fromkeys(differing[trace.number], UNSTABLE)
            attributed[trace.number] = {*differences}
            for name, difference in differences.items():
                tally.add_wrong(wrong_trace(name, trace.key, difference, transcript))
        if differing:
            at_fault = {name for names in attributed.values() for name in names}
            answers.sort(key=lambda answer: answer.implementation.name in at_fault)
            differing = differing_keys(answers) | attributed
        for answer in answers:
            self._count(tally, answer, answers, differing)
        windows = max((answer.windows for answer in answers), default=0)
        rows = sum(self._sizes.values())
        tally.counter().update(traces=len(self._sizes), rows=rows, windows=windows)
        return tally

    def _unsupported(self) -> dict[str, str]:
        return {
            f"{implementation.name}: {query}": why
            for implementation in self._plan.against
            for query, why in unsupported_by(implementation.name, self._plan).items()
        }

    @cached_property
    def _sizes(self) -> dict[int, int]:
        rows = self._keyed.groupBy("key").count().collect()
        return {row["key"]: row["count"] for row in rows}

    def _answer(self, implementation: Implementation) -> DataFrameAnswer:
        start, queries = monotonic(), {query.id for query in self._supported(implementation)}
        answered = digests(self._windows(implementation)) if queries else {}
        return DataFrameAnswer(implementation, queries, answered, monotonic() - start)

    def _supported(self, implementation: Implementation) -> list[Query]:
        unsupported = unsupported_by(implementation.name, self._plan)
        return [query for query in self._plan.queries() if query.id not in unsupported]

    def _windows(self, implementation: Implementation) -> "Frame":
        if implementation.name in ENGINES:
            dialect = self._plan.settings().dialect
            rows = self._rows if implementation.name == SPARK else self._keyed
            return ENGINES[implementation.name](rows, self._supported(implementation), dialect)
        share = self._keyed.where(f"pmod(key * 617, 1000) < {implementation.share * 1000}")
        return answer_by_trace(share, answer_with(implementation.name, self._plan))

    def _examine(
        self, keys: Sequence[int], answers: Sequence[DataFrameAnswer]
    ) -> Iterator[tuple[KeyTrace, dict[str, str]]]:
        """Compare the windows of these keys with the specification: each trace, and who differs."""
        if not keys:
            return
        condition = f"key in ({', '.join(map(str, keys))})"
        traces = key_traces(self._keyed.where(condition)).collect()
        answering = [answer for answer in answers if answer.queries]
        views = [(answer, self._views(answer.implementation, condition)) for answer in answering]
        for trace in (trace_of(row.asDict()) for row in traces):
            reference = run_trace(SPEC, one_step(trace, self._plan))
            differences = {
                answer.implementation.name: window_difference(
                    reference, view.get(trace.number, {}), answer.queries, {}
                )
                for answer, view in views
                if answer.implementation.accepts(trace.number)
            }
            yield trace, {name: what for name, what in differences.items() if what}

    def _views(self, implementation: Implementation, condition: str) -> dict[int, WindowView]:
        """The windows of some keys, computed beside those of all others as in the digests."""
        rows = [row.asDict() for row in self._windows(implementation).where(condition).collect()]
        keys = {row["key"] for row in rows}
        return {key: native_view([row for row in rows if row["key"] == key]) for key in keys}

    def _count(
        self,
        tally: Tally,
        answer: DataFrameAnswer,
        answers: Sequence[DataFrameAnswer],
        differing: Mapping[int, AbstractSet[str]],
    ) -> None:
        """Count the rows that were answered, and those compared: another answers a shared query."""
        name, accepts = answer.implementation.name, answer.implementation.accepts
        sharing = (other for other in answers if other.queries & answer.queries)
        others = [other.implementation for other in sharing if other is not answer]
        keys = [key for key in self._sizes if answer.queries and accepts(key)]
        compared = [key for key in keys if any(other.accepts(key) for other in others)]
        rows, processed = (sum(map(self._sizes.__getitem__, part)) for part in (compared, keys))
        mismatches = sum(name in names for names in differing.values())
        counts = {"windows": answer.windows, "mismatches": mismatches, "traces": len(compared)}
        tally.counter(name).update(rows=rows, processed=processed, **counts)
        tally.seconds[name] = answer.seconds


def differing_keys(answers: Sequence[DataFrameAnswer]) -> dict[int, set[str]]:
    """The implementations that differ from the reference, by key.

    The reference is the specification on the keys that it answers, else the first implementation,
    which may itself be wrong.
    """
    differing = dict[int, set[str]]()
    ordered = sorted(answers, key=lambda answer: answer.implementation.name != SPEC)
    for key, query in {place for answer in answers for place in answer.digests}:
        reference, *others = (
            (answer.implementation.name, answer.digests.get((key, query)))
            for answer in ordered
            if query in answer.queries and answer.implementation.accepts(key)
        )
        wrong = {name for name, digest in others if digest != reference[1]}
        if wrong:
            differing.setdefault(key, set()).update(wrong)
    return differing
