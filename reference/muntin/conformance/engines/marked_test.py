"""A test that is marked `windows`: what its mark means, and the text of its failure."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from muntin.conformance.engines.agreement import agrees
from muntin.conformance.engines.clock import read_clock, specified_answer
from muntin.conformance.engines.engine import AdapterEngine, OperatorEngine, TracedEngine
from muntin.conformance.engines.engine_folder import read_folder
from muntin.conformance.engines.failure_table import failure_lines, failure_transcript
from muntin.conformance.engines.process_engine import ProcessEngine
from muntin.conformance.engines.verification import (
    EngineFailure,
    Verification,
    VerificationPlan,
    verify,
)
from muntin.conformance.transcript.json_reader import Json, JsonNode
from muntin.conformance.transcript.model import OperatorTranscript, parse, read_dialect
from muntin.spec.errors import InvalidInputError
from muntin.spec.operator import Operator
from muntin.spec.query import Settings
from muntin.wire.step_adapter import StepAdapter

EngineLike: TypeAlias = TracedEngine | StepAdapter | Callable[[Settings], Operator] | str | Path
"""An engine, an adapter, what builds an operator, or the folder of an engine."""


@dataclass(frozen=True)
class MarkedTest:
    """A test: its id, where it writes the transcript of a failure, and the seed of the run."""

    id: str
    folder: Path
    seed: int

    def plan(
        self, windows: Sequence[str], seed: int, options: Mapping[str, Json]
    ) -> VerificationPlan:
        """The plan that a mark describes; an error names what a mark cannot have."""
        members = JsonNode({**options}, "the mark windows").fields(
            (), ("clock", "dialect", "traces")
        )
        dialect = read_dialect(members.get("dialect", JsonNode({})))
        traces = members["traces"].integer(least=1) if "traces" in members else 200
        clock = read_clock(members.get("clock", JsonNode({})))
        return VerificationPlan(tuple(windows), seed, traces, dialect, stops=True, clock=clock)

    def failure(self, engine: EngineLike, plan: VerificationPlan) -> str | None:
        """Why the test fails, if it does."""
        opened = open_engine_like(engine)
        with nullcontext(opened) if opened is engine else opened:
            outcome = verify(opened, plan)
        if outcome.failure:
            return self._text(outcome, outcome.failure)
        if not outcome.explained:
            reasons = "; ".join(outcome.reasons) or "it gives no reason"
            return f"{outcome.description.engine} supports none of the traces: {reasons}"
        return None

    def _text(self, outcome: Verification, failure: EngineFailure) -> str:
        about, plan = outcome.description, outcome.plan
        path = self.folder / f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', self.id.rpartition('::')[2])}.json"
        self.folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(failure_transcript(failure, outcome.plan.clock)) + "\n")
        kind = "answers by chance" if failure.kind == "unrepeatable" else "differs"
        lines = [f"{about.engine} {kind}: trace {failure.number + 1} of {plan.traces}, shrunk"]
        lines += [f"  {line}".rstrip() for line in failure_lines(failure, about)]
        lines += ["", f"again: pytest '{self.id}' --muntin-seed {self.seed}"]
        return "\n".join([*lines, f"the trace, with what is specified: {path}"])


def transcript_failure(engine: EngineLike, path: Path) -> str | None:
    """How an engine differs from the specification on the transcript in a file, if it does."""
    trace = parse(path.read_bytes())
    if not isinstance(trace, OperatorTranscript) or len(trace.queries) != 1:
        raise InvalidInputError(f"{path} must be a transcript of one query, for operators")
    opened = open_engine_like(engine)
    with nullcontext(opened) if opened is engine else opened:
        (actual,) = opened.answers([trace])
    specified = specified_answer(trace)
    if agrees(specified, actual, opened.description):
        return None
    if actual.unsupported:
        return f"{opened.description.engine} does not support {path}: {actual.unsupported}"
    failure = EngineFailure("error" if actual.error else "mismatch", 0, trace, specified, actual)
    lines = [f"{opened.description.engine} differs on {path}"]
    return "\n".join(
        [*lines, *(f"  {line}" for line in failure_lines(failure, opened.description))]
    )


def open_engine_like(engine: EngineLike) -> TracedEngine:
    """The engine itself, or one around an adapter, an operator, or the folder of a process."""
    if isinstance(engine, TracedEngine):
        return engine
    if isinstance(engine, StepAdapter):
        return AdapterEngine(engine)
    if isinstance(engine, str | Path):
        return ProcessEngine(read_folder(Path(engine)).command)
    if callable(engine):
        return OperatorEngine(getattr(engine, "__name__", repr(engine)), engine)
    what = "a StepAdapter, a class of operators, or the folder of an engine"
    raise InvalidInputError(f"{engine!r} is no engine: give {what}")
