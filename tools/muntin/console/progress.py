"""A progress bar on stderr, if it is a terminal and the work takes longer than a moment."""

import sys
from importlib.util import find_spec
from time import monotonic
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress

SHOW_AFTER_SECONDS = 1.0
"""The time before the bar appears."""


class ProgressBar:
    """Counts steps, and shows them if the work takes long."""

    def __init__(self, label: str, total: int) -> None:
        """Start counting to a total; the label stands before the bar."""
        self._label, self._total, self._done = label, total, 0
        self._started = monotonic()
        self._has_terminal = sys.stderr.isatty() and find_spec("rich") is not None
        self._bar: Progress | None = None

    def __enter__(self) -> Self:
        """Start counting."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the bar."""
        if self._bar:
            self._bar.stop()

    def tick(self, steps: int = 1) -> None:
        """Count steps."""
        self._done += steps
        if monotonic() - self._started > SHOW_AFTER_SECONDS:
            self.show()

    def show(self) -> None:
        """Show the bar now, if there is a terminal: a first step may take long."""
        if self._has_terminal and not self._bar:
            self._bar = _bar(self._label, self._total)
        if self._bar:
            self._bar.update(self._bar.task_ids[0], completed=self._done)


def _bar(label: str, total: int) -> "Progress":
    from rich.console import Console  # noqa: PLC0415 - it is an extra
    from rich.progress import Progress  # noqa: PLC0415 - it is an extra

    console = Console(stderr=True)
    bar = Progress(console=console, transient=True, redirect_stdout=False, redirect_stderr=False)
    bar.add_task(label, total=total)
    bar.start()
    return bar
