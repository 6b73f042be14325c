"""Which dialect and clock an engine follows: all that explain the most random traces, as a class.

Dialects are scored and never struck out, for one fault of an engine would strike out the right
one. What remains is every dialect with the best score. Decisions in which these differ are open:
no trace that was drawn distinguishes them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from types import MappingProxyType

from muntin.conformance.engines.agreement import agrees
from muntin.conformance.engines.clock import EXPLICIT, Clock, read_clock, specified_answer
from muntin.conformance.engines.engine import EngineAnswer, TracedEngine
from muntin.conformance.engines.engine_traces import engine_trace
from muntin.conformance.machines.random_choices import DECISIONS, SeededSource
from muntin.conformance.transcript.json_reader import Json, JsonNode
from muntin.conformance.transcript.model import OperatorTranscript
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.errors import InvalidInputError
from muntin.wire.messages import EngineDescription

PERIODIC = ("first_window", "alignment", "edges")
SHOWN_BY: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "tumbling": PERIODIC,
        "sliding": PERIODIC,
        "session": ("session_merge", "session_end"),
        "count": ("count_order",),
        "rolling": ("ties", "rows"),
        "cumulate": ("alignment", "edges"),
    }
)
"""The decisions that a window type can show."""
OF_WATERMARKS = ("closing", "lateness", "late_update")
"""The decisions that watermarks show, which a batch has not."""
CHOICES = {**DECISIONS, "closing": (0, 1, -1)}
ROUNDS = (4, 12, 40)
"""After how many traces the worse dialects are left out."""
CLOCK_TRACES = 24
"""On how many traces clocks are compared, with the dialects of CLOCK_DIALECTS."""
CLOCK_DIALECTS = (
    OURS,
    Dialect(lateness="window"),
    Dialect(session_merge="le", session_end="last"),
    Dialect(session_merge="le", lateness="window"),
    Dialect(session_merge="le", session_end="last", closing=1),
    Dialect(lateness="window", first_window="nonnegative"),
)
"""Dialects of usual engines: one of them is near enough to choose a clock."""
KEPT = 4
"""A round keeps one dialect in this many, and all that are as good."""


@dataclass(frozen=True)
class WindowInference:
    """The dialects that explain the most traces of a window type."""

    window: str
    traces: int
    explained: int
    dialects: tuple[Dialect, ...]
    clock: Clock = EXPLICIT

    @property
    def decisions(self) -> dict[str, tuple[Json, ...]]:
        """The decisions that the window type shows, each with its values in these dialects."""
        names = [name for name in CHOICES if name in (*OF_WATERMARKS, *SHOWN_BY[self.window])]
        return {name: tuple(v for v in CHOICES[name] if v in self._values(name)) for name in names}

    def _values(self, name: str) -> set[Json]:
        return {getattr(dialect, name) for dialect in self.dialects}


@dataclass(frozen=True)
class InferencePlan:
    """Which window types are drawn, from which seed, and how many traces of each."""

    windows: tuple[str, ...]
    seed: int
    traces: int = 100


def candidate_dialects(window: str, description: EngineDescription) -> Iterator[Dialect]:
    """Every dialect that differs in what a window type of an engine can show.

    >>> batch = EngineDescription("polars", "2", ["rolling"])
    >>> [(dialect.ties, dialect.rows) for dialect in candidate_dialects("rolling", batch)]
    [('peers', 'instant'), ('peers', 'event'), ('rows', 'instant'), ('rows', 'event')]
    """
    more = () if description.clock == "none" else OF_WATERMARKS
    names = (*more, *SHOWN_BY[window])
    for values in product(*(CHOICES[name] for name in names)):
        yield replace(OURS, **dict(zip(names, values, strict=True)))


def infer(
    engine: TracedEngine, plan: InferencePlan, tick: Callable[[], None] = lambda: None
) -> list[WindowInference]:
    """Infer the dialects of each window type of an engine that it supports."""
    for window in plan.windows:
        if window not in engine.description.windows:
            known = ", ".join(engine.description.windows)
            message = f"{engine.description.engine} has no {window!r} windows; it has {known}"
            raise InvalidInputError(message)
    inferences = list[WindowInference]()
    for window in plan.windows or engine.description.windows:
        sources = [SeededSource(f"{plan.seed}:{window}:{n}") for n in range(plan.traces)]
        traces = [engine_trace(source, engine.description, [window]) for source in sources]
        answers = zip(traces, engine.answers(traces), strict=True)
        supported = [(trace, answer) for trace, answer in answers if not answer.unsupported]
        if supported:
            inferences.append(_inference(window, supported, engine.description, tick))
    return inferences


Answered = tuple[OperatorTranscript, EngineAnswer]


def _inference(
    window: str,
    answers: Sequence[Answered],
    description: EngineDescription,
    tick: Callable[[], None],
) -> WindowInference:
    clock = best_clock(answers[:CLOCK_TRACES], description)
    scores = dict.fromkeys(candidate_dialects(window, description), 0)
    first = 0
    for last in (*(n for n in ROUNDS if n < len(answers)), len(answers)):
        for dialect in scores:
            scores[dialect] += sum(
                is_explained(trace, answer, dialect, description, clock)
                for trace, answer in answers[first:last]
            )
            tick()
        ranked = sorted(scores.values(), reverse=True)
        least = ranked[0] if last == len(answers) else ranked[(len(ranked) - 1) // KEPT]
        scores = {dialect: score for dialect, score in scores.items() if score >= least}
        first = last
    return WindowInference(window, len(answers), max(scores.values()), tuple(scores), clock)


def candidate_clocks(description: EngineDescription) -> Iterator[Clock]:
    """The clocks that an engine may have: one for each key, and small delays, come later."""
    if description.clock != "greatest":
        yield EXPLICIT
        return
    scopes, ends, acts = ("stream", "key"), ("flush", "nothing"), ("at_once", "next_step")
    delays: tuple[Json, ...] = (0, 1, 2, 3, "gap")
    for scope, end, act, delay in product(scopes, ends, acts, delays):
        fields: dict[str, Json] = {"scope": scope, "ends": end, "acts": act, "delay": delay}
        yield read_clock(JsonNode({"source": "greatest", **fields}))


def best_clock(answers: Sequence[Answered], description: EngineDescription) -> Clock:
    """The clock that explains the most with some usual dialect; the simplest of the best."""
    clocks = [*candidate_clocks(description)]

    def score(clock: Clock) -> int:
        return max(
            sum(is_explained(trace, answer, d, description, clock) for trace, answer in answers)
            for d in CLOCK_DIALECTS
        )

    return clocks[0] if len(clocks) == 1 else max(clocks, key=score)


def is_explained(
    trace: OperatorTranscript,
    answer: EngineAnswer,
    dialect: Dialect,
    description: EngineDescription,
    clock: Clock = EXPLICIT,
) -> bool:
    """Whether the specification answers a trace in a dialect as the engine does."""
    spoken = replace(trace, settings=replace(trace.settings, dialect=dialect))
    return agrees(specified_answer(spoken, clock), answer, description)


def common_decisions(inferences: Sequence[WindowInference]) -> dict[str, tuple[Json, ...]]:
    """The values of each decision that all window types leave; none, if types differ in it."""
    names = {name: None for inference in inferences for name in inference.decisions}
    return {
        field.name: tuple(
            value
            for value in CHOICES[field.name]
            if all(value in i.decisions.get(field.name, (value,)) for i in inferences)
        )
        for field in fields(Dialect)
        if field.name in names
    }
