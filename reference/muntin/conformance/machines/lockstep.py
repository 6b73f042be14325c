"""One trace, run by an operator and by the denotation: their first divergence, if any."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from muntin.conformance.machines.random_choices import BAGS, WORDS
from muntin.conformance.output_comparison import Response, response_difference
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.reference.specification import SpecificationOperator
from muntin.spec.errors import MuntinError, UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query, Settings

Build = Callable[[Settings], Operator]
Action = Callable[[Operator], Output]
"""A query that is added or removed, or a step."""


@dataclass(frozen=True)
class Divergence:
    """The first step at which an operator and the denotation do not agree."""

    turn: int
    difference: str


def supported_trace(trace: OperatorTranscript, build: Build) -> OperatorTranscript:
    """The trace with the queries that an operator supports: over bags, where it refuses words."""

    def alternatives(query: Query) -> list[Query]:
        bags = [replace(query, aggregate=BAGS)] if query.aggregate is WORDS else []
        return [q for q in (query, *bags) if _supports(q, trace.settings, build)][:1]

    queries = tuple(q for query in trace.queries for q in alternatives(query))
    turns = [
        replace(turn, added=tuple(q for query in turn.added for q in alternatives(query)))
        for turn in trace.turns
    ]
    return without_invalid_actions(replace(trace, queries=queries, turns=tuple(turns)))


def _supports(query: Query, settings: Settings, build: Build) -> bool:
    try:
        build(settings).add(query)
    except UnsupportedError:
        return False
    return True


def without_invalid_actions(trace: OperatorTranscript) -> OperatorTranscript:
    """The trace without removals of queries that are not registered."""
    names, turns = {query.id for query in trace.queries}, list[TranscriptStep]()
    for turn in trace.turns:
        removed = tuple(name for name in turn.removed if name in names)
        names = (names - {*removed}) | {query.id for query in turn.added}
        turns.append(replace(turn, removed=removed))
    return replace(trace, turns=tuple(turns))


@dataclass(frozen=True)
class Lockstep:
    """How many steps and results the two agree on, and their first divergence, if any.

    Actions that the operator refuses in the middle are left out of both, and counted.
    """

    steps: int
    results: int
    divergence: Divergence | None = None
    refused: int = 0


def lockstep(trace: OperatorTranscript, build: Build) -> Lockstep:
    """Run a trace on an operator and on the denotation, up to their first divergence."""
    results = refused = 0
    oracle, target = SpecificationOperator(trace.settings), build(trace.settings)
    for query in trace.queries:
        oracle.add(query)
        target.add(query)
    for number, turn in enumerate(trace.turns):
        for action in actions(turn):
            actual = try_action(target, action)
            if actual == UnsupportedError.__name__:
                refused += 1
                continue
            expected = try_action(oracle, action)
            if difference := response_difference(expected, actual):
                return Lockstep(number + 1, results, Divergence(number, difference), refused)
            results += 0 if isinstance(expected, str) else len(expected.results)
    return Lockstep(len(trace.turns), results, None, refused)


def actions(turn: TranscriptStep) -> Iterator[Action]:
    """The actions of a turn, in order."""
    yield from (partial(_remove, name=name) for name in turn.removed)
    yield from (partial(_add, query=query) for query in turn.added)
    yield lambda operator: operator.take(turn.step)


def _remove(operator: Operator, name: str) -> Output:
    operator.remove(name)
    return Output()


def _add(operator: Operator, query: Query) -> Output:
    operator.add(query)
    return Output()


def response_to(operator: Operator, turn: TranscriptStep) -> Response:
    """The output of an operator for a turn, or its first error."""
    response: Response = Output()
    for action in actions(turn):
        response = try_action(operator, action)
        if isinstance(response, str):
            break
    return response


def try_action(operator: Operator, action: Action) -> Response:
    """The output of an operator for an action, or its error."""
    try:
        return action(operator)
    except MuntinError as error:
        return type(error).__name__
    except Exception as bug:  # noqa: BLE001 - to crash is to disagree
        return f"crashed: {bug!r}"
