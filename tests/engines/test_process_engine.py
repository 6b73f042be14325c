"""Adapters in processes: right ones, and a clear error for each way to break the wire."""

import sys
from pathlib import Path

import pytest

from muntin.conformance.engines.adapter_process import AdapterError
from muntin.conformance.engines.agreement import agrees
from muntin.conformance.engines.clock import specified_answer
from muntin.conformance.engines.engine import EngineAnswer
from muntin.conformance.engines.process_engine import EngineCommand, ProcessEngine
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import session
from muntin.spec.windows.periodic import tumbling
from muntin.spec.windows.window import WindowType

ADAPTERS = Path(__file__).parent / "adapters"


def engine(script: str, *words: str, folder: Path = ADAPTERS, seconds: float = 20) -> ProcessEngine:
    command = (sys.executable, str(ADAPTERS / f"{script}.py"), *words)
    return ProcessEngine(EngineCommand(script, command, folder), seconds)


def trace(
    *times: int, window: WindowType | None = None, watermarks: tuple[float, ...] = (END,)
) -> OperatorTranscript:
    """A trace of events at these times, whose values are their numbers, then watermarks."""
    events = tuple(Event(time, i, "k" if i % 3 == 1 else None) for i, time in enumerate(times))
    steps = [TranscriptStep(Step(events)), *(TranscriptStep(Step((), w)) for w in watermarks)]
    query = Query("q", window or tumbling(5), named("collect"))
    return OperatorTranscript((query,), Settings(output="final"), tuple(steps))


def test_a_pack_of_traces_is_answered_each_by_itself() -> None:
    traces = [trace(1, 3, 7), trace(), trace(-1, window=tumbling(3, 1)), trace(9, 4, 4), trace(0)]
    with engine("tumbling") as tumbling_engine:
        answers = tumbling_engine.answers(traces)
        description = tumbling_engine.description
    assert description.max_traces == 3
    expected = [specified_answer(one) for one in traces]
    assert [len(answer.results) for answer in answers] == [3, 0, 1, 3, 1]
    assert all(agrees(a, b, description) for a, b in zip(expected, answers, strict=True))
    assert not agrees(expected[0], answers[1], description)


def test_a_trace_without_support_is_no_error() -> None:
    with engine("tumbling") as tumbling_engine:
        (answer,) = tumbling_engine.answers([trace(1, window=session(3))])
    assert answer == EngineAnswer(unsupported="a session window has no size")


@pytest.mark.parametrize("fault", ["hang", "hang with a child"])
def test_an_adapter_that_hangs_is_killed_and_started_anew(fault: str) -> None:
    with engine("faulty", fault, seconds=0.4) as hanging:
        answers = hanging.answers([trace(1), trace(2)])
        assert hanging.restarts == 2
    assert all(answer.is_lost for answer in answers)
    message = "the adapter of faulty did not reply within 0.4 s, and was killed"
    assert {answer.error for answer in answers} == {message}


def test_an_adapter_that_crashes_is_started_anew_and_its_stderr_is_shown() -> None:
    with engine("faulty", "crash") as crashing:
        (answer,) = crashing.answers([trace(1)])
    assert answer.is_lost
    assert answer.error == (
        "the adapter of faulty ended with status 7 instead of a reply; the end of its stderr:\n"
        "  the engine has no memory left"
    )


def test_after_a_crash_the_next_trace_is_answered(tmp_path: Path) -> None:
    with engine("faulty", "crash once", folder=tmp_path) as crashing:
        first, second = crashing.answers([trace(1), trace(1)])
    assert first.is_lost
    assert second.results == ({"step": None, "key": None, "start": 0, "end": 5, "value": [0]},)


def test_of_a_pack_that_is_lost_each_trace_is_replayed_alone() -> None:
    with engine("faulty", "crash in a pack") as crashing:
        answers = crashing.answers([trace(1), trace(2)])
        assert crashing.restarts == 1
    assert [len(answer.results) for answer in answers] == [1, 1]


