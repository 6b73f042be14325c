"""A trace on which an operator is wrong, made as small as leaving things out can make it."""

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
    """Return a trace that still fails, and of which nothing can be left out alone."""
    while smaller := next((one for one in simpler_traces(trace) if fails(one)), None):
        trace = smaller
    return trace


def simpler_traces(trace: OperatorTranscript) -> Iterator[OperatorTranscript]:
    """Yield the traces with one thing less, largest things first."""
    for nth in range(len(trace.turns)):
        yield without_invalid_actions(
            replace(trace, turns=trace.turns[:nth] + trace.turns[nth + 1 :])
        )
    for nth, (one, other) in enumerate(pairwise(trace.turns)):
        if one.step.watermark is None and not (other.added or other.removed):
            both = replace(other.step, events=one.step.events + other.step.events)
            merged = replace(one, step=both)
            yield replace(trace, turns=(*trace.turns[:nth], merged, *trace.turns[nth + 2 :]))
    for nth in range(len(trace.queries)):
        yield without_invalid_actions(
            replace(trace, queries=trace.queries[:nth] + trace.queries[nth + 1 :])
        )
    for nth, turn in enumerate(trace.turns):
        for less in _turns(turn):
            yield without_invalid_actions(
                replace(trace, turns=(*trace.turns[:nth], less, *trace.turns[nth + 1 :]))
            )
    for settings in _settings(trace.settings):
        yield replace(trace, settings=settings)


def _turns(turn: TranscriptStep) -> Iterator[TranscriptStep]:
    if turn.added:
        yield replace(turn, added=turn.added[1:])
    if turn.removed:
        yield replace(turn, removed=turn.removed[1:])
    events = turn.step.events
    for nth, event in enumerate(events):
        for less in ((), *((plainer,) for plainer in _events(event))):
            kept = (*events[:nth], *less, *events[nth + 1 :])
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
