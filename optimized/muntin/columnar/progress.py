"""A progress bar on standard error, for calls that last.

It is drawn on a terminal only, after two seconds or, on request, at once; it is erased at the end.
"""

import sys
from collections.abc import Callable
from time import monotonic
from types import TracebackType
from typing import Self, TextIO

from muntin.spec.errors import InvalidInputError

PATIENCE, INTERVAL, WIDTH = 2.0, 0.1, 30
"""Seconds until a bar is drawn, and between two drawings; its width."""


class RowProgress:
    """The rows that a call has processed, of all, as a bar."""

    def __init__(
        self,
        total: int,
        shown: bool | None = None,  # noqa: FBT001 - as callers pass it on
        *,
        stream: TextIO | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """`shown` is whether to draw at once, or never; None is after `PATIENCE`."""
        if type(shown) not in (bool, type(None)):
            raise InvalidInputError(f"progress must be True, False or None, not {shown!r}")
        self._stream = sys.stderr if stream is None else stream
        self._total, self._clock, self._begin = total, clock, clock()
        self._next = self._begin + (0 if shown else PATIENCE)
        self._is_off = shown is False or not self._stream.isatty()
        self._is_drawn = False

    def __enter__(self) -> Self:
        return self

    def advance(self, done: int) -> None:
        """Draw the bar, if it is time to."""
        now = self._clock()
        if self._is_off or now < self._next:
            return
        share = done / self._total if self._total else 1.0
        bar = "#" * int(WIDTH * share)
        elapsed = now - self._begin
        left = f", {elapsed / share - elapsed:.0f} s left" if done else ""
        self._write(f"\r[{bar:<{WIDTH}}] {share:4.0%} of {self._total:,} rows{left}\x1b[K")
        self._next, self._is_drawn = now + INTERVAL, True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_drawn:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
