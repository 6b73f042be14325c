"""Every trace of a few events and watermarks, taken by every operator and by the denotation.

A scope says which windows are asked, which times events may have, and how many steps are taken. All
sequences of steps within it are walked through as a tree: each step is taken on a copy of what the
steps before have led to (`whole.fork`), so that a common beginning is taken once. After each step
the answer of each operator is compared with that of the denotation, over the free monoid on events
or, where an operator needs that order is no matter, over the free commutative one; so are the
answers to the end of the stream at that point.

Left out, since nothing can come of it: what follows a watermark that is not greater than the one
before, or an event that breaks a promised order. There the operator has to answer as the denotation
does, and to be in every field what it was before; if it is not, the walk goes on.
"""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import NamedTuple, TypeGuard

from exhaustive.object_state import ObjectForm, fork, object_form
from muntin.conformance.machines.strategies import BAGS, WORDS, Letter
from muntin.reference.specification import SpecificationOperator
from muntin.registry.implementations import OperatorEntry
from muntin.spec.algebra.monoid import Word
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import DEFAULTS, Output, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.window import WindowType

StepAnswer = Output | str
"""What a step gives: results and late events, or the kind of error."""

TraceAction = Step | Query | str
"""A step, a query that is asked, or the name of one that is asked no more."""

END_OF_STREAM = Step((), END)


@dataclass(frozen=True)
class TraceScope:
    """All traces over these windows, of so many steps, each of at most `batch` events.

    There are so many `times`, from `first` on; an event comes at one of them and has one of these
    keys, a watermark comes one time later. A spare window is asked, and then asked no more, at any
    points of the trace.
    """

    windows: tuple[WindowType, ...]
    times: int
    length: int
    settings: Settings = DEFAULTS
    batch: int = 1
    keys: tuple[Hashable, ...] = (None,)
    gaps: tuple[int | None, ...] = (None,)  # what gap of its own an event may bring
    spare: WindowType | None = None
    first: int = 0


class TraceCounts(NamedTuple):
    """How many traces were taken, and how many results and late events came at their last steps."""

    traces: int
    results: int
    late: int


@dataclass
class ForkableOperator:
    """An operator on its way, and whether it has been asked for bags instead of words."""

    name: str
    operator: Operator
    is_unordered: bool

    def fork_with(self, action: TraceAction) -> tuple["ForkableOperator", StepAnswer]:
        """Take an action on a copy; to the end of the stream, which is the last, without one."""
        twin = self.operator if action == END_OF_STREAM else fork(self.operator)
        spelled = (
            replace(action, aggregate=BAGS) if _is_query(action) and self.is_unordered else action
        )
        return ForkableOperator(self.name, twin, self.is_unordered), answer_of(twin, spelled)

    @cached_property
    def form(self) -> ObjectForm:
        """Everything that the operator is made of: it takes each action on a copy."""
        return object_form(self.operator)

    def differs(self, other: "ForkableOperator") -> bool:
        """Whether two operators differ in any field."""
        return self.form != other.form


def _is_query(action: TraceAction) -> TypeGuard[Query]:
    return isinstance(action, Query)


def answer_of(operator: Operator, action: TraceAction) -> StepAnswer:
    """The output of an action, or the kind of error."""
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
    """An operator that has been asked all windows of a scope, if it accepts them."""
    for bags in (False, True):
        operator = entry.build(scope.settings)
        spare = () if scope.spare is None else (scope.spare,)
        try:
            for nth, window in enumerate((*spare, *scope.windows)):
                operator.add(Query(f"q{nth}", window, BAGS if bags else WORDS))
        except UnsupportedError:
            continue
        if spare:
            operator.remove("q0")
        return ForkableOperator(entry.name, operator, bags)
    return None


def with_sorted_letters(wanted: StepAnswer) -> StepAnswer:
    """The answer with the letters of each window sorted."""
    if isinstance(wanted, str):
        return wanted
    return wanted._replace(
        results=tuple(r._replace(value=sorted_letters(r.value)) for r in wanted.results)
    )


