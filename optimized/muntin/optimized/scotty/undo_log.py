"""What a step has changed so far, and how to undo it: as much work as the step has done."""

from collections.abc import Callable

from muntin.optimized.scotty.slices.slice import Slice, SliceState


class UndoLog:
    """Actions that undo the step, in the order of what they undo; `step` numbers the steps."""

    def __init__(self) -> None:
        """Start with nothing to undo."""
        self.step = 0
        self._actions: list[Callable[[], object]] = []
        self._saved_slices: list[tuple[Slice, SliceState]] = []

    def record_undo(self, action: Callable[[], object]) -> None:
        """Record how to undo what is about to be done."""
        self._actions.append(action)

    def save_slice(self, slice_: Slice) -> None:
        """Save a slice before this step changes it for the first time."""
        slice_.step = self.step
        self._saved_slices.append((slice_, slice_.state()))

    def commit(self) -> None:
        """Make the step permanent."""
        self.step += 1
        self._actions.clear()
        self._saved_slices.clear()

    def rollback(self) -> None:
        """Undo all that the step has done."""
        for action in reversed(self._actions):
            action()
        for slice_, state in self._saved_slices:
            slice_.restore(state)
        self.commit()
