"""How many traces a scope has: counted without taking any, as a check on the walk."""

from functools import cache
from itertools import product
from typing import NamedTuple

from exhaustive.traces.walk import TraceScope


class TracePoint(NamedTuple):
    """What decides which steps can follow: the watermarks given, the greatest time, the spare."""

    watermark: int = 0
    greatest_time: int = -1
    is_spare_added: bool = False
    is_spare_removed: bool = False


class TraceCounter:
    """The traces of a scope."""

    def __init__(self, scope: TraceScope) -> None:
        """Count from any point on, each once."""
        self._scope = scope
        self.count_from = cache(self._count_from)

    def _count_from(self, at: TracePoint, left: int) -> int:
        """Return how many traces begin here, with so many steps left; one is the end at once."""
        return 1 + sum(
            1 + (self.count_from(after, left - 1) if news and left > 1 else 0)
            for after, news in self._next_points(at)
        )

    def _next_points(self, at: TracePoint) -> list[tuple[TracePoint, bool]]:
        """Return where each action leads, and whether it can change anything."""
        steps = [
            one
            for size in range(self._scope.batch + 1)
            for one in self._points_after_batches(at, size)
        ]
        if self._scope.spare is not None:
            steps += [] if at.is_spare_added else [(at._replace(asked=True), True)]
            steps += (
                [(at._replace(gone=True), True)]
                if at.is_spare_added and not at.is_spare_removed
                else []
            )
        return steps

    def _points_after_batches(self, at: TracePoint, size: int) -> list[tuple[TracePoint, bool]]:
        scope = self._scope
        marks = range(max(1, at.watermark - 1), scope.times + 1)
        alone = [0] if size else []
        given = [*alone, *marks] if scope.batch > 1 or not size else alone
        return [
            self._point_after(at, times, mark)
            for times in product(range(scope.times), repeat=size)
            for mark in given
            for _ in range((len(scope.keys) * len(scope.gaps)) ** size)
        ]

    def _point_after(
        self, at: TracePoint, times: tuple[int, ...], mark: int
    ) -> tuple[TracePoint, bool]:
        in_order = self._scope.settings.in_order
        if in_order and [at.greatest_time, *times] != sorted([at.greatest_time, *times]):
            return at, False
        passed = max(at.watermark, at.greatest_time) if in_order else at.watermark
        point = at._replace(given=max(at.watermark, mark), seen=max(at.greatest_time, *times, -1))
        return point, bool(times) or mark > passed


def trace_count(scope: TraceScope) -> int:
    """The number of traces that a walk through the scope has to take.

    >>> from muntin.spec.windows.periodic import tumbling
    >>> traces(Scope((tumbling(1),), times=1, length=1))  # an event, a watermark, or the end
    3
    """
    return TraceCounter(scope).count_from(TracePoint(), scope.length)