BROKEN = {
    "rubbish": "must reply with JSON objects that have a type, but wrote 'WARN: slow query'",
    "a list": "must reply with JSON objects that have a type, but wrote '[1, 2]'",
    "another id": "the reply.id: it is 11, but the request was 1",
    "too few answers": "the reply.answers: there were 1 traces, and it has 0 answers",
    "no start": 'the reply.answers[0].results[0]: the field "start" is missing',
    "an unknown step": "the reply.answers[0].results[0].step must be the index of one of the 2",
    "an unknown field": 'the reply.answers[0]: there is no field "watermark"',
    "nothing in an answer": "the reply.answers[0]: it has neither results, unsupported nor error",
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_reply_that_breaks_the_form_is_an_error_that_names_the_place(fault: str) -> None:
    broken = engine("faulty", fault)
    with pytest.raises(AdapterError) as raised:
        broken.answers([trace(1)])
    assert str(raised.value).startswith("the adapter of faulty ")
    assert BROKEN[fault] in str(raised.value)


def test_a_second_reply_to_a_request_is_an_error_at_the_next_request() -> None:
    twice = engine("faulty", "twice")
    assert len(twice.answers([trace(1)])) == 1
    with pytest.raises(AdapterError, match="request 1 was answered again, while request 2 waited"):
        twice.answers([trace(1)])


def test_a_second_reply_to_the_last_request_is_an_error_at_the_end() -> None:
    with (
        pytest.raises(AdapterError, match="wrote more after its last reply"),
        engine("faulty", "twice") as twice,
    ):
        twice.answers([trace(1)])


HELLOS = {
    "no hello": "ended with status 1 instead of a reply; the end of its stderr:\n  the engine is n",
    "hello without a version": 'the reply: the field "version" is missing',
    "hello of version 2": "the reply.muntin must be 1, the only version of the wire, not 2",
    "unknown window": "the reply.windows: 'hopping' is none of tumbling, sliding, session,",
}


@pytest.mark.parametrize("fault", HELLOS)
def test_a_first_reply_that_is_wrong_is_an_error(fault: str) -> None:
    with pytest.raises(AdapterError) as raised:
        engine("faulty", fault)
    assert HELLOS[fault] in str(raised.value)


def test_a_command_that_cannot_be_started_is_an_error() -> None:
    with pytest.raises(AdapterError, match=r"the engine none cannot be started: .*no-such"):
        ProcessEngine(EngineCommand("none", ("no-such-program",)))


def test_steps_are_answered_one_by_one() -> None:
    with engine("steps") as steps:
        assert (steps.description.windows, steps.description.late) == (
            ("tumbling", "session"),
            True,
        )
        first, second, third = steps.answers(
            [
                trace(1, 2, watermarks=(5, 3, END)),
                trace(1, window=session(3)),
                OperatorTranscript(
                    trace().queries,
                    Settings(),
                    (
                        TranscriptStep(Step((Event(8, 0),), 7)),
                        TranscriptStep(Step((Event(6, 4),), END)),
                    ),
                ),
            ]
        )
    row = {"step": 3, "key": None, "start": 0, "end": 5, "value": 2, "kind": "new"}
    assert first == EngineAnswer((row,), ())
    assert second == EngineAnswer(unsupported="no sessions")
    assert third == EngineAnswer(({**row, "step": 1, "value": 1},), ({"step": 1, "v": 4},))


STEP_FAULTS = {
    "old id": "the reply.id: request 0 was answered again, while request 1 waited",
    "done twice": "the reply.id: request 2 was answered again, while request 3 waited",
    "another type": "the reply.type must be one of result, late, done, unsupported, error, not",
}


@pytest.mark.parametrize("fault", STEP_FAULTS)
def test_a_step_that_is_answered_wrongly_is_an_error(fault: str) -> None:
    steps = engine("steps", fault)
    with pytest.raises(AdapterError) as raised:
        steps.answers([trace(1)])
    assert STEP_FAULTS[fault] in str(raised.value)
