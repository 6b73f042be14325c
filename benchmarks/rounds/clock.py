"""Time that can be trusted, as far as any can: that of the process, and no collector in between."""

import gc
import sys
from collections.abc import Generator
from contextlib import contextmanager
from time import monotonic

START = monotonic()


class DisagreementError(Exception):
    """A contender that answers something else than it should."""


def say(text: str) -> None:
    """Tell a person who waits how far it is."""
    sys.stderr.write(f"{monotonic() - START:5.0f} s  {text}\n")


@contextmanager
def collector_off() -> Generator[None]:
    """Collect what there is, and nothing more until the end."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
