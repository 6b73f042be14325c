"""Lines on stdout and stderr."""

import sys


def say(text: str) -> None:
    """Print a line to stdout."""
    sys.stdout.write(f"{text}\n")


def complain(text: str) -> None:
    """Print a line for people to stderr, so that stdout holds results only."""
    lines = [printable(line) for line in text.split("\n")]
    sys.stderr.write("muntin: " + "\n".join(lines) + "\n")


def printable(text: str) -> str:
    r"""The text with control characters and lone surrogates escaped: no terminal obeys them.

    >>> print(printable("a\x1b[31mb\nc"))
    a\x1b[31mb\nc
    """
    return "".join(
        c if c.isprintable() or c == "\t" else c.encode("unicode_escape").decode() for c in text
    )
