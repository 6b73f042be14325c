"""`muntin verify`: an engine, anyone's, on random traces, compared with the specification."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from secrets import randbelow

from muntin.conformance.engines.clock import Clock, read_clock, write_clock
from muntin.conformance.engines.failure_table import (
    answer_fields,
    failure_lines,
    failure_transcript,
)
from muntin.conformance.engines.process_engine import TRACE_SECONDS
from muntin.conformance.engines.verification import (
    EngineFailure,
    Verification,
    VerificationPlan,
    verify,
)
from muntin.conformance.transcript.json_reader import Json, JsonNode
from muntin.conformance.transcript.model import read_dialect
from muntin.conformance.transcript.replay import write_dialect
from muntin.console.messages import say
from muntin.console.progress import ProgressBar
from muntin.registry.engine_lookup import open_engine
from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError, MuntinError

OK, FAILED, UNSUPPORTED = 0, 1, 3

HELP = "compare any engine with the specification on random traces"
DESCRIPTION = "Replay random traces on an engine, and compare its results with the specification."
EPILOG = """\
ENGINE is the name or the path of a folder with engine.toml; MODULE:NAME, an Operator
or a StepAdapter of your own; an operator of `muntin list`; or a command, which speaks
the wire (docs/wire.md): `muntin verify -- ./adapter --fast`. An adapter in Python needs
nothing installed: muntin.wire is put on its path.

Every trace that the engine answers as the specification does is explained. The first
other one is replayed again, shrunk, and printed; --out writes it as a transcript. One
trace in twenty is replayed twice: an engine must answer it in the same way.

exit status:
  0  every trace is explained
  1  some trace is not, or the adapter breaks the rules of the wire
  2  the command line is wrong
  3  the engine supports none of the traces

