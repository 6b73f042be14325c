"""The wire: how an engine in a process of its own replays traces, as JSON lines.

It imports the standard library alone and runs on Python 3.10, so that it fits into the environment
of any engine. The messages are described in docs/wire.md; the side of the kit is
`muntin.conformance.engines`.
"""

from muntin.wire.messages import (
    EngineDescription,
    UnsupportedTraceError,
    WireEvent,
    WireStep,
    WireTrace,
    late,
    result,
)
from muntin.wire.server import serve
from muntin.wire.step_adapter import StepAdapter

__all__ = [
    "EngineDescription", "StepAdapter", "UnsupportedTraceError", "WireEvent", "WireStep",
    "WireTrace", "late", "result", "serve",
]  # fmt: skip
