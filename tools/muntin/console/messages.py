"""What a command of `muntin` is: a module with `add_parser`, which sets `run` as a default.

`run` takes the parsed arguments and returns the exit status. If it raises InvalidInputError, the
command was asked for something that there is not; any other MuntinError is a failure.
"""

import sys
from argparse import ArgumentParser, HelpFormatter
from typing import Protocol


class Subparsers(Protocol):
    """What argparse gives to those who add a command."""

    def add_parser(
        self,
        name: str,
        *,
        help: str,  # noqa: A002 - as argparse calls it
        description: str,
        epilog: str = "",
        formatter_class: type[HelpFormatter] = HelpFormatter,
    ) -> ArgumentParser:
        """Return the parser of a new command."""
        ...


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")


def complain(text: str) -> None:
    """Print a line for people, where it is in nobody's way."""
    sys.stderr.write(f"muntin: {text}\n")
