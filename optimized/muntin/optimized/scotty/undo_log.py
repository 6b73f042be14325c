"""What a step has changed so far, and how to take it back: as much work as the step has done."""

from collections.abc import Callable

from muntin.optimized.scotty.slices.slice import Slice, SliceState


class UndoLog:
    """Deeds that undo, in the order of what they undo; `step` tells the steps apart."""

    def __init__(self) -> None:
        """Start with nothing to undo."""
        self.step = 0
        self._actions: list[Callable[[], object]] = []
        self._saved_slices: list[tuple[Slice, SliceState]] = []

    def record_undo(self, action: Callable[[], object]) -> None:
        """Remember how to take back what is about to be done."""
        self._actions.append(action)

    def save_slice(self, slice_: Slice) -> None:
        """Remember a slice that this step changes for the first time."""
        slice_.step = self.step
        self._saved_slices.append((slice_, slice_.state()))

    def commit(self) -> None:
        """Take the step for done."""
        self.step += 1
        self._actions.clear()
        self._saved_slices.clear()

    def rollback(self) -> None:
        """Take back all that the step has done."""
        for action in reversed(self._actions):
            action()
        for slice_, state in self._saved_slices:
            slice_.restore(state)
        self.commit()
