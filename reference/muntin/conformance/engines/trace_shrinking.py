"""Smaller traces for an engine: without a part, or with smaller numbers.

What an engine could not take, such as a batch without its end, is left out.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from muntin.conformance.fuzz.fuzzer import simpler_traces
from muntin.conformance.transcript.json_reader import JsonNode
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.conformance.transcript.windows import read_window, write_window
from muntin.spec.errors import MuntinError
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.window import WindowType
from muntin.wire.messages import EngineDescription

MAX_TRIALS = 400
"""How many traces are tried, as many engines take long."""

FailsEach = Callable[[Sequence[OperatorTranscript]], list[bool]]
"""Whether the engine is wrong on each of a pack of traces."""


def shrink_in_packs(
    trace: OperatorTranscript, fails: FailsEach, description: EngineDescription
) -> OperatorTranscript:
    """A smaller trace that still fails; as many are tried at once as the engine takes."""
    trials, pack = 0, max(1, description.max_traces)
    while True:
        smaller_ones = smaller_traces(trace, description)
        candidates = (each for each in smaller_ones if _has_times_within(each, description))
        smaller = None
        while smaller is None and (tried := [*islice(candidates, pack)]) and trials < MAX_TRIALS:
            trials += len(tried)
            outcomes = zip(tried, fails(tried), strict=True)
            smaller = next((candidate for candidate, failed in outcomes if failed), None)
        if smaller is None:
            return trace
        trace = smaller


def smaller_traces(
    trace: OperatorTranscript, description: EngineDescription
) -> Iterator[OperatorTranscript]:
    """The traces of the same rules and the same query with one part less, or a smaller number."""
    for simpler in simpler_traces(trace):
        settings = replace(simpler.settings, allowed_lateness=trace.settings.allowed_lateness)
        kept = settings == trace.settings and simpler.queries == trace.queries
        if kept and _is_accepted(simpler, description):
            yield simpler
    yield from _with_smaller_times(trace)
    (query,) = trace.queries
    for window in smaller_windows(query.window, description.windows):
        yield replace(trace, queries=(replace(query, window=window),))
    for less in _smaller(trace.settings.allowed_lateness):
        yield replace(trace, settings=replace(trace.settings, allowed_lateness=less))


def _is_accepted(trace: OperatorTranscript, description: EngineDescription) -> bool:
    """Whether a trace has events, and steps that the engine takes."""
    sizes = [len(turn.step.events) for turn in trace.turns]
    if not any(sizes) or (
        description.clock != "explicit" and trace.turns[-1].step.watermark != END
    ):
        return False
    return description.clock == "none" or description.batches or max(sizes) == 1


def _has_times_within(trace: OperatorTranscript, description: EngineDescription) -> bool:
    """Whether the engine has all times of the events."""
    times = [event.time for turn in trace.turns for event in turn.step.events]
    return all(description.min_time <= time <= description.max_time for time in times)


def _smaller(number: int) -> list[int]:
    """Integers nearer to zero, the nearest first."""
    nearer = {0, int(number / 2), number - 1 if number > 0 else number + 1}
    return sorted((n for n in nearer if abs(n) < abs(number)), key=abs)


def _with_smaller_times(trace: OperatorTranscript) -> Iterator[OperatorTranscript]:
    times = [event.time for turn in trace.turns for event in turn.step.events]
    for shift in {min(times), max(times)} - {0} if times else ():
        yield replace(trace, turns=tuple(_shifted(turn, shift) for turn in trace.turns))
    for position, turn in enumerate(trace.turns):
        for step in _steps(turn.step):
            turns = (*trace.turns[:position], replace(turn, step=step))
            yield replace(trace, turns=(*turns, *trace.turns[position + 1 :]))


def _shifted(turn: TranscriptStep, by: int) -> TranscriptStep:
    """A turn earlier by so much."""
    events = tuple(replace(event, time=event.time - by) for event in turn.step.events)
    watermark = turn.step.watermark
    moved = watermark if watermark is None or watermark == END else int(watermark) - by
    return replace(turn, step=Step(events, moved))


def _steps(step: Step) -> Iterator[Step]:
    for position, event in enumerate(step.events):
        for time in _smaller(event.time):
            moved: tuple[Event, ...] = (replace(event, time=time),)
            events = (*step.events[:position], *moved, *step.events[position + 1 :])
            yield replace(step, events=events)
    if step.watermark is not None and step.watermark != END:
        for time in _smaller(int(step.watermark)):
            yield replace(step, watermark=time)


def smaller_windows(window: WindowType, names: Collection[str]) -> Iterator[WindowType]:
    """The windows with a parameter nearer to zero, of the types that an engine has.

    >>> from muntin.spec import sliding
    >>> [window.name for window in smaller_windows(sliding(2, 1), ["sliding", "tumbling"])]
    ['tumbling']
    """
    written = write_window(window)
    for name in [name for name, value in written.items() if isinstance(value, int)]:
        for less in _smaller(JsonNode(written[name]).integer()):
            with suppress(MuntinError):  # no window has the size 0
                smaller = read_window(JsonNode({**written, name: less}))
                if smaller.name in names:
                    yield smaller
