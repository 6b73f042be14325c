"""An operator whose user's code fails in the middle of steps, each of which is then done again.

A step that fails changes nothing: so the answers are those of an operator that has never failed.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random
from typing import TypeVar

from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.errors import UserCodeError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query
from muntin.spec.stream import Step
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import WindowType

T = TypeVar("T")
MOST_CALLS = 24
"""How many calls of the user's code there may be before one fails."""


class InjectedFailure(Exception):  # noqa: N818 - what a user's code raises need not be called an error
    """What the user's code raises."""


class FailurePlan:
    """Calls of the user's code, one of which fails; none if the fuse is not lit."""

    def __init__(self) -> None:
        """Start unlit."""
        self.left: int | None = None
        self.blown = False

    def arm(self, calls: int) -> None:
        """Let the call after so many fail, and those behind it not."""
        self.left, self.blown = calls, False

    def disarm(self) -> None:
        """Let no further call fail."""
        self.left = None

    def count_call(self) -> None:
        """Count a call."""
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                self.left, self.blown = None, True
                raise InjectedFailure

    def on_one(self, function: Callable[..., T]) -> Callable[..., T]:
        """Return a function that fails if the fuse has burnt down."""

        def burning(*given: object) -> T:
            self.count_call()
            return function(*given)

        return burning

    def on_aggregate(
        self, whole: Aggregate[object, object, object]
    ) -> Aggregate[object, object, object]:
        """Return the aggregate with the fuse on all of its functions."""
        old = whole.monoid
        turned = (self.on_one(one) if one else None for one in (old.invert, old.invert_first))
        monoid = Monoid(old.identity, self.on_one(old.combine), *turned)
        lift, lower = self.on_one(whole.lift), self.on_one(whole.lower)
        return replace(whole, lift=lift, monoid=monoid, lower=lower)

    def on_window(self, kind: WindowType) -> WindowType:
        """Return the window type; with the fuse on its machine, if it has one."""
        if isinstance(kind, UserWindow | UserTrigger):
            return replace(kind, machine=self.on_one(kind.machine))
        return kind


class FailingOperator(Operator):
    """Runs an operator; steps and removals may fail half-way, and are done again."""

    def __init__(self, operator: Operator, seed: int) -> None:
        """Start with the operator as it is."""
        self.operator, self.falls = operator, 0
        self._fuse, self._random = FailurePlan(), Random(seed)  # noqa: S311 - no secret
        self._fused: dict[int, Aggregate[object, object, object]] = {}
        self._plain: list[Aggregate[object, object, object]] = []  # whose ids are used: they stay

    def add(self, query: Query) -> None:
        """Ask a further query, of which the user's code may fail."""
        plain = query.aggregate
        if id(plain) not in self._fused:
            self._plain.append(plain)
            self._fused[id(plain)] = self._fuse.on_aggregate(plain)
        window = self._fuse.on_window(query.window)
        self.operator.add(replace(query, window=window, aggregate=self._fused[id(plain)]))

    def remove(self, name: str) -> None:
        """Ask a query no more, at the second attempt if the first one fails."""
        self._twice(partial(self.operator.remove, name))

    def take(self, step: Step, /) -> Output:
        """Take in a step, at the second attempt if the first one fails."""
        return self._twice(lambda: self.operator.take(step))

    def _twice(self, deed: Callable[[], T]) -> T:
        self._fuse.arm(self._random.randrange(MOST_CALLS))
        try:
            return deed()  # perhaps in spite of a failure, if what failed can be done later
        except UserCodeError:
            if not self._fuse.blown:
                raise
        finally:
            self._fuse.disarm()
        self.falls += 1
        return deed()
