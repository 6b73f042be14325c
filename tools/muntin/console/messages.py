"""What commands of `muntin` share: the type of their parsers, and lines on stdout and stderr.

A command is a module with `add_parser`, which sets `run` as a default. `run` gets the parsed
arguments and returns the exit status. An InvalidInputError means that the command line is wrong;
any other MuntinError is a failure.
"""

import sys
from argparse import ArgumentParser, HelpFormatter
from typing import Protocol


class Subparsers(Protocol):
    """The part of argparse that adds a command."""

    def add_parser(
        self,
        name: str,
        *,
        help: str,  # noqa: A002 - as argparse calls it
        description: str,
        epilog: str = "",
        formatter_class: type[HelpFormatter] = HelpFormatter,
    ) -> ArgumentParser:
        """The parser of a new command."""
        ...


def say(text: str) -> None:
    """Print a line to stdout."""
    sys.stdout.write(f"{text}\n")


def complain(text: str) -> None:
    """Print a line for people to stderr, so that stdout holds results only."""
    sys.stderr.write(f"muntin: {text}\n")
