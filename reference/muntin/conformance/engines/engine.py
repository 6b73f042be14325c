"""What the kit knows of an engine: its description, and its answers to traces."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from muntin.conformance.machines.random_choices import NAMED_WINDOWS
from muntin.conformance.transcript.expectations import JsonRow
from muntin.conformance.transcript.json_reader import Json
from muntin.conformance.transcript.model import OperatorTranscript
from muntin.conformance.transcript.replay import output_rows, replay, unsupported_reason, write
from muntin.spec.errors import MuntinError
from muntin.spec.operator import Operator
from muntin.spec.query import Settings
from muntin.wire.messages import EngineDescription, Row, read_trace
from muntin.wire.server import answers_of
from muntin.wire.step_adapter import StepAdapter


@dataclass(frozen=True)
class EngineAnswer:
    """The results and late events of a trace; or why the engine has none.

    `is_lost` says that the process of the engine ended or hung instead of an answer.
    """

    results: tuple[JsonRow, ...] = ()
    late: tuple[JsonRow, ...] | None = None
    unsupported: str | None = None
    error: str | None = None
    is_lost: bool = False


class TracedEngine(ABC):
    """An engine that answers traces, each a transcript with one query and without expectations."""

    description: EngineDescription

    @abstractmethod
    def answers(self, traces: Sequence[OperatorTranscript]) -> list[EngineAnswer]:
        """Replay each trace from the beginning."""

    def close(self) -> None:  # noqa: B027 - most engines have none
        """End its process, if it has one."""

    def __enter__(self) -> Self:
        """Use the engine until the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the engine."""
        self.close()


def trace_message(trace: OperatorTranscript) -> dict[str, Json]:
    """A trace as the wire has it: the transcript of its one query.

    >>> from muntin.conformance.transcript.model import parse
    >>> window = '{"id": "q", "window": {"type": "session", "gap": 3}, "aggregate": "collect"}'
    >>> trace = parse('{"muntin": 1, "queries": [' + window + '], "steps": [{"watermark": "end"}]}')
    >>> trace_message(trace)["window"], trace_message(trace)["steps"]
    ({'type': 'session', 'gap': 3}, [{'watermark': 'end'}])
    """
    document = write(trace.queries, trace.turns, trace.settings)
    (query,) = trace.queries
    window: Json = document["queries"]
    if not isinstance(window, list) or not isinstance(window[0], dict):
        raise TypeError("a document has a list of queries")
    names = ("allowed_lateness", "output", "steps")
    return {
        "window": window[0]["window"],
        "aggregate": query.aggregate.name,
        **{name: document[name] for name in names},
    }


class OperatorEngine(TracedEngine):
    """An operator of Python in this process: anything that subclasses `Operator`."""

    def __init__(self, name: str, build: Callable[[Settings], Operator]) -> None:
        """Take what builds an operator for the settings of a run."""
        self._build = build
        self.description = EngineDescription(
            name,
            "in this process",
            tuple(NAMED_WINDOWS),
            outputs=("accumulate-retract", "accumulate", "discard", "final"),
            clock="explicit",
            level="sequence",
            late=True,
            kinds=True,
            batches=True,
            lateness=True,
            offsets=True,
        )

    def answers(self, traces: Sequence[OperatorTranscript]) -> list[EngineAnswer]:
        """Run a new operator for each trace."""
        return [self._answer(trace) for trace in traces]

    def _answer(self, trace: OperatorTranscript) -> EngineAnswer:
        try:
            if why := unsupported_reason(trace, self._build):
                return EngineAnswer(unsupported=why)
            return operator_answer(trace, self._build(trace.settings))
        except MuntinError as error:
            return EngineAnswer(error=str(error))
        except Exception as bug:  # noqa: BLE001 - to crash is an answer
            return EngineAnswer(error=f"{type(bug).__name__}: {bug}")


def operator_answer(trace: OperatorTranscript, operator: Operator) -> EngineAnswer:
    """The answer of an operator to a trace."""
    outputs = enumerate(replay(trace, operator))
    rows = [row for step, output in outputs for row in output_rows(step, output)]
    late = [
        {"step": row["step"], "v": event["v"]}
        for row in rows
        if isinstance(events := row.get("late"), list)
        for event in events
        if isinstance(event, dict)
    ]
    return EngineAnswer(tuple(row for row in rows if "late" not in row), tuple(late))


class AdapterEngine(TracedEngine):
    """An operator behind a StepAdapter, in this process."""

    def __init__(self, adapter: StepAdapter) -> None:
        """Take the adapter."""
        self._adapter, self.description = adapter, adapter.description

    def answers(self, traces: Sequence[OperatorTranscript]) -> list[EngineAnswer]:
        """Replay each trace."""
        parsed = [read_trace(trace_message(trace)) for trace in traces]
        return [
            engine_answer(answer)
            for answer in answers_of(lambda all_: [*map(self._adapter.replay, all_)], parsed)
        ]


def engine_answer(answer: Row) -> EngineAnswer:
    """The answer in a message whose form was checked."""
    unsupported, error = answer.get("unsupported"), answer.get("error")
    if isinstance(unsupported, str):
        return EngineAnswer(unsupported=unsupported)
    late = answer.get("late")
    return EngineAnswer(
        _rows(answer.get("results")),
        None if late is None else _rows(late),
        error=error if isinstance(error, str) else None,
    )


def _rows(rows: Json) -> tuple[JsonRow, ...]:
    return tuple(row for row in rows if isinstance(row, dict)) if isinstance(rows, list) else ()
