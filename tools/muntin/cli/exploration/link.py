"""`muntin link`: a trace as a link into the explorer."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from muntin.cli.exploration.explore import document
from muntin.console.messages import say
from muntin.explorer.permalink import fragment_of

OK = 0
HELP = "print a link of a trace into the explorer"
DESCRIPTION = "Print a link that holds the trace, for the explorer. No server sees what it holds."
EPILOG = """\
The link is the address of an explorer, and the deflated transcript as its fragment.

examples:
  muntin link docs/examples/traces/late_event.json
  muntin link trace.json --at https://example.org/explorer/
"""
LOCAL = "http://127.0.0.1:8642/"
"""Where `muntin explore` listens."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a transcript of a trace")
    where = f"the address of an explorer (default: {LOCAL}, of `muntin explore`)"
    parser.add_argument("--at", default=LOCAL, metavar="ADDRESS", help=where)


def run(arguments: Namespace) -> int:
    """Run the command."""
    say(f"{arguments.at}#{fragment_of(document(arguments.file))}")
    return OK
