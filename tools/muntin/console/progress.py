"""A progress bar on stderr, if somebody watches and it takes longer than a moment."""

import sys
from importlib.util import find_spec
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress

MOMENT = 1.0
"""How many seconds may pass before the bar appears."""


class ProgressBar:
    """Counts steps, and shows them when there is something to see."""

    def __init__(self, label: str, total: int) -> None:
        """Say what is counted, and up to what."""
        self._label, self._total, self._done = label, total, 0
        self._started, self._watched = monotonic(), _watched()
        self._bar: Progress | None = None

    def __enter__(self) -> Self:
        """Start counting."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Clear the bar away."""
        if self._bar:
            self._bar.stop()

    def tick(self, steps: int = 1) -> None:
        """Count a step, or so many."""
        self._done += steps
        if monotonic() - self._started > MOMENT:
            self.show()

    def show(self) -> None:
        """Show how far it is, if somebody watches: a first step may take long."""
        if self._watched and not self._bar:
            self._bar = _bar(self._label, self._total)
        if self._bar:
            self._bar.update(self._bar.task_ids[0], completed=self._done)


def _watched() -> bool:
    return sys.stderr.isatty() and find_spec("rich") is not None


def _bar(label: str, total: int) -> "Progress":
    from rich.console import Console  # noqa: PLC0415 - it is an extra
    from rich.progress import Progress  # noqa: PLC0415 - it is an extra

    bar = Progress(
        console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False
    )
    bar.add_task(label, total=total)
    bar.start()
    return bar
