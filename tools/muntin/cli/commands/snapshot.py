"""`muntin snapshot show`: what a snapshot of an operator says of itself."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from muntin.console.messages import Subparsers, say
from muntin.snapshot.inspection import summary_lines
from muntin.spec.errors import InvalidInputError


def add_parser(commands: Subparsers) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "snapshot",
        help="what a snapshot of an operator holds",
        description="Say what a snapshot holds: its format, its operator, its queries, and how "
        "many objects of which class. Nothing in it is run.",
    )
    _add_arguments(parser)
    parser.set_defaults(run=run)


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("action", choices=["show"], help="print what is in it")
    parser.add_argument("file", type=Path, help="what `snapshot()` has returned")


def run(arguments: Namespace) -> int:
    """Run the command."""
    path: Path = arguments.file
    try:
        data = path.read_bytes()
    except OSError as cause:
        raise InvalidInputError(f"cannot read {path}: {cause.strerror}") from cause
    for line in summary_lines(data):
        say(line)
    return 0
