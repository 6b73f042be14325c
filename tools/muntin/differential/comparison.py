"""All contenders on one trace: who differs from the denotation, or from each other."""

import json
from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import compress

from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.conformance.transcript.writer import write
from muntin.differential.equality import (
    View,
    Within,
    alike,
    differing_windows,
    final_windows,
    of_queries,
    tolerance,
)
from muntin.differential.implementation import RunResult, attempt, refusals
from muntin.differential.inputs.trace import GeneratedTrace, on_time
from muntin.differential.plan import NATIVE, SPEC, DiffPlan
from muntin.differential.tally import Tally, Wrong
from muntin.registry.dataframes.native_queries import translated
from muntin.spec.query import Output
from muntin.spec.stream import END, Step


class TraceComparison:
    """Counts what comes of traces, one after another."""

    def __init__(self, plan: DiffPlan) -> None:
        """Start with nothing judged."""
        self.plan, self.tally = plan, Tally()
        self._names = [one.name for one in plan.against if one.name != NATIVE]
        for name in self._names:
            for query, why in refusals(name, plan).items():
                self.tally.refused[f"{name}: {query}"] = why

    def judge(self, trace: GeneratedTrace, native: View | None = None) -> None:
        """Let all contenders take a trace; Spark's own answers are given, if there are any."""
        told = trace.transcript(self.plan)
        takers = [one.name for one in self.plan.against if one.takes(trace.nth)]
        attempts = [self._attempt(name, told) for name in self._names if name in takers]
        if NATIVE not in takers:
            native = None
        court = Arbiter(trace, told, self.plan)
        found = court.compare(attempts, native)
        if any(found.values()) and SPEC not in takers:
            attempts.insert(0, self._attempt(SPEC, told))
            found = court.compare(attempts, native)
            self.tally.of()["arbitrated"] += 1
        self._count(trace, attempts, found, native)
        for name, what in found.items():
            if what:
                self.tally.blame(court.blame_minority(name, what))

    def _attempt(self, name: str, told: OperatorTranscript) -> RunResult:
        return attempt(name, told, [*refusals(name, self.plan)])

    def _count(
        self,
        trace: GeneratedTrace,
        attempts: Sequence[RunResult],
        found: dict[str, str],
        native: View | None,
    ) -> None:
        rows, tally = len(trace.times), self.tally
        run = tally.of()
        run.update(traces=1, rows=rows, late=rows - sum(on_time(trace.times, self.plan)))
        for one in attempts:
            self._spent(one, rows)
        if native is not None:
            tally.of(NATIVE).update(results=len(native), windows=len(native))
        if attempts:
            run["windows"] += len(final_windows(attempts[0].answers))
        for name, what in found.items():
            counts = tally.of(name)
            counts.update(rows=rows, traces=1, mismatches=int(bool(what)))

    def _spent(self, one: RunResult, rows: int) -> None:
        tally, counts = self.tally, self.tally.of(one.name)
        counts.update(results=one.results, windows=len(final_windows(one.answers)), taken=rows)
        meter = one.meter
        counts.update(lifts=meter.lifts, combines=meter.combines, inverts=meter.inverts)
        tally.most(one.name, "slices", one.slices)
        counts.update({f"most {what}": count for what, count in one.most.items()})
        counts["held"] += one.slices
        counts["tuples"] += one.tuples
        tally.seconds[one.name] = tally.seconds.get(one.name, 0.0) + one.seconds
        if one.over:
            counts["over"] += 1
            tally.refused[f"{one.name} beyond its claim"] = one.over[0]


class Arbiter:
    """Compares the answers to one trace."""

    def __init__(self, trace: GeneratedTrace, told: OperatorTranscript, plan: DiffPlan) -> None:
        """Take the trace."""
        self._trace, self._told, self._plan = trace, told, plan
        self._within = tolerance(told.queries, trace.values)

    def compare(self, attempts: Sequence[RunResult], native: View | None) -> dict[str, str]:
        """Return for each contender that is compared what is wrong with it; nothing, if nothing.

        The first is what the others are held against, where they answer a query that it answers:
        the denotation, where it takes part.
        """
        if not attempts:
            return {}
        first, *others = sorted(attempts, key=lambda one: one.name != SPEC)
        found = {
            one.name: differs(first, one, self._within)
            for one in others
            if first.queries & one.queries
        }
        if native is not None and first.queries & native_serves(self._told):
            found[NATIVE] = native_differs(self._told, first, native, self._within)
        return {first.name: ""} | found if found else {}

    def blame_minority(self, name: str, what: str) -> Wrong:
        """Return who is wrong on which trace, and how."""
        told = self._told
        if name == NATIVE:
            told = in_one_step(told, on_time(self._trace.times, self._plan))
        return blame_minority(name, self._trace.key, what, told)


def blame_minority(name: str, key: str, what: str, told: OperatorTranscript) -> Wrong:
    """Return who is wrong on which trace, and how."""
    document = write(told.queries, told.turns, told.settings)
    return {"name": name, "key": key, "what": what, "transcript": json.dumps(document)}


def differs(first: RunResult, other: RunResult, within: Within) -> str:
    """Say at which step an attempt is not what it should be, and how; nothing, if it is."""
    both = first.queries & other.queries
    whole = first.queries == other.queries
    for step, (wanted, got) in enumerate(zip(first.answers, other.answers, strict=True)):
        pair = (wanted, got) if whole else (of_queries(wanted, both), of_queries(got, both))
        if not alike(*pair, within):
            return f"step {step}: wanted {_said(pair[0])}; got {_said(pair[1])}"
    return ""


def native_serves(told: OperatorTranscript) -> set[Hashable]:
    """Return the queries that Spark's own windows serve."""
    return {one.id for one in told.queries if not isinstance(translated(one), str)}


def native_differs(told: OperatorTranscript, first: RunResult, native: View, within: Within) -> str:
    """Say for which window Spark's answer is not what it should be, and how."""
    return view_differs(first, native, native_serves(told), within)


def view_differs(
    first: RunResult, native: View, served: AbstractSet[Hashable], within: Within
) -> str:
    """Say for which window of the queries that are served a view is wrong, and how."""
    broken = [one for one in first.answers if isinstance(one, str)]
    served = served & first.queries
    wanted = {at: value for at, value in final_windows(first.answers).items() if at[0] in served}
    found = differing_windows(wanted, {at: native[at] for at in native if at[0] in served}, within)
    if broken or not found:
        return " ".join(broken)
    at, value = next(iter(found.items()))
    want = wanted.get(at, "no such window")
    return f"{at[0]}, [{at[1]}, {at[2]}): wanted {want}; got {value}"


def in_one_step(told: OperatorTranscript, taken: Sequence[bool]) -> OperatorTranscript:
    """Return the events that were accepted, as a batch: all that Spark was given."""
    events = tuple(event for turn in told.turns for event in turn.step.events)
    return replace(told, turns=(TranscriptStep(Step(tuple(compress(events, taken)), END)),))


def _said(answer: Output | str) -> str:
    if isinstance(answer, str):
        return answer
    late = [f"late: {one}" for one in answer.late]
    return "; ".join([*(str(tuple(one)) for one in answer.results), *late][:6]) or "nothing"
