"""An engine on random traces: how many the specification explains, and a smallest one it does not.

Every twentieth trace is replayed twice, for an engine may answer by chance.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from time import monotonic
from typing import Literal

from muntin.conformance.engines.agreement import agrees, is_same_answer
from muntin.conformance.engines.clock import EXPLICIT, Clock, specified_answer
from muntin.conformance.engines.engine import EngineAnswer, TracedEngine
from muntin.conformance.engines.engine_traces import engine_trace
from muntin.conformance.engines.trace_shrinking import shrink_in_packs
from muntin.conformance.machines.random_choices import SeededSource
from muntin.conformance.transcript.model import OperatorTranscript
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.errors import InvalidInputError, positive
from muntin.wire.messages import EngineDescription

REPEATED = 20
"""One trace in this many is replayed twice."""
MAX_LOST = 3
"""How many traces may end the process before no more are drawn."""
SHRINKING_SECONDS = 60.0

FailureKind = Literal["mismatch", "error", "unrepeatable"]


@dataclass(frozen=True)
class EngineFailure:
    """A trace on which an engine is wrong: another answer, none, or two that differ.

    If it is unrepeatable, `specified` is the other answer of the engine where that was right.
    """

    kind: FailureKind
    number: int
    trace: OperatorTranscript
    specified: EngineAnswer
    actual: EngineAnswer


@dataclass(frozen=True)
class VerificationPlan:
    """Which traces are drawn, and the dialect by which they are answered."""

    windows: tuple[str, ...]
    seed: int
    traces: int = 200
    dialect: Dialect = OURS
    stops: bool = False  # at the first failure
    clock: Clock = EXPLICIT
    by_window: Mapping[str, Dialect] = field(default_factory=dict[str, Dialect])

    @classmethod
    def of(cls, description: EngineDescription, plan: "VerificationPlan") -> "VerificationPlan":
        """The plan with every window of an engine, if it names none; an error if it lacks one."""
        positive(plan.traces, "the number of traces")
        check_clock(description, plan.clock)
        for window in plan.windows:
            if window not in description.windows:
                known = ", ".join(description.windows)
                message = f"{description.engine} has no {window!r} windows; it has {known}"
                raise InvalidInputError(message)
        return replace(plan, windows=plan.windows or tuple(description.windows))


def check_clock(description: EngineDescription, clock: Clock) -> None:
    """Refuse a clock that does not fit: an engine takes watermarks, or makes them of events."""
    made = description.clock == "greatest"
    if made != (clock.source == "greatest"):
        what = "makes its own watermarks" if made else "takes the watermarks of a trace"
        source = "greatest" if made else "explicit"
        raise InvalidInputError(
            f"{description.engine} {what}, so the source of its clock must be {source!r}, not "
            f"{clock.source!r} (--clock source={source})"
        )


@dataclass
class Verification:
    """What was drawn, by window type, and the first failure, shrunk."""

    description: EngineDescription
    plan: VerificationPlan
    traces: Counter[str] = field(default_factory=Counter[str])
    explained: Counter[str] = field(default_factory=Counter[str])
    unsupported: Counter[str] = field(default_factory=Counter[str])
    reasons: Counter[str] = field(default_factory=Counter[str])
    lost: int = 0
    failure: EngineFailure | None = None

    @property
    def unexplained(self) -> int:
        """The traces that the engine answered otherwise."""
        return self.traces.total() - self.explained.total() - self.unsupported.total()


def verify(
    engine: TracedEngine, plan: VerificationPlan, tick: Callable[[int], None] = lambda _: None
) -> Verification:
    """Hold an engine to the specification on random traces; a failure is confirmed and shrunk."""
    plan = VerificationPlan.of(engine.description, plan)
    outcome = Verification(engine.description, plan)
    drawn = enumerate(drawn_traces(engine.description, plan))
    while outcome.lost < MAX_LOST and (
        pack := [*islice(drawn, max(1, engine.description.max_traces))]
    ):
        failures = [*_failures(engine, pack, outcome)]
        outcome.failure = next(iter([outcome.failure] if outcome.failure else failures), None)
        tick(len(pack))
        if outcome.failure and plan.stops:
            break
    if outcome.failure and outcome.failure.kind != "unrepeatable":
        outcome.failure = confirmed_failure(engine, outcome.failure, plan.clock)
    return outcome


def drawn_traces(
    description: EngineDescription, plan: VerificationPlan
) -> Iterator[OperatorTranscript]:
    """The traces of a plan: the window types take turns, so that each has its share."""
    for number in range(plan.traces):
        window = plan.windows[number % len(plan.windows)]
        source = SeededSource(f"{plan.seed}:{number}")
        yield engine_trace(source, description, [window], plan.by_window.get(window, plan.dialect))


def _failures(
    engine: TracedEngine, pack: Sequence[tuple[int, OperatorTranscript]], outcome: Verification
) -> Iterator[EngineFailure]:
    answers = engine.answers([trace for _, trace in pack])
    repeated = [(number, trace) for number, trace in pack if number % REPEATED == 0]
    numbers = [number for number, _ in repeated]
    second = dict(zip(numbers, engine.answers([trace for _, trace in repeated]), strict=True))
    for (number, trace), actual in zip(pack, answers, strict=True):
        window, specified = (
            trace.queries[0].window.name,
            specified_answer(trace, outcome.plan.clock),
        )
        outcome.traces[window] += 1
        outcome.lost += actual.is_lost
        again = second.get(number, actual)
        if not is_same_answer(actual, again, engine.description):
            yield EngineFailure("unrepeatable", number, trace, again, actual)
        elif actual.unsupported:
            outcome.unsupported[window] += 1
            outcome.reasons[actual.unsupported] += 1
        elif agrees(specified, actual, engine.description):
            outcome.explained[window] += 1
        else:
            kind: FailureKind = "error" if actual.error else "mismatch"
            yield EngineFailure(kind, number, trace, specified, actual)


def confirmed_failure(engine: TracedEngine, failure: EngineFailure, clock: Clock) -> EngineFailure:
    """The failure on a smaller trace; unrepeatable, if the engine answers otherwise this time."""
    (again,) = engine.answers([failure.trace])
    if not is_same_answer(failure.actual, again, engine.description):
        return replace(failure, kind="unrepeatable", specified=again)
    deadline = monotonic() + SHRINKING_SECONDS

    def fails(traces: Sequence[OperatorTranscript]) -> list[bool]:
        if monotonic() > deadline:
            return [False] * len(traces)
        pairs = zip(traces, engine.answers(traces), strict=True)
        return [_kind(engine, trace, answer, clock) == failure.kind for trace, answer in pairs]

    trace = shrink_in_packs(failure.trace, fails, engine.description)
    (actual,) = engine.answers([trace])
    specified = specified_answer(trace, clock)
    return replace(failure, trace=trace, specified=specified, actual=actual)


def _kind(
    engine: TracedEngine, trace: OperatorTranscript, answer: EngineAnswer, clock: Clock
) -> FailureKind | None:
    if answer.unsupported or agrees(specified_answer(trace, clock), answer, engine.description):
        return None
    return "error" if answer.error else "mismatch"
