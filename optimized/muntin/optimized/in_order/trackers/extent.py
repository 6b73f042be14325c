"""Extents: the windows of one query and key that are not over yet, as ranges of ordinals."""

from typing import NamedTuple

from muntin.spec.stream import END


class EmittedWindow(NamedTuple):
    """The last report on a window, of the events before the ordinal `stop`."""

    start: int
    end: float
    stop: int
    value: object
    revision: int
    row: int


class TrackedWindow(NamedTuple):
    """A window from the event of ordinal `first` on; to the event before `stop`, once it is closed.

    It closes when an event comes at or beyond `closes`; `row` tells apart windows that a dialect
    shows with one interval. When it does, `total` is what it folds to,
    and `rest` is that of the events that came in the step that closed it.
    """

    start: int
    end: float
    first: int
    closes: float
    due: float | None
    stop: int | None = None
    total: object = None
    rest: object = None
    told: EmittedWindow | None = None
    row: int = 0

    def complete_at(self, closing: int) -> float:
        """Return the least watermark at which it is complete."""
        return END if self.due is None else self.due + closing

    def final_at(self, closing: int) -> float:
        """Return the least watermark, but for the lateness, at which it is frozen."""
        return END if self.due is None else self.due + max(0, closing)
