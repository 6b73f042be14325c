"""What a step has changed so far, and how to take it back: as much work as the step has done."""

from collections.abc import Callable

from muntin.optimized.scotty.slices.slice import Slice, State


class UndoLog:
    """Deeds that undo, in the order of what they undo; `step` tells the steps apart."""

    def __init__(self) -> None:
        """Start with nothing to undo."""
        self.step = 0
        self._undo: list[Callable[[], object]] = []
        self._changed: list[tuple[Slice, State]] = []

    def record_undo(self, undo: Callable[[], object]) -> None:
        """Remember how to take back what is about to be done."""
        self._undo.append(undo)

    def change(self, one: Slice) -> None:
        """Remember a slice that this step changes for the first time."""
        one.step = self.step
        self._changed.append((one, one.state()))

    def commit(self) -> None:
        """Take the step for done."""
        self.step += 1
        self._undo.clear()
        self._changed.clear()

    def rollback(self) -> None:
        """Take back all that the step has done."""
        for undo in reversed(self._undo):
            undo()
        for one, state in self._changed:
            one.restore(state)
        self.commit()
