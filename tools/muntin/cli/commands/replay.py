"""`muntin replay`: transcripts through implementations, printed or compared.

Results go to stdout, one JSON line each, and so do the reasons if there are none. Messages for
people go to stderr, except with `--check` and `--pretty`, whose output is for people.
"""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from muntin.cli.commands.replay_report import explanation, print_table
from muntin.cli.commands.replay_run import ReplayRun, runs, tick_count
from muntin.conformance.transcript.json_reader import TranscriptError
from muntin.conformance.transcript.model import Transcript, parse
from muntin.console.messages import complain, say
from muntin.console.progress import ProgressBar
from muntin.registry.lookup import ALL, check_name

OK, FAILED, UNSUPPORTED = 0, 1, 3

MAX_DIFFERENCES = 20
"""The most differences of one run to print."""

HELP = "replay transcripts on an implementation, and print or check the results"
DESCRIPTION = "Replay each transcript on the named implementation."
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
  muntin replay trace.json                         the results of the specification
  muntin replay trace.json --with tuple-buffer --pretty
  muntin replay tests/vectors/*.json --with all --check
  generate | muntin replay - --with recompute | jq .value

For the format see docs/transcripts.md.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments."""
    add, which = parser.add_argument, "an implementation, or all (default: spec; see `muntin list`)"
    differences = "compare with the results expected in the file, and print the differences"
    add("files", nargs="+", metavar="FILE", help="a transcript; - is stdin")
    add("--with", dest="name", default="spec", metavar="NAME", help=which)
    add("--pretty", action="store_true", help="print tables, not JSON lines")
    add("--check", action="store_true", help=differences)


@dataclass
class ReplayCommand:
    """A command: its options, and the number of files by outcome so far."""

    files: list[str]
    name: str
    pretty: bool
    check: bool
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
        self.counts["refused"] += "unsupported" in outcomes and (
            self.name != ALL or outcomes == {"unsupported"}
        )

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
        differences = run.differences(transcript)
        expected = transcript.expected
        has_expectations = expected.rows is not None or expected.late is not None
        word = "MISMATCH" if differences else "ok" if has_expectations else "unchecked"
        self.counts[word] += 1
        what = (
            _counted(len(differences), "difference")
            if differences
            else _counted(len(run.lines), "line")
        )
        say(f"{word}: {where}: {what if has_expectations else 'the transcript expects nothing'}")
        for difference in differences[:MAX_DIFFERENCES]:
            for line in explanation(difference):
                say(f"    {line}")
        if differences[MAX_DIFFERENCES:]:
            say(f"    and {len(differences) - MAX_DIFFERENCES} more")


def run(arguments: Namespace) -> int:
    """Run the command."""
    command = ReplayCommand(
        arguments.files, check_name(arguments.name), pretty=arguments.pretty, check=arguments.check
    )
    for file in command.files:
        command.replay(file)
    if command.check and (len(command.files) > 1 or command.name == ALL):
        words = ("ok", "unchecked", "unsupported", "error", "MISMATCH")
        say(", ".join(f"{command.counts[word]} {word}" for word in words if command.counts[word]))
    return command.status()


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _read(file: str) -> bytes:
    return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
