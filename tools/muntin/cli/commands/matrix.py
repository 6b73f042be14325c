"""`muntin matrix`: what the windows of engines are, from runs, as JSON and as one page."""

import json
from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime
from pathlib import Path
from secrets import randbelow

from muntin.cli.commands.infer import candidates
from muntin.conformance.engines.engine_folder import FILE, read_folder
from muntin.conformance.engines.inference import InferencePlan
from muntin.conformance.engines.process_engine import TRACE_SECONDS, ProcessEngine
from muntin.conformance.transcript.json_reader import Json
from muntin.console.messages import say
from muntin.console.progress import ProgressBar
from muntin.matrix.page import page
from muntin.matrix.record import (
    EngineRecord,
    MatrixPlan,
    pair_fields,
    record_of,
    withheld_record,
)
from muntin.registry.engine_lookup import ENGINES
from muntin.spec.errors import InvalidInputError, MuntinError, positive

OK, FAILED = 0, 1

HELP = "write the matrix of engines: what the windows of each are, with a trace for each cell"
DESCRIPTION = (
    "Infer the dialect and clock of engines, and write the matrix as JSON and as one page."
)
EPILOG = """\
ENGINE is a folder with engine.toml, or the name of one in engines/. Only what was run is in
the matrix. An engine whose folder has findings is in it as "reported, withheld" until its
engine.toml says `published = true`.

DIR gets matrix.json, matrix.html (which loads nothing), and history.jsonl, to which each run
adds a line for each engine.

exit status:
  0  every trace of every engine is explained
  1  some trace is not
  2  the command line is wrong

examples:
  muntin matrix polars duckdb pandas --out build/matrix
  muntin matrix bytewax --traces 400 --seed 1
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments."""
    add = parser.add_argument
    add("engines", nargs="+", metavar="ENGINE", help="a folder with engine.toml")
    add("--traces", type=int, default=100, help="traces of each window type (default: 100)")
    add("--seed", type=int, help="the seed of the traces (default: random)")
    add("--timeout", type=float, default=TRACE_SECONDS, help="seconds a trace may take")
    add("--out", type=Path, default=Path("matrix"), metavar="DIR", help="default: matrix")


def run(arguments: Namespace) -> int:
    """Run the command."""
    seed = randbelow(2**32) if arguments.seed is None else arguments.seed
    traces = positive(arguments.traces, "the number of traces")
    plan = MatrixPlan(traces, seed, datetime.now(UTC).date().isoformat())
    folders = [folder_of(name) for name in arguments.engines]
    records, documents = list[EngineRecord](), list[Json]()
    for folder in folders:
        engine_folder = read_folder(folder)
        if (folder / "findings").is_dir() and not engine_folder.published:
            documents.append(withheld_record(engine_folder.command.name, plan.date))
            continue
        with ProcessEngine(engine_folder.command, arguments.timeout) as engine:
            total = candidates(engine, InferencePlan((), seed, traces))
            with ProgressBar(engine.description.engine, total) as progress:
                records.append(record_of(engine, plan, progress.tick))
        documents.append(records[-1].document)
        say(summary(records[-1]))
    pairs: list[Json] = [*pair_fields(records)]
    write(arguments.out, {"seed": seed, "engines": documents, "pairs": pairs})
    inferences = [each for record in records for each in record.inferences]
    return OK if all(each.explained == each.traces for each in inferences) else FAILED


def folder_of(name: str) -> Path:
    """The folder of an engine, by its path or its name in `engines`."""
    for folder in (ENGINES / name, Path(name)):
        if (folder / FILE).is_file():
            return folder
    raise InvalidInputError(f"{name!r} is no folder with {FILE}, and {ENGINES} has none either")


def summary(record: EngineRecord) -> str:
    """A line for each engine: its version, and how much of each window type is explained."""
    about = record.description
    counts = [f"{each.window} {each.explained} of {each.traces}" for each in record.inferences]
    return f"{about.engine} {about.version}: {', '.join(counts)}"


def write(folder: Path, matrix: dict[str, Json]) -> None:
    """Write the matrix, and add to the history; an error names what cannot be written."""
    engines = matrix["engines"]
    lines = [json.dumps(line) for line in engines] if isinstance(engines, list) else []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "matrix.json").write_text(json.dumps(matrix, indent=1) + "\n")
        (folder / "matrix.html").write_text(page(matrix))
        with (folder / "history.jsonl").open("a") as history:
            history.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise MuntinError(f"{folder} cannot be written: {error.strerror}") from error
    say(f"{folder}: matrix.json, matrix.html, history.jsonl")
