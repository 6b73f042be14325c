"""What a step has changed so far, and how to take it back: as much work as the step has done."""

from collections.abc import Callable


class Log:
    """Deeds that undo, in the order of what they undo; `step` tells the steps apart."""

    def __init__(self) -> None:
        """Start with nothing to undo."""
        self.step = 0
        self._undo: list[Callable[[], object]] = []

    def note(self, undo: Callable[[], object]) -> None:
        """Remember how to take back what is about to be done."""
        self._undo.append(undo)

    def commit(self) -> None:
        """Take the step for done."""
        self.step += 1
        self._undo.clear()

    def rollback(self) -> None:
        """Take back all that the step has done."""
        for undo in reversed(self._undo):
            undo()
        self.commit()
