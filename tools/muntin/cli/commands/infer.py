"""`muntin infer`: which dialect an engine follows."""

import json
from argparse import ArgumentParser, Namespace
from secrets import randbelow

from muntin.conformance.engines.clock import EXPLICIT, write_clock
from muntin.conformance.engines.engine import TracedEngine
from muntin.conformance.engines.inference import (
    InferencePlan,
    WindowInference,
    candidate_dialects,
    common_decisions,
    infer,
)
from muntin.conformance.engines.process_engine import TRACE_SECONDS
from muntin.conformance.transcript.json_reader import Json
from muntin.console.messages import say
from muntin.console.progress import ProgressBar
from muntin.registry.engine_lookup import open_engine
from muntin.spec.dialect import OURS
from muntin.spec.errors import positive

OK, FAILED, UNSUPPORTED = 0, 1, 3

HELP = "infer which dialect an engine follows"
DESCRIPTION = "Find the dialects that explain the most random traces of an engine."
EPILOG = """\
ENGINE is what `muntin verify` takes. Dialects are scored on random traces: each keeps
its score, though an engine with a fault follows none on every trace. What remains is a
class: a decision that none of its traces shows is open, and all its values are printed.
A decision of our own dialect is printed with --json only.

exit status:
  0  a dialect explains every trace
  1  none does: what remains is a fault, a clock, or a decision that no dialect has
  2  the command line is wrong
  3  the engine supports none of the traces

examples:
  muntin infer polars
  muntin infer my_module:MyAdapter --windows session --traces 200 --seed 1 --json
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments."""
    add = parser.add_argument
    add("engine", nargs="+", metavar="ENGINE", help="a folder, MODULE:NAME, or a command")
    add("--windows", default="", metavar="TYPES", help="window types, with commas (default: all)")
    add("--traces", type=int, default=100, help="traces of each window type (default: 100)")
    add("--seed", type=int, help="the seed of the traces (default: random)")
    add("--timeout", type=float, default=TRACE_SECONDS, help="seconds a trace may take")
    add("--json", action="store_true", help="print one JSON document")


def run(arguments: Namespace) -> int:
    """Run the command."""
    text: str = arguments.windows
    seed = randbelow(2**32) if arguments.seed is None else arguments.seed
    traces = positive(arguments.traces, "the number of traces")
    plan = InferencePlan(tuple(name for name in text.split(",") if name), seed, traces)
    engine, _ = open_engine(arguments.engine, arguments.timeout)
    with engine, ProgressBar(engine.description.engine, candidates(engine, plan)) as progress:
        inferences = infer(engine, plan, progress.tick)
    about = f"{engine.description.engine} {engine.description.version}"
    if arguments.json:
        say(json.dumps({"engine": about, "seed": seed, **document(inferences)}))
    else:
        say(f"{about}, seed {seed}")
        report(inferences)
    if not inferences:
        return UNSUPPORTED
    return OK if all(each.explained == each.traces for each in inferences) else FAILED


def candidates(engine: TracedEngine, plan: InferencePlan) -> int:
    """About how often a dialect is scored: every one in the first round, some in later ones."""
    windows = plan.windows or engine.description.windows
    first = sum(1 for name in windows for _ in candidate_dialects(name, engine.description))
    return first * 3 // 2


def report(inferences: list[WindowInference]) -> None:
    """Print each window type, then the dialect that all of them leave."""
    for each in inferences:
        kind = "dialect" if len(each.dialects) == 1 else "dialects"
        by = f"{len(each.dialects)} {kind}"
        clock = f", clock {json.dumps(write_clock(each.clock))}" * (each.clock != EXPLICIT)
        say(f"  {each.window:12} {each.explained} of {each.traces} explained, by {by}{clock}")
    common = common_decisions(inferences)
    known = {name: values[0] for name, values in common.items() if len(values) == 1}
    say(f"dialect {json.dumps({n: v for n, v in known.items() if v != getattr(OURS, n)})}")
    for name, values in common.items():
        if len(values) > 1:
            say(f"  open: {name}, {' or '.join(map(str, values))}: no trace distinguishes them")
        if not values:
            by_type = {i.window: i.decisions[name] for i in inferences if name in i.decisions}
            texts = [f"{window} {'/'.join(map(str, v))}" for window, v in by_type.items()]
            say(f"  by window type: {name}: {', '.join(texts)}")


def document(inferences: list[WindowInference]) -> dict[str, Json]:
    """The inferences as JSON: the values that remain of each decision."""
    windows: dict[str, Json] = {
        each.window: {
            "traces": each.traces,
            "explained": each.explained,
            "dialects": len(each.dialects),
            "clock": write_clock(each.clock),
            "decisions": {name: [*values] for name, values in each.decisions.items()},
        }
        for each in inferences
    }
    decisions: dict[str, Json] = {n: [*v] for n, v in common_decisions(inferences).items()}
    return {"windows": windows, "decisions": decisions}
