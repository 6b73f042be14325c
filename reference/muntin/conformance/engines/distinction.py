"""The smallest trace on which two engines differ: all traces in the order of their size.

A trace is a sequence of events and watermarks, then the end; its size is their number. So one that
is found is as small as any, at these times and windows. A dialect is an engine too: that of the
specification.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from muntin.conformance.engines.agreement import LEVELS, is_same_answer
from muntin.conformance.engines.engine import EngineAnswer, OperatorEngine, TracedEngine
from muntin.conformance.transcript.json_reader import Json, JsonNode
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.conformance.transcript.windows import read_window
from muntin.reference.specification import SpecificationOperator
from muntin.spec.algebra.catalogue import named
from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Mode, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.window import WindowType
from muntin.wire.messages import EngineDescription

TIMES = range(6)
KEYS = (None, "k")
EXAMPLES: tuple[dict[str, Json], ...] = (
    {"type": "tumbling", "size": 2},
    {"type": "sliding", "size": 3, "slide": 2},
    {"type": "session", "gap": 2},
    {"type": "count", "size": 2},
    {"type": "rolling", "size": 2},
    {"type": "cumulate", "size": 4, "step": 2},
)
"""A small window of each type."""
PACK = 50
"""How many traces are replayed before they are compared."""


@dataclass(frozen=True)
class Distinction:
    """A trace on which two engines differ, their answers, and how many traces they share."""

    trace: OperatorTranscript
    answers: tuple[EngineAnswer, EngineAnswer]
    agreements: int


def dialect_engine(dialect: Dialect) -> OperatorEngine:
    """The specification as an engine that has a dialect, whatever it is asked."""
    return OperatorEngine(
        "the specification",
        lambda settings: SpecificationOperator(replace(settings, dialect=dialect)),
    )


def common_description(a: EngineDescription, b: EngineDescription) -> EngineDescription:
    """What both engines take, and what both show."""
    windows = tuple(window for window in a.windows if window in b.windows)
    return replace(
        a,
        engine=f"{a.engine} and {b.engine}",
        windows=windows,
        outputs=tuple(mode for mode in a.outputs if mode in b.outputs),
        level=max(a.level, b.level, key=LEVELS.index),
        clock="none" if "none" in (a.clock, b.clock) else "explicit",
        late=a.late and b.late,
        kinds=a.kinds and b.kinds,
        keys=a.keys and b.keys,
    )


def distinguish(
    first: TracedEngine,
    second: TracedEngine,
    windows: Sequence[str],
    max_traces: int,
    tick: Callable[[int], None] = lambda _: None,
) -> Distinction | int:
    """A smallest trace that distinguishes two engines, or on how many they agree."""
    both = common_description(first.description, second.description)
    known = [window for window in both.windows if not windows or window in windows]
    for about in (first.description, second.description):
        if about.clock == "greatest" and "none" not in (
            first.description.clock,
            second.description.clock,
        ):
            what = (
                f"{about.engine} makes its own watermarks, so no trace with watermarks can be given"
            )
            raise InvalidInputError(f"{what} to both; use muntin verify")
    if not known:
        raise InvalidInputError(f"{both.engine} have no window type in common")
    if both.clock == "explicit" and not both.outputs:
        raise InvalidInputError(f"{both.engine} have no output mode in common")
    traces, agreements = islice(traces_by_size(both, known), max_traces), 0
    while pack := [*islice(traces, PACK)]:
        packs = [_in_shared_mode(pack, engine, both) for engine in (first, second)]
        answers = first.answers(packs[0]), second.answers(packs[1])
        tick(len(pack))
        for trace, *pair in zip(packs[0], *answers, strict=True):
            if not is_same_answer(pair[0], pair[1], both):
                return Distinction(trace, (pair[0], pair[1]), agreements)
            agreements += 1
    return agreements


def _in_shared_mode(
    traces: Sequence[OperatorTranscript], engine: TracedEngine, both: EngineDescription
) -> list[OperatorTranscript]:
    """The traces in an output mode; of a batch each shows the same, so an engine has its own."""
    known = both.outputs or engine.description.outputs
    mode = next(mode for mode in MODES if mode in known)
    return [replace(trace, settings=replace(trace.settings, output=mode)) for trace in traces]


MODES: tuple[Mode, ...] = ("accumulate", "final", "discard", "accumulate-retract")
"""Output modes, what shows most first."""

Action = Event | int
"""An event, or a watermark."""


def traces_by_size(
    description: EngineDescription, windows: Sequence[str]
) -> Iterator[OperatorTranscript]:
    """Yield every trace, the smaller first; of one size those with fewer watermarks, then keys."""
    types = [read_window(JsonNode(e)) for e in EXAMPLES if e["type"] in windows]
    watermarks: list[Action] = [*TIMES] if description.clock == "explicit" else []
    keys = KEYS if description.keys else KEYS[:1]
    alphabet = [*(Event(time, 0, key) for key in keys for time in TIMES), *watermarks]
    size = 0
    while True:
        size += 1
        sequences = sorted(product(alphabet, repeat=size), key=_weight)
        for actions in sequences:
            if any(isinstance(action, Event) for action in actions):
                yield from (_trace(window, actions, description) for window in types)


def _weight(actions: Sequence[Action]) -> tuple[int, int, int]:
    events = [action for action in actions if isinstance(action, Event)]
    times = sum(action.time if isinstance(action, Event) else action for action in actions)
    return len(actions) - len(events), sum(event.key is not None for event in events), times


def _trace(
    window: WindowType, actions: Sequence[Action], description: EngineDescription
) -> OperatorTranscript:
    steps = list[Step]()
    for action in actions:
        if isinstance(action, Event):
            value = sum(len(step.events) for step in steps)
            steps.append(Step((replace(action, value=value),)))
        else:
            steps.append(Step((), action))
    if description.clock == "none":
        steps = [Step(tuple(event for step in steps for event in step.events))]
    turns = tuple(TranscriptStep(step) for step in (*steps, Step((), END)))
    return OperatorTranscript((Query("q", window, named("collect")),), Settings(), turns)
