"""`muntin replay`: transcripts through implementations, printed or compared.

Results go to stdout, one JSON line each, and so do the reasons if there are none. Messages for
people go to stderr, except with `--check` and `--pretty`, whose output is for people.
"""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from muntin.cli.commands.replay_run import ReplayRun, runs, tick_count
from muntin.conformance.dialects.explanation import explanation_line
from muntin.conformance.transcript.expectations import (
    RESULT,
    Difference,
    Expectations,
    JsonRow,
    agree,
    late_events,
)
from muntin.conformance.transcript.json_reader import TranscriptError
from muntin.conformance.transcript.model import OperatorTranscript, Transcript, parse
from muntin.console.messages import complain, say
from muntin.console.progress import ProgressBar
from muntin.drawing.trace_picture import trace_svg
from muntin.registry.lookup import ALL, check_name
from muntin.spec.errors import MuntinError

OK, FAILED, UNSUPPORTED = 0, 1, 3

MAX_DIFFERENCES = 20
"""The most differences of one run to print."""

HELP = "replay transcripts on an implementation, and print or check the results"
DESCRIPTION = "Replay each transcript on the named implementation."
ORACLE = "spec"
"""Where the specification itself is not as expected, the file has the answer to explain."""
IDENTIFYING = ("op", "step", "query", "key", "start", "end")
"""The fields that identify a line; the others are its content."""

EPILOG = """\
Each result is one JSON line on stdout, its fields in this order:
  {"step", "query", "key", "start", "end", "value", "kind", "revision"}
                      a window that is new, updated or retracted
  {"step", "late"}    the late events of a step
  {"op", "value"}     the result of a call of a structure
With several files each line begins with "file"; with --with all also with "with".
A file that cannot be replayed gives {"file", "unsupported"} or {"file", "error"},
and the others are still replayed. If it is the only one, the reason is also on
stderr. With --check and --pretty the output is for people.

exit status:
  0  success
  1  a file is malformed, a replay failed, or (--check) it is not as expected
  2  the command line is wrong
  3  something is not supported, and status 1 does not apply;
     with --with all: no implementation supports some file

examples:
  muntin replay docs/examples/traces/late_event.json      what the specification emits
  muntin replay docs/examples/traces/late_event.json --with tuple-buffer --pretty
  muntin replay tests/vectors/*/*.json --with all --check
  muntin replay trace.json --with my_module:MyOperator --check --draw pictures
  generate | muntin replay - --with recompute | jq .value

For the format see docs/transcripts.md.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments."""
    add, which = parser.add_argument, "an implementation, MODULE:NAME, or all (default: spec)"
    differences = "compare with the results expected in the file, and print the differences"
    add("files", nargs="+", metavar="FILE", help="a transcript; - is stdin")
    add("--with", dest="name", default="spec", metavar="NAME", help=which)
    add("--pretty", action="store_true", help="print tables, not JSON lines")
    add("--check", action="store_true", help=differences)
    drawing = "with --check: draw each trace that is not as expected into this folder"
    add("--draw", type=Path, metavar="DIR", help=drawing)


@dataclass
class ReplayCommand:
    """A command: its options, and the number of files by outcome so far."""

    files: list[str]
    name: str
    pretty: bool
    check: bool
    draw: Path | None = None
    counts: Counter[str] = field(default_factory=Counter[str])

    def status(self) -> int:
        """The exit status: a failure outweighs what is unsupported."""
        if self.counts["error"] or self.counts["MISMATCH"]:
            return FAILED
        return UNSUPPORTED if self.counts["refused"] else OK

    def replay(self, file: str) -> None:
        """Replay one file on every requested implementation."""
        try:
            transcript = parse(_read(file))
        except (TranscriptError, OSError) as error:
            why = error.strerror or str(error) if isinstance(error, OSError) else str(error)
            self.print_run(file, ReplayRun("", outcome="error", why=why), None)
            return
        outcomes = set[str]()
        for run in self.runs(file, transcript):
            outcomes.add(run.outcome)
            self.print_run(file, run, transcript)
        is_refused = outcomes == {"unsupported"} if self.name == ALL else "unsupported" in outcomes
        self.counts["refused"] += is_refused

    def runs(self, file: str, transcript: Transcript) -> Iterator[ReplayRun]:
        """Yield each run, under a progress bar."""
        with ProgressBar(Path(file).name, tick_count(transcript, self.name)) as progress:
            yield from runs(transcript, self.name, progress.tick)

    def print_run(self, file: str, run: ReplayRun, transcript: Transcript | None) -> None:
        """Print a run in the requested form."""
        if self.pretty and run.lines:
            print_table(f"{file}, {run.name}", run)
        if self.check:
            self.report(file, run, transcript)
        else:
            self.counts[run.outcome] += 1
            self.print_lines(file, run)

    def print_lines(self, file: str, run: ReplayRun) -> None:
        """Print the results as JSON lines, then the outcome unless the run completed."""
        about = {"file": file} if len(self.files) > 1 else {}
        by = {"with": run.name} if self.name == ALL and run.name else {}
        if not self.pretty:
            for line in run.lines:
                say(json.dumps({**about, **by, **line}))
        if run.outcome == "done":
            return
        if self.pretty:
            say(f"{run.outcome}: {file}: {run.why}")
        else:
            say(json.dumps({"file": file, **by, run.outcome: run.why}))
            if len(self.files) == 1 and self.name != ALL:
                complain(f"{file}: {run.outcome}: {run.why}")

    def report(self, file: str, run: ReplayRun, transcript: Transcript | None) -> None:
        """Print whether a run has the expected results, and if not, each difference."""
        where = f"{file}: {run.name}" if run.name else file
        if run.outcome != "done" or not transcript:
            self.counts[run.outcome] += 1
            say(f"{run.outcome}: {where}: {run.why}")
            return
        expected = transcript.expected
        has_expectations = expected.rows is not None or expected.late is not None
        differences = explanations(run, transcript) if has_expectations else []
        word = "MISMATCH" if differences else "ok" if has_expectations else "unchecked"
        self.counts[word] += 1
        count, noun = len(differences or run.lines), "difference" if differences else "line"
        what = f"{count} {noun}{'' if count == 1 else 's'}"
        say(f"{word}: {where}: {what if has_expectations else 'the transcript expects nothing'}")
        for line in (line for lines in differences[:MAX_DIFFERENCES] for line in lines):
            say(f"    {line}")
        if differences[MAX_DIFFERENCES:]:
            say(f"    and {len(differences) - MAX_DIFFERENCES} more")
        if differences and isinstance(transcript, OperatorTranscript):
            self.explain(file, run, transcript)

    def explain(self, file: str, run: ReplayRun, transcript: OperatorTranscript) -> None:
        """Say which rules explain a mismatch, and draw it if there is a folder for it."""
        answer = transcript if run.name == ORACLE else replace(transcript, expected=emitted(run))
        if sentence := explanation_line(answer):
            say(f"    {sentence}")
        if self.draw:
            title, rows = f"{file}, {run.name}", run.differences(transcript)
            name = f"{Path(file).stem}-{run.name.replace(':', '-')}.svg"
            self.draw.mkdir(parents=True, exist_ok=True)
            (self.draw / name).write_text(trace_svg(transcript, title, rows), "utf-8")
            say(f"    drawn: {self.draw / name}")


