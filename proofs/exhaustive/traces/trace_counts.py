"""How many traces a scope has: counted without taking any, as a check on the walk."""

from functools import cache
from itertools import product
from typing import NamedTuple

from exhaustive.traces.walk import Scope


class Point(NamedTuple):
    """What decides which steps can follow: the watermarks given, the greatest time, the spare."""

    given: int = 0
    seen: int = -1
    asked: bool = False
    gone: bool = False


class Count:
    """The traces of a scope."""

    def __init__(self, scope: Scope) -> None:
        """Count from any point on, each once."""
        self._scope = scope
        self.beginning = cache(self._beginning)

    def _beginning(self, at: Point, left: int) -> int:
        """Return how many traces begin here, with so many steps left; one is the end at once."""
        return 1 + sum(
            1 + (self.beginning(after, left - 1) if news and left > 1 else 0)
            for after, news in self._following(at)
        )

    def _following(self, at: Point) -> list[tuple[Point, bool]]:
        """Return where each action leads, and whether it can change anything."""
        steps = [one for size in range(self._scope.batch + 1) for one in self._batches(at, size)]
        if self._scope.spare is not None:
            steps += [] if at.asked else [(at._replace(asked=True), True)]
            steps += [(at._replace(gone=True), True)] if at.asked and not at.gone else []
        return steps

    def _batches(self, at: Point, size: int) -> list[tuple[Point, bool]]:
        scope = self._scope
        marks = range(max(1, at.given - 1), scope.times + 1)
        alone = [0] if size else []
        given = [*alone, *marks] if scope.batch > 1 or not size else alone
        return [
            self._after(at, times, mark)
            for times in product(range(scope.times), repeat=size)
            for mark in given
            for _ in range((len(scope.keys) * len(scope.gaps)) ** size)
        ]

    def _after(self, at: Point, times: tuple[int, ...], mark: int) -> tuple[Point, bool]:
        in_order = self._scope.settings.in_order
        if in_order and [at.seen, *times] != sorted([at.seen, *times]):
            return at, False
        passed = max(at.given, at.seen) if in_order else at.given
        point = at._replace(given=max(at.given, mark), seen=max(at.seen, *times, -1))
        return point, bool(times) or mark > passed


def traces(scope: Scope) -> int:
    """Return the number of traces that a walk through the scope has to take.

    >>> from muntin.spec.windows.periodic import tumbling
    >>> traces(Scope((tumbling(1),), times=1, length=1))  # an event, a watermark, or the end
    3
    """
    return Count(scope).beginning(Point(), scope.length)
