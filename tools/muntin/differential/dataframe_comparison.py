"""Whole DataFrames: those that answer all rows at once are compared on digests of their windows.

The specification, and whoever takes one key at a time, answers the keys of its share. Where digests
of a key differ, its windows are looked at one by one, and the specification decides who is wrong.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING

from muntin.conformance.transcript.model import OperatorTranscript
from muntin.differential.comparison import blame_minority, in_one_step, view_differs
from muntin.differential.equality import View, final_windows
from muntin.differential.implementation import attempt, refusals
from muntin.differential.inputs.trace import GeneratedTrace
from muntin.differential.plan import SPEC, DiffPlan, Implementation
from muntin.differential.spark.remote import Row, native_view, trace_of
from muntin.differential.tally import KEPT, Tally
from muntin.registry.dataframes.engines import (
    VIEWS,
    Digest,
    by_traces,
    column_of,
    digests,
    refusal,
)
from muntin.registry.dataframes.generated_rows import traces
from muntin.registry.dataframes.names import SPARK, WHOLES
from muntin.spec.query import Query

if TYPE_CHECKING:
    from muntin.registry.dataframes.traces import Frame


CHANGED = "its windows were others than now, when it is asked again and is right"


def refused(name: str, plan: DiffPlan) -> dict[str, str]:
    """Return the queries that a contender does not answer, and why."""
    dialect, by = plan.settings().dialect, name if name in WHOLES else SPARK
    found = {one.id: refusal(by, one, dialect) for one in plan.queries()}
    own = {} if name in WHOLES else refusals(name, plan)
    return {query: why for query, why in found.items() if why} | own


def one_step(trace: GeneratedTrace, plan: DiffPlan) -> OperatorTranscript:
    """Return a trace as one step that ends the stream: what a whole DataFrame is."""
    return in_one_step(trace.transcript(plan), [True for _ in trace.times])


def answering(name: str, plan: DiffPlan) -> Callable[[Iterable[Row]], Iterator[Row]]:
    """Return what lets an operator answer traces, one after another."""
    numbers = {one.id: column_of(one) for one in plan.queries()}

    def answers(rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            trace = trace_of(row)
            done = attempt(name, one_step(trace, plan), [*refused(name, plan)])
            for (query, start, end), value in final_windows(done.answers).items():
                at = {"key": trace.nth, "query": query, "start": start, "end": int(end)}
                known = float(value) if isinstance(value, Fraction) else value
                yield at | {"exact": None, "real": None} | {numbers[query]: known}

    return answers


@dataclass
class TableAnswer:
    """What a contender says of a chunk, by key and query."""

    by: Implementation
    serves: AbstractSet[str]
    digests: dict[tuple[int, str], Digest]
    seconds: float

    @property
    def windows(self) -> int:
        """How many windows there are."""
        return sum(one.windows for one in self.digests.values())


class Chunk:
    """Some rows, and all contenders on them."""

    def __init__(self, rows: "Frame", plan: DiffPlan) -> None:
        """Take the rows, which are kept as they come, and by key."""
        self._rows, self._plan = rows.persist(), plan
        self._keyed = self._rows.repartition("key").persist()

    def tally(self) -> Tally:
        """Ask everybody, compare, and count."""
        try:
            return self._tally()
        finally:
            self._keyed.unpersist()
            self._rows.unpersist()

    def _tally(self) -> Tally:
        answers = [self._answer(one) for one in self._plan.against]
        parted = differing_keys(answers)
        tally, known = Tally(refused=self._refusals()), dict[int, set[str]]()
        for trace, wrong in self._looked_at(sorted(parted)[:KEPT], answers):
            told = one_step(trace, self._plan)
            found = wrong or dict.fromkeys(parted[trace.nth], CHANGED)
            known[trace.nth] = {*found}
            for name, what in found.items():
                tally.blame(blame_minority(name, trace.key, what, told))
        if parted:
            at_fault = {name for names in known.values() for name in names}
            answers.sort(key=lambda one: one.by.name in at_fault)
            parted = differing_keys(answers) | known
        for one in answers:
            differs = sum(one.by.name in names for names in parted.values())
            self._count(tally, one, answers, differs)
        windows = max((answer.windows for answer in answers), default=0)
        tally.of().update(traces=len(self._sizes), rows=sum(self._sizes.values()), windows=windows)
        return tally

    def _refusals(self) -> dict[str, str]:
        return {
            f"{one.name}: {query}": why
            for one in self._plan.against
            for query, why in refused(one.name, self._plan).items()
        }

    @cached_property
    def _sizes(self) -> dict[int, int]:
        """How many rows each key has."""
        rows = self._keyed.groupBy("key").count().collect()
        return {row["key"]: row["count"] for row in rows}

    def _answer(self, one: Implementation) -> TableAnswer:
        start, served = monotonic(), {query.id for query in self._served(one)}
        found = digests(self._view(one)) if served else {}
        return TableAnswer(one, served, found, monotonic() - start)

    def _served(self, one: Implementation) -> list[Query]:
        without = refused(one.name, self._plan)
        return [query for query in self._plan.queries() if query.id not in without]

    def _view(self, one: Implementation) -> "Frame":
        if one.name in VIEWS:
            dialect = self._plan.settings().dialect
            rows = self._rows if one.name == SPARK else self._keyed
            return VIEWS[one.name](rows, self._served(one), dialect)
        mine = self._keyed.where(f"pmod(key * 617, 1000) < {one.share * 1000}")
        return by_traces(mine, answering(one.name, self._plan))

    def _looked_at(
        self, keys: Sequence[int], answers: Sequence[TableAnswer]
    ) -> Iterator[tuple[GeneratedTrace, dict[str, str]]]:
        """Yield the trace of each of some keys, and who is wrong on it, and how."""
        if not keys:
            return
        mine = f"key in ({', '.join(map(str, keys))})"
        given = traces(self._keyed.where(mine)).collect()
        answers = [one for one in answers if one.serves]
        views = {one.by.name: self._views(one.by, mine) for one in answers}
        for row in given:
            trace = trace_of(row.asDict())
            first = attempt(SPEC, one_step(trace, self._plan))
            yield (
                trace,
                {
                    one.by.name: what
                    for one in answers
                    if one.by.takes(trace.nth)
                    for view in [views[one.by.name].get(trace.nth, View())]
                    if (what := view_differs(first, view, one.serves, {}))
                },
            )

    def _views(self, one: Implementation, mine: str) -> dict[int, View]:
        """Return the windows that a contender makes of some keys, beside all others."""
        rows = [row.asDict() for row in self._view(one).where(mine).collect()]
        keys = {row["key"] for row in rows}
        return {key: native_view([row for row in rows if row["key"] == key]) for key in keys}

    def _count(
        self, tally: Tally, one: TableAnswer, answers: Sequence[TableAnswer], wrong: int
    ) -> None:
        """Count what one answered, and on which of its rows another answers a query of its own."""
        others = [each.by for each in answers if each is not one and each.serves & one.serves]
        taken = {key: rows for key, rows in self._sizes.items() if one.serves and one.by.takes(key)}
        judged = [rows for key, rows in taken.items() if any(it.takes(key) for it in others)]
        counts = {"windows": one.windows, "mismatches": wrong, "traces": len(judged)}
        tally.of(one.by.name).update(rows=sum(judged), taken=sum(taken.values()), **counts)
        tally.seconds[one.by.name] = one.seconds


def differing_keys(answers: Sequence[TableAnswer]) -> dict[int, set[str]]:
    """Return the keys on which answers differ, and whose differ from the specification's.

    Where the specification does not answer, the first who does counts as right, and may not be.
    """
    found = dict[int, set[str]]()
    ordered = sorted(answers, key=lambda one: one.by.name != SPEC)
    for key, query in {at for one in answers for at in one.digests}:
        mine = [one for one in ordered if query in one.serves and one.by.takes(key)]
        first, *others = [(one.by.name, one.digests.get((key, query))) for one in mine]
        wrong = {name for name, digest in others if digest != first[1]}
        if wrong:
            found.setdefault(key, set()).update(wrong)
    return found
