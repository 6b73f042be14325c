"""The side of the adapter: it answers requests on stdin until there are no more."""

import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TextIO

from muntin.wire.messages import (
    EngineDescription,
    Json,
    Row,
    UnsupportedTraceError,
    WireTrace,
    read_trace,
)
from muntin.wire.step_adapter import StepAdapter

Replay = Callable[[WireTrace], Iterable[Row]]
"""The rows with which an engine answers a trace."""
ReplayPack = Callable[[Sequence[WireTrace]], Sequence[Iterable[Row]]]
"""The same for several traces in one run of the engine."""


def serve(
    adapter: EngineDescription | StepAdapter,
    replay: Replay | None = None,
    *,
    replay_pack: ReplayPack | None = None,
) -> None:
    """Answer requests until stdin ends: with a StepAdapter, or a description and a function.

    Whatever the engine prints to stdout goes to stderr, for stdout belongs to the replies.
    """
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    if isinstance(adapter, StepAdapter):
        description, replay = adapter.description, adapter.replay
    else:
        description = adapter
    pack = replay_pack or _one_by_one(replay)
    for line in sys.stdin:
        request: Row = json.loads(line)
        hello = request["op"] == "hello"
        _send(replies, description.to_message() if hello else _results(request, pack))


def _one_by_one(replay: Replay | None) -> ReplayPack:
    if replay is None:
        raise TypeError("serve needs a StepAdapter, or a function that replays a trace")

    def lazily(trace: WireTrace) -> Iterator[Row]:
        yield from replay(trace)

    return lambda traces: [lazily(trace) for trace in traces]


def _send(replies: TextIO, message: Row) -> None:
    replies.write(json.dumps(message) + "\n")
    replies.flush()


def _results(request: Row, pack: ReplayPack) -> Row:
    start, messages = time.perf_counter(), request["traces"]
    if not isinstance(messages, list):
        raise TypeError(f"the traces of a request must be a list, not {messages!r}")
    traces = [read_trace(message) for message in messages if isinstance(message, dict)]
    answers: list[Json] = [*answers_of(pack, traces)]
    spent = round((time.perf_counter() - start) * 1000, 3)
    return {"type": "results", "id": request["id"], "ms": spent, "answers": answers}


def answers_of(pack: ReplayPack, traces: Sequence[WireTrace]) -> list[Row]:
    """The answer to each trace: its rows, or why there are none."""
    try:
        replays = pack(traces)
    except Exception as error:  # noqa: BLE001 - whatever the engine raises is its answer
        return [_failure(error)] * len(traces)
    return [_answer(rows) for rows in replays]


def _answer(replay: Iterable[Row]) -> Row:
    try:
        rows = [*replay]
    except Exception as error:  # noqa: BLE001 - whatever the engine raises is its answer
        return _failure(error)
    results: list[Json] = [dict(row) for row in rows if row["type"] == "result"]
    late: list[Json] = [dict(row) for row in rows if row["type"] == "late"]
    return {"results": results, "late": late}


def _failure(error: Exception) -> Row:
    if isinstance(error, UnsupportedTraceError):
        return {"unsupported": str(error)}
    traceback.print_exception(error)
    return {"error": f"{type(error).__name__}: {error}"}
