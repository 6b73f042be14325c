"""All implementations on one trace: which differs from the denotation, or from the others."""

import json
from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import compress

from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.conformance.transcript.replay import write
from muntin.differential.equality import (
    Tolerances,
    WindowView,
    answer_difference,
    differing_windows,
    final_windows,
    restricted_to,
    tolerances,
)
from muntin.differential.implementation import TraceRun, run_trace, unsupported_queries
from muntin.differential.inputs.trace import KeyTrace, on_time
from muntin.differential.plan import NATIVE, SPEC, DiffPlan
from muntin.differential.tally import COMPILING, Tally, WrongTrace
from muntin.registry.dataframes.native_windows import native_query
from muntin.spec.stream import END, Step


class TraceComparison:
    """Compares the implementations of a plan on traces, and counts the outcome."""

    def __init__(self, plan: DiffPlan) -> None:
        """Start with an empty tally, but for the queries that implementations refuse."""
        self.plan, self.tally = plan, Tally()
        self._names = [entry.name for entry in plan.against if entry.name != NATIVE]
        for name in self._names:
            for query, why in unsupported_queries(name, plan).items():
                self.tally.refused[f"{name}: {query}"] = why

    def compare(self, trace: KeyTrace, native: WindowView | None = None) -> None:
        """Run all implementations on a trace; `native` are the windows that Spark computed."""
        transcript = trace.transcript(self.plan)
        names = [entry.name for entry in self.plan.against if entry.accepts(trace.number)]
        runs = [self._run(name, transcript) for name in self._names if name in names]
        if NATIVE not in names:
            native = None
        arbiter = Arbiter(trace, transcript, self.plan)
        differences = arbiter.differences(runs, native)
        if any(differences.values()) and SPEC not in names:
            runs.insert(0, self._run(SPEC, transcript))
            differences = arbiter.differences(runs, native)
            self.tally.counter()["arbitrated"] += 1
        tally, rows = self.tally, len(trace.times)
        late = rows - sum(on_time(trace.times, self.plan))
        windows = len(final_windows(runs[0].answers)) if runs else 0
        tally.counter().update(traces=1, rows=rows, late=late, windows=windows)
        for run in runs:
            self._count_cost(run, rows)
        if native is not None:
            tally.counter(NATIVE).update(results=len(native), windows=len(native))
        for name, difference in differences.items():
            tally.counter(name).update(rows=rows, traces=1, mismatches=int(bool(difference)))
            if difference:
                tally.add_wrong(arbiter.wrong_trace(name, difference))

    def _run(self, name: str, transcript: OperatorTranscript) -> TraceRun:
        return run_trace(name, transcript, [*unsupported_queries(name, self.plan)])

    def _count_cost(self, run: TraceRun, rows: int) -> None:
        tally, counts = self.tally, self.tally.counter(run.name)
        counts.update(results=run.results, windows=len(final_windows(run.answers)), processed=rows)
        meter = run.meter
        counts.update(lifts=meter.lifts, combines=meter.combines, inverts=meter.inverts)
        tally.update_max(run.name, "slices", run.slices)
        counts.update({f"bound of {what}": bound for what, bound in run.bounds.items()})
        counts["sum of slices"] += run.slices
        counts["tuples"] += run.tuples
        for what, seconds in ((run.name, run.seconds), (COMPILING + run.name, run.compile_seconds)):
            tally.seconds[what] = tally.seconds.get(what, 0.0) + seconds
        if run.violations:
            counts["over bound"] += 1
            tally.refused[f"{run.name} over its bound"] = run.violations[0]


class Arbiter:
    """Compares the answers to one trace."""

    def __init__(self, trace: KeyTrace, transcript: OperatorTranscript, plan: DiffPlan) -> None:
        """Compute the tolerances of the trace."""
        self._trace, self._transcript, self._plan = trace, transcript, plan
        self._allowed = tolerances(transcript.queries, trace.values)

    def differences(self, runs: Sequence[TraceRun], native: WindowView | None) -> dict[str, str]:
        """The difference of each implementation that is compared; an empty text if it agrees.

        The denotation is the reference if it takes part, else the first run is. An implementation
        is compared if it shares a query with the reference.
        """
        if not runs:
            return {}
        reference, *others = sorted(runs, key=lambda run: run.name != SPEC)
        differences = {
            run.name: first_difference(reference, run, self._allowed)
            for run in others
            if reference.queries & run.queries
        }
        supported = native_query_ids(self._transcript)
        if native is not None and reference.queries & supported:
            differences[NATIVE] = window_difference(reference, native, supported, self._allowed)
        return {reference.name: ""} | differences if differences else {}

    def wrong_trace(self, name: str, difference: str) -> WrongTrace:
        """The trace as evidence; for Spark's own windows only the events that it got."""
        transcript = self._transcript
        if name == NATIVE:
            transcript = in_one_step(transcript, on_time(self._trace.times, self._plan))
        return wrong_trace(name, self._trace.key, difference, transcript)


def wrong_trace(name: str, key: str, difference: str, transcript: OperatorTranscript) -> WrongTrace:
    """A trace on which an implementation is wrong, as plain values."""
    document = write(transcript.queries, transcript.turns, transcript.settings)
    return {"name": name, "key": key, "what": difference, "transcript": json.dumps(document)}


def first_difference(reference: TraceRun, run: TraceRun, allowed: Tolerances) -> str:
    """The first step whose answers differ, and where; empty if all are equal."""
    shared = reference.queries & run.queries
    for step, pair in enumerate(zip(reference.answers, run.answers, strict=True)):
        expected, actual = pair
        if reference.queries != run.queries:
            expected, actual = (restricted_to(answer, shared) for answer in pair)
        if difference := answer_difference(expected, actual, allowed):
            return f"step {step}, {difference}"
    return ""


def native_query_ids(transcript: OperatorTranscript) -> set[Hashable]:
    """The queries that Spark's own windows support."""
    return {query.id for query in transcript.queries if not isinstance(native_query(query), str)}


def window_difference(
    reference: TraceRun, view: WindowView, supported: AbstractSet[Hashable], allowed: Tolerances
) -> str:
    """The first window that differs, of the supported queries, and both values; empty if none."""
    errors = [answer for answer in reference.answers if isinstance(answer, str)]
    compared, final = supported & reference.queries, final_windows(reference.answers)
    expected = {window: value for window, value in final.items() if window[0] in compared}
    actual = {window: value for window, value in view.items() if window[0] in compared}
    differing = differing_windows(expected, actual, allowed)
    if errors or not differing:
        return " ".join(errors)
    window, value = next(iter(differing.items()))
    right = expected.get(window, "no such window")
    return f"{window[0]}, [{window[1]}, {window[2]}): wanted {right}; got {value}"


def in_one_step(transcript: OperatorTranscript, accepted: Sequence[bool]) -> OperatorTranscript:
    """The accepted events as one step that ends the stream: all that a batch has."""
    events = tuple(event for turn in transcript.turns for event in turn.step.events)
    step = Step(tuple(compress(events, accepted)), END)
    return replace(transcript, turns=(TranscriptStep(step),))
