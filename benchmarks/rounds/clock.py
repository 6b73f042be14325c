"""What all measurements share: turns in rotation, no garbage collection, progress on stderr."""

import gc
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TypeVar

T = TypeVar("T")

START = monotonic()


class DisagreementError(Exception):
    """An implementation whose answer is wrong."""


def say(text: str) -> None:
    """Print the progress of the run, with the seconds since its start."""
    sys.stderr.write(f"{monotonic() - START:5.0f} s  {text}\n")


@contextmanager
def collector_off() -> Generator[None]:
    """Collect the garbage now, and none until the end."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def rotated(items: Sequence[T], turn: int) -> list[T]:
    """The items in the order of this turn, so that none always comes first.

    >>> rotated("abc", 1)
    ['b', 'c', 'a']
    """
    first = turn % max(1, len(items))
    return [*items[first:], *items[:first]]
