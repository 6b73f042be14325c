"""The command `muntin`."""

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version

from muntin.cli.commands import (
    audit,
    cards,
    diff,
    distinguish,
    draw,
    fuzz,
    infer,
    list_implementations,
    matrix,
    replay,
    snapshot,
    verify,
)
from muntin.cli.exploration import explain, explore, link
from muntin.console.messages import complain
from muntin.spec.errors import InvalidInputError, MuntinError

COMMANDS = {
    "replay": replay,
    "list": list_implementations,
    "draw": draw,
    "snapshot": snapshot,
    "cards": cards,
    "fuzz": fuzz,
    "diff": diff,
    "verify": verify,
    "infer": infer,
    "distinguish": distinguish,
    "audit": audit,
    "explain": explain,
    "matrix": matrix,
    "explore": explore,
    "link": link,
}
"""The modules of the commands. `run` gets the parsed arguments and returns the exit status.

An InvalidInputError means that the command line is wrong; any other MuntinError is a failure.
"""

DESCRIPTION = """\
Sliding-window aggregation: an executable specification, and implementations that are compared
with it. A muntin is the bar between the panes of a window.
"""

EPILOG = """\
examples:
  muntin list                                    the implementations, and what each supports
  muntin replay trace.json --pretty              the results of the specification
  muntin replay trace.json --with all --check    compare all with the file
  muntin draw trace.json --with fiba             pictures of a structure, step by step
  muntin snapshot show state.bin                 the content of a snapshot of an operator
  muntin fuzz --steps 100000                     random traces, compared with the specification
  muntin diff --rows 1e6                         compare on a million rows, on Spark
  muntin verify engines/polars                   hold another engine to the specification
  muntin infer engines/polars                    which dialect it follows
  muntin distinguish dialect: engines/polars     the smallest trace on which they differ
  muntin audit rows.csv windows.csv --window session:30s   the rule of a job, its wrong windows
  muntin explain trace.json                      which rules give the answer in the file
  muntin explore trace.json                      the trace in a browser, to move and to compare
  muntin link trace.json                         a link that holds the trace

For more, run `muntin COMMAND --help`.
"""

FAILED, MISUSED, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the result is its exit status."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    command: Callable[[Namespace], int] | None = arguments.run
    if command is None:
        parser.print_help(sys.stderr)
        return MISUSED
    if sys.stdout is None or sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison] - `muntin >&-` closes it
        return FAILED
    try:
        status = command(arguments)
        sys.stdout.flush()
    except (MuntinError, OSError, KeyboardInterrupt) as error:
        return _status_of(error)
    return status


def _status_of(error: BaseException) -> int:
    """The exit status after an error, which is explained in a line."""
    if isinstance(error, BrokenPipeError):
        _discard_output()
        return BROKEN_PIPE
    if isinstance(error, OSError):
        _discard_output()
        complain(f"cannot write {error.filename or 'the output'}: {error.strerror}")
        return FAILED
    if isinstance(error, KeyboardInterrupt):
        complain("interrupted")
        return INTERRUPTED
    complain(str(error))
    return MISUSED if isinstance(error, InvalidInputError) else FAILED


def _discard_output() -> None:
    """Let Python close stdout, whose reader or disk takes no more, without a further error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> ArgumentParser:
    form = RawDescriptionHelpFormatter
    parser = ArgumentParser("muntin", description=DESCRIPTION, epilog=EPILOG, formatter_class=form)
    parser.add_argument("--version", action="version", version=f"muntin {_version()}")
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, command in COMMANDS.items():
        added = commands.add_parser(
            name,
            help=command.HELP,
            description=command.DESCRIPTION,
            epilog=command.EPILOG,
            formatter_class=form,
        )
        command.add_arguments(added)
        added.set_defaults(run=command.run)
    return parser


def _version() -> str:
    try:
        return version("muntin")
    except PackageNotFoundError:
        return "(not installed)"
