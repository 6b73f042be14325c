"""The number of traces of a scope, counted without running any, as a check on the walk."""

from functools import cache
from itertools import product
from typing import NamedTuple

from exhaustive.traces.walk import TraceScope


class TracePoint(NamedTuple):
    """What decides which steps can follow: greatest watermark and time, and the spare query."""

    watermark: int = 0
    greatest_time: int = -1
    is_spare_added: bool = False
    is_spare_removed: bool = False


class TraceCounter:
    """Counts the traces of a scope."""

    def __init__(self, scope: TraceScope) -> None:
        """Start a count, with a cache by point."""
        self._scope = scope
        self.count_from = cache(self._count_from)

    def _count_from(self, point: TracePoint, left: int) -> int:
        """The number of traces from a point on with `left` steps; one of them ends at once."""
        return 1 + sum(
            1 + (self.count_from(after, left - 1) if can_change and left > 1 else 0)
            for after, can_change in self._next_points(point)
        )

    def _next_points(self, point: TracePoint) -> list[tuple[TracePoint, bool]]:
        """The point after each action, and whether the action can change anything."""
        steps = [
            step
            for size in range(self._scope.batch + 1)
            for step in self._points_after_batches(point, size)
        ]
        if self._scope.spare is not None:
            steps += [] if point.is_spare_added else [(point._replace(is_spare_added=True), True)]
            is_removable = point.is_spare_added and not point.is_spare_removed
            steps += [(point._replace(is_spare_removed=True), True)] if is_removable else []
        return steps

    def _points_after_batches(self, point: TracePoint, size: int) -> list[tuple[TracePoint, bool]]:
        scope = self._scope
        marks = range(max(1, point.watermark - 1), scope.times + 1)
        alone = [0] if size else []
        watermarks = [*alone, *marks] if scope.batch > 1 or not size else alone
        return [
            self._point_after(point, times, mark)
            for times in product(range(scope.times), repeat=size)
            for mark in watermarks
            for _ in range((len(scope.keys) * len(scope.gaps)) ** size)
        ]

    def _point_after(
        self, point: TracePoint, times: tuple[int, ...], mark: int
    ) -> tuple[TracePoint, bool]:
        in_order = self._scope.settings.in_order
        if in_order and [point.greatest_time, *times] != sorted([point.greatest_time, *times]):
            return point, False
        passed = max(point.watermark, point.greatest_time) if in_order else point.watermark
        after = point._replace(
            watermark=max(point.watermark, mark),
            greatest_time=max(point.greatest_time, *times, -1),
        )
        return after, bool(times) or mark > passed


def trace_count(scope: TraceScope) -> int:
    """The number of traces that a walk through the scope must take.

    >>> from muntin.spec.windows.periodic import tumbling
    >>> trace_count(TraceScope((tumbling(1),), times=1, length=1))  # event, watermark, end
    3
    """
    return TraceCounter(scope).count_from(TracePoint(), scope.length)
