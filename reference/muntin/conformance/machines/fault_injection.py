"""An operator whose user code fails in the middle of steps; each such step is repeated.

A step that fails changes nothing, so the outputs are those of an operator that never failed.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random
from typing import TypeVar

from muntin.spec.algebra.aggregate import AnyAggregate
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.errors import UserCodeError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query
from muntin.spec.stream import Step
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import WindowType

T = TypeVar("T")
MAX_CALLS = 24
"""The calls of user code before one fails are fewer than this."""


class InjectedFailure(Exception):  # noqa: N818 - what user code raises need not be called an error
    """The error that user code raises here."""


class FailurePlan:
    """Makes one call of user code fail while it is armed."""

    def __init__(self) -> None:
        """Start disarmed."""
        self.calls_left: int | None = None
        self.has_failed = False

    def arm(self, calls: int) -> None:
        """Let the call after this number of calls fail, and no later one."""
        self.calls_left, self.has_failed = calls, False

    def disarm(self) -> None:
        """Let no further call fail."""
        self.calls_left = None

    def count_call(self) -> None:
        """Count a call of user code, which fails if its turn has come."""
        if self.calls_left is not None:
            self.calls_left -= 1
            if self.calls_left < 0:
                self.calls_left, self.has_failed = None, True
                raise InjectedFailure

    def wrap(self, function: Callable[..., T]) -> Callable[..., T]:
        """The function, which fails when its turn has come."""

        def failing(*arguments: object) -> T:
            self.count_call()
            return function(*arguments)

        return failing

    def wrap_aggregate(self, aggregate: AnyAggregate) -> AnyAggregate:
        """The aggregate with each of its functions wrapped."""
        monoid = aggregate.monoid
        inverses = (self.wrap(f) if f else None for f in (monoid.invert, monoid.invert_first))
        failing = Monoid(monoid.identity, self.wrap(monoid.combine), *inverses)
        lift, lower = self.wrap(aggregate.lift), self.wrap(aggregate.lower)
        return replace(aggregate, lift=lift, monoid=failing, lower=lower)

    def wrap_window(self, window_type: WindowType) -> WindowType:
        """The window type with its machine wrapped, if it has one."""
        if isinstance(window_type, UserWindow | UserTrigger):
            return replace(window_type, machine=self.wrap(window_type.machine))
        return window_type


class FailingOperator(Operator):
    """Runs an operator; steps and removals may fail half-way, and are repeated."""

    def __init__(self, operator: Operator, seed: int) -> None:
        """Start with the operator as it is; the seed decides which calls fail."""
        self.operator, self.failures = operator, 0
        self._plan, self._random = FailurePlan(), Random(seed)  # noqa: S311 - no secret
        self._wrapped: dict[int, AnyAggregate] = {}
        self._originals: list[AnyAggregate] = []  # kept alive, for their ids are keys

    def add(self, query: Query) -> None:
        """Register a query whose user code may fail."""
        original = query.aggregate
        if id(original) not in self._wrapped:
            self._originals.append(original)
            self._wrapped[id(original)] = self._plan.wrap_aggregate(original)
        window = self._plan.wrap_window(query.window)
        self.operator.add(replace(query, window=window, aggregate=self._wrapped[id(original)]))

    def remove(self, name: str) -> None:
        """Unregister a query, at the second attempt if the first one fails."""
        self._retry(partial(self.operator.remove, name))

    def take(self, step: Step, /) -> Output:
        """Process a step, at the second attempt if the first one fails."""
        return self._retry(lambda: self.operator.take(step))

    def _retry(self, action: Callable[[], T]) -> T:
        self._plan.arm(self._random.randrange(MAX_CALLS))
        try:
            return action()  # in spite of a failure it may succeed: the call can be made later
        except UserCodeError:
            if not self._plan.has_failed:
                raise
        finally:
            self._plan.disarm()
        self.failures += 1
        return action()
