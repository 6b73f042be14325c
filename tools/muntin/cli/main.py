"""The command `muntin`."""

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version

from muntin.cli.commands import cards, diff, draw, fuzz, replay
from muntin.cli.commands import list_implementations as listing
from muntin.cli.commands import snapshot as snapshots
from muntin.console.messages import complain
from muntin.spec.errors import InvalidInputError, MuntinError

COMMANDS = (replay, listing, draw, snapshots, cards, fuzz, diff)
"""The modules of the commands; each adds its own parser, whose default `run` runs it."""

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
    try:
        status = command(arguments)
        sys.stdout.flush()
    except MuntinError as error:
        complain(str(error))
        return MISUSED if isinstance(error, InvalidInputError) else FAILED
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    return status


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        "muntin",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"muntin {_version()}")
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in COMMANDS:
        command.add_parser(commands)
    return parser


def _version() -> str:
    try:
        return version("muntin")
    except PackageNotFoundError:
        return "(not installed)"
