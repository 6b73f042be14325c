"""Random traces on operators, in lockstep with the denotation, without end, and their shrinking.

A trace that fails is shrunk to one that still fails, but not when any part of it is left out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import count, pairwise

from muntin.conformance.fuzz.trace_generator import random_trace
from muntin.conformance.machines.lockstep import (
    Build,
    Lockstep,
    lockstep,
    supported_trace,
    without_invalid_actions,
)
from muntin.conformance.machines.random_choices import SeededSource
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.spec.dialect import OURS
from muntin.spec.query import DEFAULTS, Settings
from muntin.spec.stream import Event


@dataclass(frozen=True)
class FuzzTrial:
    """What an operator supports of a random trace, and how it compares with the denotation."""

    operator: str
    seed: str
    trace: OperatorTranscript
    outcome: Lockstep


def trials(operators: Mapping[str, Build], seed: int) -> Iterator[FuzzTrial]:
    """Trials of the operators in turn, until none of them is left."""
    for number in count():
        for name in [*operators]:
            yield trial(name, operators[name], f"{seed}:{number}")
        if not operators:
            return


def trial(name: str, build: Build, seed: str) -> FuzzTrial:
    """Run the random trace of a seed on an operator, or a plain one if it supports no query.

    >>> from muntin.reference.specification import SpecificationOperator
    >>> trial("spec", SpecificationOperator, "7").outcome.divergence is None
    True
    """
    trace = supported_trace(random_trace(SeededSource(seed)), build)
    if not any(True for _ in trace.every_query()):
        trace = supported_trace(random_trace(SeededSource(seed), plain=True), build)
    return FuzzTrial(name, seed, trace, lockstep(trace, build))


def shrunk_trial(failed: FuzzTrial, build: Build) -> FuzzTrial:
    """The trial of a smaller trace on which the operator is wrong."""

    def fails(trace: OperatorTranscript) -> bool:
        return lockstep(supported_trace(trace, build), build).divergence is not None

    trace = supported_trace(shrink(failed.trace, fails), build)
    return FuzzTrial(failed.operator, failed.seed, trace, lockstep(trace, build))


Fails = Callable[[OperatorTranscript], bool]


def shrink(trace: OperatorTranscript, fails: Fails) -> OperatorTranscript:
    """A trace that still fails, although it would not without any one of its parts."""
    while smaller := next((simpler for simpler in simpler_traces(trace) if fails(simpler)), None):
        trace = smaller
    return trace


def simpler_traces(trace: OperatorTranscript) -> Iterator[OperatorTranscript]:
    """The traces with one part less, largest parts first."""
    for position in range(len(trace.turns)):
        yield without_invalid_actions(_with_turns(trace, position, [], position + 1))
    for position, (turn, other) in enumerate(pairwise(trace.turns)):
        if turn.step.watermark is None and not (other.added or other.removed):
            both = replace(other.step, events=turn.step.events + other.step.events)
            yield _with_turns(trace, position, [replace(turn, step=both)], position + 2)
    for position in range(len(trace.queries)):
        fewer = trace.queries[:position] + trace.queries[position + 1 :]
        yield without_invalid_actions(replace(trace, queries=fewer))
    for position, turn in enumerate(trace.turns):
        for less in _turns(turn):
            yield without_invalid_actions(_with_turns(trace, position, [less], position + 1))
    for settings in _settings(trace.settings):
        yield replace(trace, settings=settings)


def _with_turns(
    trace: OperatorTranscript, begin: int, turns: Sequence[TranscriptStep], end: int
) -> OperatorTranscript:
    return replace(trace, turns=(*trace.turns[:begin], *turns, *trace.turns[end:]))


def _turns(turn: TranscriptStep) -> Iterator[TranscriptStep]:
    if turn.added:
        yield replace(turn, added=turn.added[1:])
    if turn.removed:
        yield replace(turn, removed=turn.removed[1:])
    events = turn.step.events
    for position, event in enumerate(events):
        for less in ((), *((plainer,) for plainer in _events(event))):
            kept = (*events[:position], *less, *events[position + 1 :])
            yield replace(turn, step=replace(turn.step, events=kept))
    if turn.step.watermark is not None:
        yield replace(turn, step=replace(turn.step, watermark=None))


def _events(event: Event) -> Iterator[Event]:
    plain = Event(event.time, event.value)
    for name in ("key", "gap", "punctuation"):
        if getattr(event, name) != getattr(plain, name):
            yield replace(event, **{name: getattr(plain, name)})


def _settings(settings: Settings) -> Iterator[Settings]:
    for field in fields(OURS):
        ours = getattr(OURS, field.name)
        if getattr(settings.dialect, field.name) != ours:
            yield replace(settings, dialect=replace(settings.dialect, **{field.name: ours}))
    if settings.allowed_lateness:
        yield replace(settings, allowed_lateness=0)
    if settings.output != DEFAULTS.output:
        yield replace(settings, output=DEFAULTS.output)