examples:
  muntin verify polars
  muntin verify my_module:MyAdapter --windows session --dialect session_merge=le
  muntin verify --traces 1000 --seed 1 --json -- java -jar adapter.jar
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments."""
    add = parser.add_argument
    add("engine", nargs="+", metavar="ENGINE", help="a folder, MODULE:NAME, or a command")
    add("--windows", default="", metavar="TYPES", help="window types, with commas (default: all)")
    add("--traces", type=int, default=200, help="how many traces (default: 200)")
    add("--seed", type=int, help="the seed of the traces (default: random)")
    add("--dialect", default="", metavar="FIELD=VALUE,...", help="the dialect, over engine.toml")
    add("--clock", default="", metavar="FIELD=VALUE,...", help="the clock, over engine.toml")
    seconds = f"the time limit of a trace, in seconds (default: {TRACE_SECONDS:g})"
    add("--timeout", type=float, default=TRACE_SECONDS, help=seconds)
    add("--stop", action="store_true", help="stop at the first trace that is not explained")
    add("--json", action="store_true", help="print one JSON document")
    add("--out", type=Path, metavar="FILE", help="write the shrunk trace as a transcript")


def run(arguments: Namespace) -> int:
    """Run the command."""
    if not arguments.timeout > 0:
        raise InvalidInputError(f"the time limit must be greater than 0, not {arguments.timeout}")
    seed = randbelow(2**32) if arguments.seed is None else arguments.seed
    text: str = arguments.windows
    windows = tuple(window for window in text.split(",") if window)
    engine, rules = open_engine(arguments.engine, arguments.timeout)
    plan = VerificationPlan(
        windows,
        seed,
        arguments.traces,
        changed_dialect(rules.dialect, arguments.dialect),
        arguments.stop,
        changed_clock(rules.clock, arguments.clock),
        {name: changed_dialect(d, arguments.dialect) for name, d in rules.by_window.items()},
    )
    with engine, ProgressBar(engine.description.engine, arguments.traces) as progress:
        progress.show()
        outcome = verify(engine, plan, progress.tick)
    if arguments.json:
        say(json.dumps(document(outcome)))
    else:
        report(outcome)
    if arguments.out and outcome.failure:
        save(outcome, arguments.out)
        if not arguments.json:
            say(f"{arguments.out}: the trace, with what is specified (`muntin replay --check`)")
    if outcome.failure:
        return FAILED
    return OK if outcome.explained else UNSUPPORTED


def changed_dialect(dialect: Dialect, text: str) -> Dialect:
    """The dialect with decisions from the command line.

    >>> changed_dialect(Dialect(), "session_merge=le,closing=1").closing
    1
    """
    return read_dialect(JsonNode({**write_dialect(dialect), **decisions(text)}, "--dialect"))


def changed_clock(clock: Clock, text: str) -> Clock:
    """The clock with what the command line changes.

    >>> changed_clock(Clock("greatest"), "scope=key,delay=3")
    Clock(source='greatest', scope='key', delay=3, acts='at_once', ends='flush')
    """
    return read_clock(JsonNode({**write_clock(clock), **decisions(text)}, "--clock"))


def decisions(text: str) -> dict[str, Json]:
    """The fields of FIELD=VALUE,...; integers are numbers."""
    pairs = [pair.partition("=") for pair in text.split(",") if pair]
    return {name: int(v) if v.lstrip("-").isdigit() else v for name, _, v in pairs}


def report(outcome: Verification) -> None:
    """Print the counts by window type, and the failure."""
    about, plan = outcome.description, outcome.plan
    say(f"{about.engine} {about.version}, seed {plan.seed}, compared by {about.level}")
    say(f"dialect {json.dumps(write_dialect(plan.dialect))}")
    if clock := write_clock(plan.clock):
        say(f"clock {json.dumps(clock)}")
    for window, own in plan.by_window.items():
        say(f"dialect of {window} windows {json.dumps(write_dialect(own))}")
    for window in plan.windows:
        unsupported = outcome.unsupported[window]
        more = f", {unsupported} unsupported" if unsupported else ""
        drawn = outcome.traces[window]
        say(f"  {window:12} {outcome.explained[window]} of {drawn - unsupported} explained{more}")
    for reason, count in outcome.reasons.most_common(3):
        say(f"  unsupported: {reason} ({count} traces)")
    if failure := outcome.failure:
        shrunk = "" if failure.kind == "unrepeatable" else ", shrunk"
        say(f"\n{failure.kind.upper()}: trace {failure.number} of seed {plan.seed}{shrunk}")
        for line in failure_lines(failure, about):
            say(f"  {line}".rstrip())


def document(outcome: Verification) -> dict[str, Json]:
    """The outcome as a JSON document."""
    about, plan, failure = outcome.description, outcome.plan, outcome.failure
    windows: dict[str, Json] = {
        window: {
            "traces": outcome.traces[window],
            "explained": outcome.explained[window],
            "unsupported": outcome.unsupported[window],
        }
        for window in plan.windows
    }
    return {
        "engine": about.engine,
        "version": about.version,
        "level": about.level,
        "seed": plan.seed,
        "dialect": write_dialect(plan.dialect),
        "clock": write_clock(plan.clock),
        "dialects": {name: write_dialect(own) for name, own in plan.by_window.items()},
        "windows": windows,
        "failure": None if failure is None else failure_fields(failure, plan.clock),
    }


def failure_fields(failure: EngineFailure, clock: Clock) -> dict[str, Json]:
    """A failure as an object of JSON; its trace is a transcript."""
    return {
        "kind": failure.kind,
        "number": failure.number,
        "trace": failure_transcript(failure, clock),
        "specified": answer_fields(failure.specified),
        "actual": answer_fields(failure.actual),
    }


def save(outcome: Verification, path: Path) -> None:
    """Write the transcript of the failure; an error names a file that cannot be written."""
    if outcome.failure:
        try:
            written = failure_transcript(outcome.failure, outcome.plan.clock)
            path.write_text(json.dumps(written, indent=1) + "\n")
        except OSError as error:
            raise MuntinError(f"{path} cannot be written: {error.strerror}") from error
