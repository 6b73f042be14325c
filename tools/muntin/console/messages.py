"""Lines on stdout and stderr."""

import sys


def say(text: str) -> None:
    """Print a line to stdout."""
    sys.stdout.write(f"{text}\n")


def complain(text: str) -> None:
    """Print a line for people to stderr, so that stdout holds results only."""
    sys.stderr.write(f"muntin: {text}\n")
