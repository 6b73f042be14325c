"""An engine in a process of its own, which is started anew when it is lost."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from muntin.conformance.engines.adapter_process import AdapterProcess, LostAdapterError
from muntin.conformance.engines.engine import EngineAnswer, TracedEngine, trace_message
from muntin.conformance.engines.replies import (
    LAST,
    check_number,
    is_last,
    read_answers,
    read_description,
    read_late,
    read_result,
)
from muntin.conformance.transcript.json_reader import Json, JsonNode, TranscriptError
from muntin.conformance.transcript.model import OperatorTranscript
from muntin.wire.messages import VERSION, EngineDescription, Row

START_SECONDS, TRACE_SECONDS = 120.0, 30.0
"""The time limits of a start, and of each trace."""


@dataclass(frozen=True)
class EngineCommand:
    """What starts an engine: a name, the words of a command, and its folder."""

    name: str
    words: tuple[str, ...]
    folder: Path = Path()


class ProcessEngine(TracedEngine):
    """An adapter on the other side of the wire; traces that share a request are a pack."""

    def __init__(self, command: EngineCommand, seconds: float = TRACE_SECONDS) -> None:
        """Start the process, and read its description."""
        self._command, self._seconds, self._requests, self.restarts = command, seconds, 0, 0
        self._process: AdapterProcess | None = None
        self.description = self._connect()

    def close(self) -> None:
        """End the process; an error if it wrote more than its replies."""
        if self._process:
            process, self._process = self._process, None
            try:
                rest = process.close()
                if rest.strip():
                    what = f"wrote more after its last reply: {rest.strip()[:300]!r}"
                    raise process.error(what)
            finally:
                process.discard()

    def answers(self, traces: Sequence[OperatorTranscript]) -> list[EngineAnswer]:
        """Replay traces in packs; if a pack is lost, each of its traces alone."""
        pack, ask = self.description.max_traces, self._ask_pack
        if self.description.form == "steps":
            pack, ask = 1, self._ask_steps
        packs = [traces[i : i + pack] for i in range(0, len(traces), pack)]
        return [answer for traces in packs for answer in self._guarded(ask, traces)]

    def _guarded(
        self,
        ask: Callable[[Sequence[OperatorTranscript]], list[EngineAnswer]],
        traces: Sequence[OperatorTranscript],
    ) -> list[EngineAnswer]:
        try:
            return ask(traces)
        except LostAdapterError as error:
            self._abandon()
            self.restarts += 1
            if len(traces) > 1:
                return [answer for trace in traces for answer in self._guarded(ask, [trace])]
            return [EngineAnswer(error=str(error), is_lost=True)]
        except BaseException:
            self._abandon()
            raise

    def _abandon(self) -> None:
        if self._process:
            self._process.discard()
            self._process = None

    def _connect(self) -> EngineDescription:
        if self._process is None:
            self._process = AdapterProcess(
                self._command.name, self._command.words, self._command.folder
            )
            request: Row = {"op": "hello", "muntin": VERSION}
            try:
                (reply,) = self._process.replies(request, START_SECONDS, lambda _: True)
                with self._blame():
                    self._described = read_description(reply)
            except BaseException:
                self._abandon()
                raise
        return self._described

    def _replies(
        self, request: Row, seconds: float, last: Callable[[JsonNode], bool]
    ) -> list[JsonNode]:
        _ = self._connect()
        if self._process is None:
            raise TypeError("the engine is closed")
        self._requests += 1
        return self._process.replies({**request, "id": self._requests}, seconds, last)

    @contextmanager
    def _blame(self) -> Generator[None, None, None]:
        """Turn an error in the form of a reply into one of the adapter."""
        try:
            yield
        except TranscriptError as error:
            if self._process is None:
                raise
            raise self._process.error(f"broke the form of replies: {error}") from error

    def _ask_pack(self, traces: Sequence[OperatorTranscript]) -> list[EngineAnswer]:
        messages: list[Json] = [trace_message(trace) for trace in traces]
        request: Row = {"op": "traces", "traces": messages}
        (reply,) = self._replies(request, self._seconds * len(traces), lambda _: True)
        steps = [len(trace.turns) for trace in traces]
        with self._blame():
            return read_answers(reply, self._requests, steps)

    def _ask_steps(self, traces: Sequence[OperatorTranscript]) -> list[EngineAnswer]:
        return [self._replay_steps(trace) for trace in traces]

    def _replay_steps(self, trace: OperatorTranscript) -> EngineAnswer:
        results, late = list[Row](), list[Row]()
        for step, request in step_requests(trace):
            *rows, last = self._replies(request, self._seconds, is_last)
            with self._blame():
                for row in rows:
                    kept = {**read_row(row, len(trace.turns)), "step": step}
                    (late if "start" not in kept else results).append(kept)
                ending = read_ending(last, self._requests)
            if ending:
                return ending
        return EngineAnswer(tuple(results), tuple(late) if self.description.late else None)


def step_requests(trace: OperatorTranscript) -> list[tuple[int, Row]]:
    """The requests of a trace in the steps form, flat objects, each with its step."""
    message = trace_message(trace)
    window, steps = message.pop("window"), message.pop("steps")
    if not isinstance(window, dict) or not isinstance(steps, list):
        raise TypeError("a trace has a window and steps")
    parameters = {name: value for name, value in window.items() if name != "type"}
    requests: list[tuple[int, Row]] = [
        (0, {"op": "start", "window": window["type"], **parameters, **message})
    ]
    for number, step in enumerate(steps):
        members = JsonNode(step).members()
        events = members["events"].items() if "events" in members else []
        requests += [(number, {"op": "event", **_flat(event)}) for event in events]
        if "watermark" in members:
            time = members["watermark"].value
            watermark: Row = {"op": "end"} if time == "end" else {"op": "watermark", "t": time}
            requests.append((number, watermark))
    return requests


def _flat(event: JsonNode) -> Row:
    return {name: member.value for name, member in event.members().items()}


def read_row(reply: JsonNode, steps: int) -> Row:
    """A reply that is a result or a late event."""
    kind = reply.members()["type"].one_of(("result", "late", *LAST))
    return read_late(reply, steps) if kind == "late" else read_result(reply, steps)


def read_ending(reply: JsonNode, number: int) -> EngineAnswer | None:
    """The answer that ends a trace early; None if the request is done."""
    members = reply.fields(("type", "id"), ("why",))
    check_number(members["id"], number)
    why = members["why"].text() if "why" in members else "no reason is given"
    if members["type"].value == "unsupported":
        return EngineAnswer(unsupported=why)
    return EngineAnswer(error=why) if members["type"].value == "error" else None
