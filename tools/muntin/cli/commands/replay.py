"""`muntin replay`: transcripts through implementations, printed or compared.

Results go to stdout, one JSON line each, and so does why there are none. What is for people only
goes to stderr, except with `--check` and `--pretty`, whose output is for people.
"""

import json
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from muntin.cli.commands.replay_report import explained, tabulate
from muntin.cli.commands.replay_run import ReplayRun, runs, work
from muntin.conformance.transcript.json_reader import TranscriptError
from muntin.conformance.transcript.model import Transcript, parse
from muntin.console.messages import Subparsers, complain, say
from muntin.console.progress import ProgressBar
from muntin.registry.lookup import ALL, known

OK, FAILED, UNSUPPORTED = 0, 1, 3

SHOWN = 20
"""How many differences of one run are shown."""

EPILOG = """\
Each result is one JSON line on stdout, its fields in this order:
  {"step", "query", "key", "start", "end", "value", "kind", "revision"}
                      a window that is new, updated or retracted
  {"step", "late"}    the events of a step that came too late
  {"op", "value"}     an answer of a structure
With several files each line begins with "file"; with --with all also with "with".
A file that cannot be replayed gives {"file", "unsupported"} or {"file", "error"},
and the others are replayed all the same. If it is the only one, the reason is
also on stderr. With --check and --pretty the output is for people.

exit status:
  0  all is well
  1  a file is malformed, a replay failed, or (--check) it is not as expected
  2  the command line is wrong
  3  something is not supported, and nothing worse happened;
     with --with all: some file is supported by nobody

examples:
  muntin replay trace.json                         what the specification says
  muntin replay trace.json --with tuple-buffer --pretty
  muntin replay tests/vectors/*.json --with all --check
  generate | muntin replay - --with recompute | jq .value

The format is described in docs/transcripts.md.
"""


def add_parser(commands: Subparsers) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "replay",
        help="replay transcripts on an implementation, and print or check what comes",
        description="Replay each transcript on the named implementation.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    _add_arguments(parser)
    parser.set_defaults(run=run)


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="a transcript; - is stdin")
    parser.add_argument(
        "--with",
        dest="name",
        default="spec",
        metavar="NAME",
        help="an implementation, or all (default: spec; see `muntin list`)",
    )
    parser.add_argument("--pretty", action="store_true", help="print tables, not JSON lines")
    parser.add_argument(
        "--check",
        action="store_true",
        help="compare with what the file expects, and print the differences, not the results",
    )


@dataclass
class ReplayCommand:
    """A whole command: what is asked of it, and what happened so far."""

    files: list[str]
    name: str
    pretty: bool
    check: bool
    counts: Counter[str] = field(default_factory=Counter[str])

    def status(self) -> int:
        """Return the exit status."""
        if self.counts["error"] or self.counts["MISMATCH"]:
            return FAILED
        return UNSUPPORTED if self.counts["refused"] else OK

    def replay(self, file: str) -> None:
        """Replay one file on every implementation that is asked for."""
        try:
            transcript = parse(_read(file))
        except (TranscriptError, OSError) as error:
            why = error.strerror or str(error) if isinstance(error, OSError) else str(error)
            self.print_run(file, ReplayRun("", outcome="error", why=why), None)
            return
        outcomes = set[str]()
        for one in self.runs(file, transcript):
            outcomes.add(one.outcome)
            self.print_run(file, one, transcript)
        self.counts["refused"] += "unsupported" in outcomes and (
            self.name != ALL or outcomes == {"unsupported"}
        )

    def runs(self, file: str, transcript: Transcript) -> Iterator[ReplayRun]:
        """Yield each run, and show how far it is."""
        with ProgressBar(Path(file).name, work(transcript, self.name)) as ticker:
            yield from runs(transcript, self.name, ticker.tick)

    def print_run(self, file: str, one: ReplayRun, transcript: Transcript | None) -> None:
        """Print a run in the way that was asked for."""
        if self.pretty and one.lines:
            tabulate(f"{file}, {one.name}", one)
        if self.check:
            self.report(file, one, transcript)
        else:
            self.counts[one.outcome] += 1
            self.print_lines(file, one)

    def print_lines(self, file: str, one: ReplayRun) -> None:
        """Print results as JSON lines, and then how it ended, if it ended badly."""
        about = {"file": file} if len(self.files) > 1 else {}
        by = {"with": one.name} if self.name == ALL and one.name else {}
        if not self.pretty:
            for line in one.lines:
                say(json.dumps({**about, **by, **line}))
        if one.outcome == "done":
            return
        if self.pretty:
            say(f"{one.outcome}: {file}: {one.why}")
        else:
            say(json.dumps({"file": file, **by, one.outcome: one.why}))
            if len(self.files) == 1 and self.name != ALL:
                complain(f"{file}: {one.outcome}: {one.why}")

    def report(self, file: str, one: ReplayRun, transcript: Transcript | None) -> None:
        """Print whether a run came out as expected, and if not, each difference."""
        where = f"{file}: {one.name}" if one.name else file
        if one.outcome != "done" or not transcript:
            self.counts[one.outcome] += 1
            say(f"{one.outcome}: {where}: {one.why}")
            return
        found = one.differences(transcript)
        expected = transcript.expected
        asserts = expected.rows is not None or expected.late is not None
        word = "MISMATCH" if found else "ok" if asserts else "unchecked"
        self.counts[word] += 1
        what = _counted(len(found), "difference") if found else _counted(len(one.lines), "line")
        say(f"{word}: {where}: {what if asserts else 'the transcript expects nothing'}")
        for difference in found[:SHOWN]:
            for line in explained(difference):
                say(f"    {line}")
        if found[SHOWN:]:
            say(f"    and {len(found) - SHOWN} more")


def run(arguments: Namespace) -> int:
    """Run the command."""
    replay = ReplayCommand(
        arguments.files, known(arguments.name), pretty=arguments.pretty, check=arguments.check
    )
    for file in replay.files:
        replay.replay(file)
    if replay.check and (len(replay.files) > 1 or replay.name == ALL):
        words = ("ok", "unchecked", "unsupported", "error", "MISMATCH")
        say(", ".join(f"{replay.counts[word]} {word}" for word in words if replay.counts[word]))
    return replay.status()


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _read(file: str) -> bytes:
    return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
