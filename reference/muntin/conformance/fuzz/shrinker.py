"""Shrinking: the smallest trace that still fails when parts of it are left out."""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from itertools import pairwise

from muntin.conformance.machines.lockstep import without_invalid_actions
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.spec.dialect import OURS
from muntin.spec.query import DEFAULTS, Settings
from muntin.spec.stream import Event

Fails = Callable[[OperatorTranscript], bool]


def shrink(trace: OperatorTranscript, fails: Fails) -> OperatorTranscript:
    """A trace that still fails, although it would not without any one of its parts."""
    while smaller := next((simpler for simpler in simpler_traces(trace) if fails(simpler)), None):
        trace = smaller
    return trace


def simpler_traces(trace: OperatorTranscript) -> Iterator[OperatorTranscript]:
    """The traces with one part less, largest parts first."""
    for position in range(len(trace.turns)):
        yield without_invalid_actions(
            replace(trace, turns=trace.turns[:position] + trace.turns[position + 1 :])
        )
    for position, (turn, other) in enumerate(pairwise(trace.turns)):
        if turn.step.watermark is None and not (other.added or other.removed):
            both = replace(other.step, events=turn.step.events + other.step.events)
            merged = replace(turn, step=both)
            yield replace(
                trace, turns=(*trace.turns[:position], merged, *trace.turns[position + 2 :])
            )
    for position in range(len(trace.queries)):
        yield without_invalid_actions(
            replace(trace, queries=trace.queries[:position] + trace.queries[position + 1 :])
        )
    for position, turn in enumerate(trace.turns):
        for less in _turns(turn):
            yield without_invalid_actions(
                replace(trace, turns=(*trace.turns[:position], less, *trace.turns[position + 1 :]))
            )
    for settings in _settings(trace.settings):
        yield replace(trace, settings=settings)


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
