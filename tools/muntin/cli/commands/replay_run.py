"""One transcript on one implementation: its results, or the reason why there are none."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from traceback import extract_tb
from typing import Literal

from muntin.conformance.output_comparison import order_difference
from muntin.conformance.transcript.expectations import Difference, JsonRow, differences
from muntin.conformance.transcript.model import OperatorTranscript, StructureTranscript, Transcript
from muntin.conformance.transcript.replay import (
    output_rows,
    replay,
    replay_calls,
    unsupported_reason,
)
from muntin.registry.implementations import OperatorEntry, StructureEntry
from muntin.registry.lookup import operators, structures
from muntin.spec.errors import MuntinError, UnsupportedError

Outcome = Literal["done", "unsupported", "error"]
Tick = Callable[[], None]
"""Called after each step, for a progress bar."""


@dataclass
class ReplayRun:
    """The lines of a replay and its outcome. One that is unsupported has no lines."""

    name: str
    lines: list[JsonRow] = field(default_factory=list[JsonRow])
    outcome: Outcome = "done"
    why: str = ""
    disorder: list[str] = field(default_factory=list[str])
    """For each step whose results are out of order within a key, the first such key."""

    def differences(self, transcript: Transcript) -> list[Difference]:
        """The differences from the lines that the transcript expects."""
        return differences(transcript.expected, self.lines)


Replay = tuple[ReplayRun, Iterator[list[JsonRow]]]
"""A run that has not begun, and the lines of its steps."""


def runs(transcript: Transcript, name: str, tick: Tick) -> Iterator[ReplayRun]:
    """Replay a transcript on each implementation of this name."""
    if isinstance(transcript, OperatorTranscript):
        replays = [_operator(transcript, entry) for entry in operators(name)]
        other = "a structure, and this transcript is for operators"
    else:
        replays = [_structure(transcript, entry) for entry in structures(name)]
        other = "an operator, and this transcript is for structures"
    for run, steps in replays:
        yield _complete(run, steps, tick)
    if not replays:
        yield ReplayRun(name, outcome="unsupported", why=f"{name} is {other}")


def tick_count(transcript: Transcript, name: str) -> int:
    """The number of ticks of all runs."""
    if isinstance(transcript, OperatorTranscript):
        return len(transcript.turns) * len(operators(name))
    return len(transcript.calls) * len(structures(name))


def _operator(transcript: OperatorTranscript, entry: OperatorEntry) -> Replay:
    run = ReplayRun(entry.name)

    def steps() -> Iterator[list[JsonRow]]:
        if why := unsupported_reason(transcript, entry.build):
            raise UnsupportedError(why)
        outputs = replay(transcript, entry.build(transcript.settings))
        registered_outputs = zip(transcript.registered_queries(), outputs, strict=True)
        for step, (queries, output) in enumerate(registered_outputs):
            if difference := order_difference(output, queries):
                run.disorder.append(f"step {step}, {difference}")
            yield output_rows(step, output)

    return run, steps()


def _structure(transcript: StructureTranscript, entry: StructureEntry) -> Replay:
    def steps() -> Iterator[list[JsonRow]]:
        yield from replay_calls(transcript, entry.build(transcript.aggregate.monoid))

    return ReplayRun(entry.name), steps()


def _complete(run: ReplayRun, steps: Iterator[list[JsonRow]], tick: Tick) -> ReplayRun:
    try:
        for step in steps:
            run.lines += step
            tick()
    except UnsupportedError as refused:
        return ReplayRun(run.name, outcome="unsupported", why=str(refused))
    except MuntinError as error:
        run.outcome, run.why = "error", str(error)
    except Exception as crash:  # noqa: BLE001 - no crash may stop the files that follow
        run.outcome, run.why = "error", f"{run.name} crashed: {_crash_text(crash)}"
    return run


def _crash_text(crash: Exception) -> str:
    last = extract_tb(crash.__traceback__)[-1]
    return f"{crash!r} ({last.filename}:{last.lineno})"