def sorted_letters(word: object) -> object:
    """Sort the letters of a word."""
    return tuple(sorted(word)) if _is_word(word) else word


def _is_word(value: object) -> TypeGuard[Word]:
    return isinstance(value, tuple)


class TraceWalk:
    """One walk over all traces of a scope."""

    def __init__(self, scope: TraceScope, entries: Iterable[OperatorEntry]) -> None:
        """Ask the windows of the scope of the denotation, and of all operators that have them."""
        self._scope = scope
        self.traces = self.results = self.late = 0
        oracle = prepared_operator(OperatorEntry("denotation", SpecificationOperator), scope)
        assert oracle
        self._oracle = oracle
        ready = [prepared_operator(entry, scope) for entry in entries]
        self._operators = [one for one in ready if one]

    @property
    def names(self) -> list[str]:
        """The operators that take part."""
        return [one.name for one in self._operators]

    def run(self) -> TraceCounts:
        """Take every trace."""
        self._extend(self._oracle, self._operators, [], counted=True)
        return TraceCounts(self.traces, self.results, self.late)

    def _extend(
        self,
        oracle: ForkableOperator,
        ones: list[ForkableOperator],
        taken: list[TraceAction],
        *,
        counted: bool,
    ) -> None:
        """Take each action after these; what only an operator thinks to be a change is extra."""
        for action in [*self._next_actions(taken), END_OF_STREAM]:
            trace = [*taken, action]
            after, wanted = oracle.fork_with(action)
            twins = self._check_answers(ones, trace, wanted)
            if counted:
                self._count(wanted)
            if action == END_OF_STREAM or len(trace) == self._scope.length:
                continue
            news = not isinstance(action, Step) or after.differs(oracle)
            if news or any(map(ForkableOperator.differs, twins, ones)):
                self._extend(after, twins, trace, counted=counted and news)

    def _check_answers(
        self, ones: list[ForkableOperator], trace: list[TraceAction], wanted: StepAnswer
    ) -> list[ForkableOperator]:
        """Let each operator take the last action of a trace, and compare the answers."""
        bags, twins = with_sorted_letters(wanted), list[ForkableOperator]()
        for one in ones:
            twin, got = one.fork_with(trace[-1])
            assert got == (bags if one.is_unordered else wanted), (one.name, trace, got, wanted)
            twins.append(twin)
        return twins

    def _count(self, wanted: StepAnswer) -> None:
        self.traces += 1
        if not isinstance(wanted, str):
            self.results += len(wanted.results)
            self.late += len(wanted.late)

    def _next_actions(self, taken: list[TraceAction]) -> Iterator[TraceAction]:
        """Yield what can come next: each event has a letter of its own."""
        scope, zero = self._scope, self._scope.first
        steps = [one for one in taken if isinstance(one, Step)]
        letters = sum(len(one.events) for one in steps)
        given = [int(one.watermark) for one in steps if one.watermark is not None]
        least = max(zero + 1, max(given, default=zero) - 1)
        marks = [None, *range(least, zero + scope.times + 1)]
        places = list(product(range(zero, zero + scope.times), scope.keys, scope.gaps))
        for size in range(scope.batch + 1):
            for batch in product(places, repeat=size):
                events = [
                    Event(time, Letter(time % 2, letters + nth), key, gap)
                    for nth, (time, key, gap) in enumerate(batch)
                ]
                for mark in marks if scope.batch > 1 or not size else [None]:
                    if events or mark is not None:
                        yield Step(tuple(events), mark)
        if scope.spare is not None:
            asked = sum(isinstance(one, Query) for one in taken)
            gone = sum(isinstance(one, str) for one in taken)
            yield from [Query("spare", scope.spare, WORDS)] if not asked else []
            yield from ["spare"] if asked > gone else []
