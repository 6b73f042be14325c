"""Clocks: how an engine makes watermarks of events, where it takes none.

A clock stands beside the dialect: it puts watermarks into a trace that has none, and the denotation
stays what it is. With a clock for each key it runs once a key, since it has one watermark.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import accumulate
from typing import Literal, get_args, get_type_hints

from muntin.conformance.engines.engine import EngineAnswer, operator_answer
from muntin.conformance.transcript.json_reader import Json, JsonNode
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.reference.specification import SpecificationOperator
from muntin.spec.errors import InvalidInputError, integer
from muntin.spec.stream import END, Step
from muntin.spec.windows.data_driven import Session


@dataclass(frozen=True)
class Clock:
    """How watermarks come about. The first value of each is that of a trace with its own.

    - `source`: the trace has them, or the watermark is the greatest time so far, less the delay;
    - `scope`: one watermark for the stream, or one for each key;
    - `delay`: how far the watermark trails, by an integer, or by the gap of a session;
    - `acts`: at the end of the step that raises it, or of the next one;
    - `ends`: what is open at the end is emitted, or nothing is.
    """

    source: Literal["explicit", "greatest"] = "explicit"
    scope: Literal["stream", "key"] = "stream"
    delay: int | Literal["gap"] = 0
    acts: Literal["at_once", "next_step"] = "at_once"
    ends: Literal["flush", "nothing"] = "flush"

    def __post_init__(self) -> None:
        hints = get_type_hints(Clock)
        _ = self.delay == "gap" or integer(self.delay, "the delay of a clock")
        for field in [field for field in fields(self) if field.name != "delay"]:
            value, known = getattr(self, field.name), get_args(hints[field.name])
            if value not in known:
                raise InvalidInputError(f"{field.name} must be one of {known}, not {value!r}")


EXPLICIT = Clock()


def clocked(trace: OperatorTranscript, clock: Clock) -> OperatorTranscript:
    """The trace with the watermarks of a clock, at the same steps.

    >>> from muntin.spec.query import DEFAULTS
    >>> from muntin.spec.stream import Event
    >>> steps = (Step((Event(5, 1),)), Step((Event(3, 2),)), Step((), END))
    >>> trace = OperatorTranscript((), DEFAULTS, tuple(map(TranscriptStep, steps)))
    >>> [turn.step.watermark for turn in clocked(trace, Clock("greatest", delay=2)).turns]
    [3, 3, inf]
    """
    steps = [turn.step for turn in trace.turns]
    if clock.source == "greatest":
        greatest = accumulate((max_time(step) for step in steps), max)
        delay = delay_of(trace, clock)
        raised = [time - delay for time in greatest]
        before = [-END, *raised][: len(raised)] if clock.acts == "next_step" else raised
        pairs = zip(steps, before, strict=True)
        steps = [
            step
            if step.watermark == END and clock.ends == "flush"
            else Step(step.events, watermark if step.events and watermark > -END else None)
            for step, watermark in pairs
        ]
    elif clock.delay:
        steps = [trailing(step, delay_of(trace, clock)) for step in steps]
    if clock.source == "explicit" and clock.ends == "nothing":
        steps = [replace(s, watermark=None) if s.watermark == END else s for s in steps]
    return replace(trace, turns=tuple(map(TranscriptStep, steps)))


def max_time(step: Step) -> float:
    """The greatest time in a step."""
    return max((event.time for event in step.events), default=-END)


def trailing(step: Step, delay: int) -> Step:
    """A step whose watermark trails; the end is the end."""
    has_time = step.watermark is not None and step.watermark != END
    return replace(step, watermark=int(step.watermark or 0) - delay) if has_time else step


def delay_of(trace: OperatorTranscript, clock: Clock) -> int:
    """How far the watermark of a trace trails; the gap of windows without gaps is 0."""
    windows = [query.window for query in trace.queries]
    gaps = [window.gap for window in windows if isinstance(window, Session)]
    return max(gaps, default=0) if clock.delay == "gap" else clock.delay


def specified_answer(trace: OperatorTranscript, clock: Clock = EXPLICIT) -> EngineAnswer:
    """The answer of the specification under a clock; with one for each key, key by key."""
    if clock.scope == "stream":
        return operator_answer(clocked(trace, clock), SpecificationOperator(trace.settings))
    answers = [
        operator_answer(clocked(part, clock), SpecificationOperator(trace.settings))
        for part in keyed_traces(trace)
    ]
    return EngineAnswer(
        tuple(row for answer in answers for row in answer.results),
        tuple(row for answer in answers for row in answer.late or ()),
    )


def keyed_traces(trace: OperatorTranscript) -> Iterator[OperatorTranscript]:
    """The trace of each key: all steps, with its events only."""
    keys = {event.key: None for turn in trace.turns for event in turn.step.events}
    for key in keys:
        turns = [
            replace(
                turn,
                step=replace(turn.step, events=tuple(e for e in turn.step.events if e.key == key)),
            )
            for turn in trace.turns
        ]
        yield replace(trace, turns=tuple(turns))


def read_clock(node: JsonNode) -> Clock:
    """The clock in an object; what it lacks is that of a trace with its own watermarks."""
    hints = get_type_hints(Clock)
    members = node.fields((), [*hints])
    chosen = {n: m.one_of(get_args(hints[n])) for n, m in members.items() if n != "delay"}
    node = members.get("delay", JsonNode(0))
    return Clock(delay="gap" if node.value == "gap" else node.integer(), **chosen)


def write_clock(clock: Clock) -> dict[str, Json]:
    """What a clock does otherwise than a trace with its own watermarks.

    >>> write_clock(Clock("greatest", "key"))
    {'source': 'greatest', 'scope': 'key'}
    """
    every: dict[str, Json] = {field.name: getattr(clock, field.name) for field in fields(clock)}
    return {name: value for name, value in every.items() if value != getattr(EXPLICIT, name)}
