"""Clocks: watermarks of events, for the stream or for each key; verified and inferred."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from muntin.conformance.engines.clock import (
    Clock,
    clocked,
    read_clock,
    specified_answer,
    write_clock,
)
from muntin.conformance.engines.distinction import dialect_engine, distinguish
from muntin.conformance.engines.engine import EngineAnswer, OperatorEngine, TracedEngine
from muntin.conformance.engines.inference import InferencePlan, candidate_clocks, infer
from muntin.conformance.engines.verification import VerificationPlan, verify
from muntin.conformance.transcript.json_reader import JsonNode, TranscriptError
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.reference.specification import SpecificationOperator
from muntin.spec.algebra.catalogue import named
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import tumbling


class ClockedEngine(TracedEngine):
    """An engine that makes its watermarks of events by a clock."""

    def __init__(self, clock: Clock, dialect: Dialect = OURS) -> None:
        self._clock, self._dialect = clock, dialect
        own = OperatorEngine("clocked", SpecificationOperator).description
        windows, outputs = ("tumbling", "session"), ("accumulate",)
        self.description = replace(
            own, windows=windows, outputs=outputs, clock="greatest", batches=False
        )

    def answers(self, traces: Sequence[OperatorTranscript]) -> list[EngineAnswer]:
        return [
            specified_answer(
                replace(trace, settings=replace(trace.settings, dialect=self._dialect)), self._clock
            )
            for trace in traces
        ]


def trace_of(*steps: Step) -> OperatorTranscript:
    query = Query("q", tumbling(2), named("collect"))
    return OperatorTranscript((query,), Settings(), tuple(map(TranscriptStep, steps)))


EVENTS = (Step((Event(1, 0, "k"),)), Step((Event(5, 1),)), Step((Event(0, 2, "k"),)))
TRACE = trace_of(*EVENTS, Step((), END))


def watermarks(clock: Clock) -> list[float | None]:
    return [turn.step.watermark for turn in clocked(TRACE, clock).turns]


def test_the_watermark_is_the_greatest_time_less_the_delay() -> None:
    assert watermarks(Clock("greatest")) == [1, 5, 5, END]
    assert watermarks(Clock("greatest", delay=3)) == [-2, 2, 2, END]
    assert watermarks(Clock("greatest", acts="next_step")) == [None, 1, 5, END]
    assert watermarks(Clock("greatest", ends="nothing")) == [1, 5, 5, None]
    with_gap = replace(TRACE, queries=(Query("q", Session(4), named("collect")),))
    turns = clocked(with_gap, Clock("greatest", delay="gap")).turns
    assert [turn.step.watermark for turn in turns] == [-3, 1, 1, END]
    assert watermarks(Clock("greatest", delay="gap")) == [1, 5, 5, END]
    explicit = trace_of(Step((), 7), Step((), None), Step((), END))
    trailing = clocked(explicit, Clock(delay=2)).turns
    assert [turn.step.watermark for turn in trailing] == [5, None, END]
    assert watermarks(Clock()) == [None, None, None, END]


def rows(clock: Clock) -> list[tuple[object, ...]]:
    answer = specified_answer(TRACE, clock)
    return [(row["step"], row["key"], row["start"], row["value"]) for row in answer.results]


def test_with_a_clock_for_each_key_no_other_key_makes_an_event_late() -> None:
    assert rows(Clock("greatest")) == [(1, "k", 0, [0]), (3, None, 4, [1])]
    assert rows(Clock("greatest", "key")) == [(3, "k", 0, [0]), (3, None, 4, [1])]
    by_key = specified_answer(trace_of(*EVENTS[1:], Step((), END)), Clock("greatest", "key"))
    assert [row["value"] for row in by_key.results] == [[1], [2]]
    late = specified_answer(TRACE, Clock("greatest")).late
    assert [row["v"] for row in late or ()] == [2]


def test_what_is_open_at_the_end_may_never_be_emitted() -> None:
    assert rows(Clock("greatest", ends="nothing")) == [(1, "k", 0, [0])]
    last = trace_of(EVENTS[0], Step(EVENTS[1].events, END))
    answer = specified_answer(last, Clock("greatest", ends="nothing"))
    assert [row["value"] for row in answer.results] == [[0]]


@pytest.mark.parametrize("clock", [Clock("greatest", "key", 3), Clock("greatest", ends="nothing")])
def test_an_engine_is_verified_under_its_clock_and_under_no_other(clock: Clock) -> None:
    plan = VerificationPlan((), 1, 120, clock=clock)
    assert verify(ClockedEngine(clock), plan).failure is None
    other = replace(plan, clock=Clock("greatest"))
    failure = verify(ClockedEngine(clock), other).failure
    assert failure
    assert failure.kind == "mismatch"
    assert failure.trace.turns[-1].step.watermark == END
    assert {turn.step.watermark for turn in failure.trace.turns[:-1]} <= {None}


def test_a_clock_that_does_not_fit_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="clocked makes its own watermarks"):
        verify(ClockedEngine(Clock("greatest")), VerificationPlan((), 1))
    explicit = OperatorEngine("spec", SpecificationOperator)
    with pytest.raises(InvalidInputError, match="takes the watermarks of a trace"):
        verify(explicit, VerificationPlan((), 1, clock=Clock("greatest")))
    with pytest.raises(InvalidInputError, match="makes its own watermarks"):
        distinguish(ClockedEngine(Clock("greatest")), dialect_engine(OURS), (), 10)


CLOCKS = [*candidate_clocks(ClockedEngine(Clock()).description)]


@pytest.mark.parametrize("clock", CLOCKS[3::14])
def test_a_clock_is_inferred_with_the_dialect(clock: Clock) -> None:
    engine = ClockedEngine(clock, Dialect(session_merge="le", lateness="window"))
    (inference,) = infer(engine, InferencePlan(("session",), 3, 30))
    assert inference.explained == inference.traces
    assert Dialect(session_merge="le", lateness="window") in inference.dialects
    assert inference.clock == clock


def test_a_clock_is_written_and_read() -> None:
    for clock in CLOCKS:
        assert read_clock(JsonNode(write_clock(clock))) == clock
    with pytest.raises(TranscriptError, match="scope must be one of stream, key"):
        read_clock(JsonNode({"scope": "partition"}))
    with pytest.raises(InvalidInputError, match="acts must be one of"):
        replace(CLOCKS[0], acts="later")  # type: ignore[arg-type]  # it is refused
