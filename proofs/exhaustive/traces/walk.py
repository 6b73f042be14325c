"""Every trace of a few events and watermarks, run by every operator and by the denotation.

A scope fixes the windows of the queries, the times of events and the number of steps. All sequences
of steps within it are walked as a tree: each step runs on a copy of the state that the steps before
have led to (`object_state.fork`), so that a common beginning runs once. After each step the answer
of each operator is compared with that of the denotation, over the free monoid on events or, where
an operator requires a commutative aggregate, over the free commutative one; so are the answers to
the end of the stream at that point.

Skipped, since nothing can change: what follows a watermark that is not greater than the one before,
or an event that breaks a promised order. There the operator must answer as the denotation does, and
be unchanged in every field; if it has changed, the walk continues.
"""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import NamedTuple, TypeGuard

from exhaustive.object_state import ObjectForm, fork, object_form
from muntin.conformance.machines.random_choices import BAGS, WORDS, Letter
from muntin.conformance.output_comparison import Response, response_difference
from muntin.reference.specification import SpecificationOperator
from muntin.registry.implementations import OperatorEntry
from muntin.spec.algebra.monoid import Word
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import DEFAULTS, Output, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.window import WindowType

TraceAction = Step | Query | str
"""A step, a query that is added, or the name of a query that is removed."""

END_OF_STREAM = Step((), END)


@dataclass(frozen=True)
class TraceScope:
    """All traces over these windows with `length` steps, each of at most `batch` events.

    Events have one of `times` times from `first` on and one of the keys; watermarks lie one time
    later. A query on the spare window is added, and then removed, at any points of the trace.
    """

    windows: tuple[WindowType, ...]
    times: int
    length: int
    settings: Settings = DEFAULTS
    batch: int = 1
    keys: tuple[Hashable, ...] = (None,)
    gaps: tuple[int | None, ...] = (None,)  # the gaps that events may bring
    spare: WindowType | None = None
    first: int = 0


class TraceCounts(NamedTuple):
    """The number of traces, and of results and late events at their last steps."""

    traces: int
    results: int
    late: int


@dataclass
class ForkableOperator:
    """An operator at some point of a trace, over words or over multisets (`is_unordered`)."""

    name: str
    operator: Operator
    is_unordered: bool

    def fork_with(self, action: TraceAction) -> tuple["ForkableOperator", Response]:
        """Take an action on a copy; the end of the stream, which is the last, without a copy."""
        twin = self.operator if action == END_OF_STREAM else fork(self.operator)
        own_action = (
            replace(action, aggregate=BAGS) if _is_query(action) and self.is_unordered else action
        )
        return ForkableOperator(self.name, twin, self.is_unordered), answer_of(twin, own_action)

    @cached_property
    def form(self) -> ObjectForm:
        """The whole state of the operator, which never changes: each action runs on a copy."""
        return object_form(self.operator)

    def differs(self, other: "ForkableOperator") -> bool:
        """Whether two operators differ in any field."""
        return self.form != other.form


def _is_query(action: TraceAction) -> TypeGuard[Query]:
    return isinstance(action, Query)


def answer_of(operator: Operator, action: TraceAction) -> Response:
    """The output of an action, or the name of its error."""
    try:
        if isinstance(action, Step):
            return operator.take(action)
        if isinstance(action, Query):
            operator.add(action)
        else:
            operator.remove(action)
    except InvalidInputError as error:
        return type(error).__name__
    return Output()


def prepared_operator(entry: OperatorEntry, scope: TraceScope) -> ForkableOperator | None:
    """An operator with queries on all windows of a scope; None if it does not support them."""
    for is_unordered in (False, True):
        operator = entry.build(scope.settings)
        spare = () if scope.spare is None else (scope.spare,)
        try:
            for number, window in enumerate((*spare, *scope.windows)):
                operator.add(Query(f"q{number}", window, BAGS if is_unordered else WORDS))
        except UnsupportedError:
            continue
        if spare:
            operator.remove("q0")
        return ForkableOperator(entry.name, operator, is_unordered)
    return None