def emitted(run: ReplayRun) -> Expectations:
    """What a run emitted, as a transcript would expect it."""
    late = tuple(event for row in run.lines for event in late_events(row))
    return Expectations(tuple(row for row in run.lines if "late" not in row), late)


def run(arguments: Namespace) -> int:
    """Run the command."""
    command = ReplayCommand(
        arguments.files,
        check_name(arguments.name),
        pretty=arguments.pretty,
        check=arguments.check,
        draw=arguments.draw,
    )
    for file in command.files:
        command.replay(file)
    if command.check and (len(command.files) > 1 or command.name == ALL):
        words = ("ok", "unchecked", "unsupported", "error", "MISMATCH")
        say(", ".join(f"{command.counts[word]} {word}" for word in words if command.counts[word]))
    return command.status()


def _read(file: str) -> bytes:
    return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()


def explanations(run: ReplayRun, transcript: Transcript) -> list[list[str]]:
    """The lines that explain each difference of a run from what its transcript expects.

    Expectations have no order. So that of the results of a key is compared with rule 11.
    """
    differences = [[*explanation(difference)] for difference in run.differences(transcript)]
    return [*differences, *([line] for line in run.disorder)]


def explanation(difference: Difference) -> Iterator[str]:
    r"""Yield the lines that explain a difference.

    >>> expected = {"step": 1, "query": "w", "value": 3}
    >>> actual = {"step": 1, "query": "w", "value": 4}
    >>> print(*explanation(Difference(expected, actual)), sep="\n")
    step 1, query "w":
      wanted value 3
      got    value 4
    """
    expected, actual = difference.expected, difference.actual
    yield f"{_place({**(expected or {}), **(actual or {})})}:"
    if expected is None or actual is None:
        yield f"  wanted {_content(expected)}"
        yield f"  got    {_content(actual)}"
        return
    equal = {name for name in expected.keys() & actual if agree(expected[name], actual[name])}
    names = [name for name in expected if name not in equal]
    yield f"  wanted {_fields(expected, names)}"
    yield f"  got    {_fields(actual, [name for name in names if name in actual])}"


def _content(line: JsonRow | None) -> str:
    if line is None:
        return "nothing"
    return _fields(line, [name for name in line if name not in IDENTIFYING]) or "such a line"


def _fields(line: JsonRow, names: Sequence[str]) -> str:
    return ", ".join(f"{name} {json.dumps(line[name])}" for name in names)


def _place(line: JsonRow) -> str:
    words = [_fields(line, [name]) for name in ("op", "step", "query") if name in line]
    if line.get("key") is not None:
        words.append(f"key {json.dumps(line['key'])}")
    if "start" in line and "end" in line:
        words.append(f"window [{line['start']}, {line['end']})")
    late = ["late event"] if "t" in line else []
    return ", ".join([*late, *words]) or "at any step"


def print_table(title: str, run: ReplayRun) -> None:
    """Print the lines of a run as a table."""
    try:
        from rich.console import Console  # noqa: PLC0415 - it is an extra
        from rich.table import Table  # noqa: PLC0415 - it is an extra
        from rich.text import Text  # noqa: PLC0415 - it is an extra
    except ModuleNotFoundError as missing:
        raise MuntinError(
            f"--pretty needs {missing.name}, which is not installed: pip install 'muntin[cli]'"
        ) from missing
    columns = RESULT if any("step" in line for line in run.lines) else ("op", "value")
    table = Table(*columns, title=title, title_justify="left")
    for line in run.lines:
        row = {**line, "value": line["late"], "kind": "late"} if "late" in line else line
        table.add_row(*(Text(_cell(row, name)) for name in columns))
    Console().print(table)


def _cell(line: JsonRow, name: str) -> str:
    if name not in line or (name == "key" and line[name] is None):
        return ""
    return str(line[name]) if name in ("query", "kind") else json.dumps(line[name])
