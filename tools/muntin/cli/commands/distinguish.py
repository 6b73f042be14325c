"""`muntin distinguish`: the smallest trace on which two engines differ."""

import json
import shlex
from argparse import ArgumentParser, Namespace
from contextlib import ExitStack

from muntin.cli.commands.verify import changed_dialect
from muntin.conformance.engines.distinction import (
    Distinction,
    common_description,
    dialect_engine,
    distinguish,
)
from muntin.conformance.engines.engine import TracedEngine, trace_message
from muntin.conformance.engines.failure_table import answer_fields, comparison_lines
from muntin.conformance.engines.process_engine import TRACE_SECONDS
from muntin.conformance.transcript.json_reader import Json
from muntin.console.messages import say
from muntin.console.progress import ProgressBar
from muntin.registry.engine_lookup import open_engine
from muntin.spec.dialect import OURS
from muntin.spec.errors import positive

OK, INDISTINCT = 0, 1
DIALECT = "dialect:"

HELP = "find the smallest trace on which two engines differ"
DESCRIPTION = "Replay every trace, the smaller first, until two engines differ."
EPILOG = """\
A and B are engines, as `muntin verify` takes them (a command in quotes), or dialects of the
specification, such as dialect:lateness=window, or dialect: for ours. The size of a trace is
how many events and watermarks it has. All smaller ones are replayed before it, at times 0
to 5, with and without a key, in a small window of each type that both engines have.

exit status:
  0  a trace distinguishes them
  1  they answer --max-traces traces alike
  2  the command line is wrong, or they have no window type in common

examples:
  muntin distinguish polars duckdb
  muntin distinguish my_module:MyAdapter dialect:lateness=window --windows session
  muntin distinguish dialect: dialect:session_merge=le --json
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments."""
    add = parser.add_argument
    add("first", metavar="A", help="an engine, or a dialect")
    add("second", metavar="B", help="another")
    add("--windows", default="", metavar="TYPES", help="window types, with commas (default: all)")
    add("--max-traces", type=int, default=5000, help="traces to replay (default: 5000)")
    add("--timeout", type=float, default=TRACE_SECONDS, help="seconds a trace may take")
    add("--json", action="store_true", help="print one JSON document")


def run(arguments: Namespace) -> int:
    """Run the command."""
    text: str = arguments.windows
    names: tuple[str, str] = arguments.first, arguments.second
    most = positive(arguments.max_traces, "the number of traces")
    with ExitStack() as stack:
        first, second = (stack.enter_context(_open(n, arguments.timeout)) for n in names)
        windows = [name for name in text.split(",") if name]
        progress = stack.enter_context(ProgressBar("traces", most))
        outcome = distinguish(first, second, windows, most, progress.tick)
        if arguments.json:
            say(json.dumps(document(outcome, names)))
        elif isinstance(outcome, Distinction):
            about = common_description(first.description, second.description)
            say(f"{outcome.agreements} smaller traces are answered alike; this one is not")
            for line in comparison_lines(outcome.trace, outcome.answers, names, about):
                say(f"  {line}".rstrip())
        else:
            say(f"{names[0]} and {names[1]} answer {outcome} traces alike")
    return OK if isinstance(outcome, Distinction) else INDISTINCT


def _open(name: str, seconds: float) -> TracedEngine:
    if name.startswith(DIALECT):
        return dialect_engine(changed_dialect(OURS, name.removeprefix(DIALECT)))
    engine, _ = open_engine(shlex.split(name), seconds)
    return engine


def document(outcome: Distinction | int, names: tuple[str, str]) -> dict[str, Json]:
    """The outcome as JSON: the trace in the form of the wire, and both answers."""
    if not isinstance(outcome, Distinction):
        return {"agreements": outcome, "trace": None}
    answers: dict[str, Json] = {
        name: answer_fields(answer) for name, answer in zip(names, outcome.answers, strict=True)
    }
    return {
        "agreements": outcome.agreements,
        "trace": trace_message(outcome.trace),
        "answers": answers,
    }