def with_sorted_letters(expected: Response) -> Response:
    """The answer with the letters of each window sorted."""
    if isinstance(expected, str):
        return expected
    return expected._replace(
        results=tuple(r._replace(value=sorted_letters(r.value)) for r in expected.results)
    )


def sorted_letters(word: object) -> object:
    """The word with its letters sorted."""
    return tuple(sorted(word)) if _is_word(word) else word


def _is_word(value: object) -> TypeGuard[Word]:
    return isinstance(value, tuple)


class TraceWalk:
    """One walk over all traces of a scope."""

    def __init__(self, scope: TraceScope, entries: Iterable[OperatorEntry]) -> None:
        """Prepare the denotation, and all operators that support the windows of the scope."""
        self._scope = scope
        self.traces = self.results = self.late = 0
        oracle = prepared_operator(OperatorEntry("denotation", SpecificationOperator), scope)
        assert oracle
        self._oracle = oracle
        prepared = [prepared_operator(entry, scope) for entry in entries]
        self._operators = [operator for operator in prepared if operator]

    @property
    def names(self) -> list[str]:
        """The operators that support the scope."""
        return [operator.name for operator in self._operators]

    def run(self) -> TraceCounts:
        """Run every trace."""
        self._extend(self._oracle, self._operators, [], is_counted=True)
        return TraceCounts(self.traces, self.results, self.late)

    def _extend(
        self,
        oracle: ForkableOperator,
        operators: list[ForkableOperator],
        past: list[TraceAction],
        *,
        is_counted: bool,
    ) -> None:
        """Take each action after these; if only an operator has changed, count no trace."""
        for action in [*self._next_actions(past), END_OF_STREAM]:
            trace = [*past, action]
            after, expected = oracle.fork_with(action)
            twins = self._check_answers(operators, trace, expected)
            if is_counted:
                self._count(expected)
            if action == END_OF_STREAM or len(trace) == self._scope.length:
                continue
            is_change = not isinstance(action, Step) or after.differs(oracle)
            if is_change or any(map(ForkableOperator.differs, twins, operators)):
                self._extend(after, twins, trace, is_counted=is_counted and is_change)

    def _check_answers(
        self, operators: list[ForkableOperator], trace: list[TraceAction], expected: Response
    ) -> list[ForkableOperator]:
        """Take the last action of a trace with each operator, and compare the answers."""
        sorted_answer, twins = with_sorted_letters(expected), list[ForkableOperator]()
        for operator in operators:
            twin, got = operator.fork_with(trace[-1])
            answer = sorted_answer if operator.is_unordered else expected
            difference = response_difference(answer, got)
            assert not difference, (operator.name, trace, difference)
            twins.append(twin)
        return twins

    def _count(self, expected: Response) -> None:
        self.traces += 1
        if not isinstance(expected, str):
            self.results += len(expected.results)
            self.late += len(expected.late)

    def _next_actions(self, past: list[TraceAction]) -> Iterator[TraceAction]:
        """Yield the next actions: each event has a letter of its own."""
        scope, zero = self._scope, self._scope.first
        steps = [action for action in past if isinstance(action, Step)]
        letters = sum(len(step.events) for step in steps)
        watermarks = [int(step.watermark) for step in steps if step.watermark is not None]
        least = max(zero + 1, max(watermarks, default=zero) - 1)
        marks = [None, *range(least, zero + scope.times + 1)]
        places = list(product(range(zero, zero + scope.times), scope.keys, scope.gaps))
        for size in range(scope.batch + 1):
            for batch in product(places, repeat=size):
                events = [
                    Event(time, Letter(time % 2, letters + index), key, gap)
                    for index, (time, key, gap) in enumerate(batch)
                ]
                for mark in marks if scope.batch > 1 or not size else [None]:
                    if events or mark is not None:
                        yield Step(tuple(events), mark)
        if scope.spare is not None:
            added = sum(isinstance(action, Query) for action in past)
            removed = sum(isinstance(action, str) for action in past)
            yield from [Query("spare", scope.spare, WORDS)] if not added else []
            yield from ["spare"] if added > removed else []
