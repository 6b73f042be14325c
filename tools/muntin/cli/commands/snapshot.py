"""`muntin snapshot show`: the content of a snapshot of an operator."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from muntin.console.messages import printable, say
from muntin.snapshot.inspection import summary_lines
from muntin.spec.errors import InvalidInputError

HELP = "show the content of a snapshot of an operator"
DESCRIPTION = """\
Print the format of a snapshot, its operator, its queries, and the number of objects of
each class. Nothing in it is run."""
EPILOG = ""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("action", choices=["show"], help="print the content")
    parser.add_argument("file", type=Path, help="a file with the bytes that `snapshot()` returned")


def run(arguments: Namespace) -> int:
    """Run the command."""
    path: Path = arguments.file
    try:
        data = path.read_bytes()
    except OSError as cause:
        raise InvalidInputError(f"cannot read {path}: {cause.strerror}") from cause
    for line in summary_lines(data):
        say(printable(line))
    return 0
