"""One trace, taken by an operator and by the denotation: where they part, if they do."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from muntin.conformance.machines.letter_values import BAGS, WORDS
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep
from muntin.reference.specification import SpecificationOperator
from muntin.spec.errors import MuntinError, UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query, Settings

Build = Callable[[Settings], Operator]
Answer = Output | str
"""What an operator says to a step, or how it fails."""
Action = Callable[[Operator], Output]
"""A query that comes or goes, or a step."""


@dataclass(frozen=True)
class Divergence:
    """The first step on which an operator and the denotation do not agree."""

    turn: int
    wanted: Answer
    got: Answer


def supported(trace: OperatorTranscript, build: Build) -> OperatorTranscript:
    """Return a trace with the queries that an operator takes on: bags, where it refuses words."""

    def taken(query: Query) -> list[Query]:
        bags = [replace(query, aggregate=BAGS)] if query.aggregate is WORDS else []
        return [one for one in (query, *bags) if _accepts(one, trace.settings, build)][:1]

    queries = tuple(one for query in trace.queries for one in taken(query))
    turns = [
        replace(turn, added=tuple(one for query in turn.added for one in taken(query)))
        for turn in trace.turns
    ]
    return without_invalid_actions(replace(trace, queries=queries, turns=tuple(turns)))


def _accepts(query: Query, settings: Settings, build: Build) -> bool:
    try:
        build(settings).add(query)
    except UnsupportedError:
        return False
    return True


def without_invalid_actions(trace: OperatorTranscript) -> OperatorTranscript:
    """Return a trace in which no query is removed that is not asked."""
    asked, turns = {query.id for query in trace.queries}, list[TranscriptStep]()
    for turn in trace.turns:
        removed = tuple(name for name in turn.removed if name in asked)
        asked = (asked - {*removed}) | {query.id for query in turn.added}
        turns.append(replace(turn, removed=removed))
    return replace(trace, turns=tuple(turns))


@dataclass(frozen=True)
class Lockstep:
    """How far the two came, with how many results, and where they parted, if they did.

    What the operator refuses in the middle is left out of both, and counted.
    """

    steps: int
    results: int
    parting: Divergence | None = None
    refused: int = 0


def lockstep(trace: OperatorTranscript, build: Build) -> Lockstep:
    """Let an operator take a trace beside the denotation, and stop where they part."""
    results = refused = 0
    oracle, target = SpecificationOperator(trace.settings), build(trace.settings)
    for query in trace.queries:
        oracle.add(query)
        target.add(query)
    for nth, turn in enumerate(trace.turns):
        for deed in actions(turn):
            got = try_action(target, deed)
            if got == UnsupportedError.__name__:
                refused += 1
                continue
            wanted = try_action(oracle, deed)
            if not agree(wanted, got):
                return Lockstep(nth + 1, results, Divergence(nth, wanted, got), refused)
            results += 0 if isinstance(wanted, str) else len(wanted.results)
    return Lockstep(len(trace.turns), results, None, refused)


def actions(turn: TranscriptStep) -> Iterator[Action]:
    """Yield what is done to an operator in a turn, one by one."""
    yield from (partial(_remove, name=name) for name in turn.removed)
    yield from (partial(_add, query=query) for query in turn.added)
    yield lambda operator: operator.take(turn.step)


def _remove(operator: Operator, name: str) -> Output:
    operator.remove(name)
    return Output()


def _add(operator: Operator, query: Query) -> Output:
    operator.add(query)
    return Output()


def answered(operator: Operator, turn: TranscriptStep) -> Answer:
    """Return what an operator says to a turn, or how it fails."""
    said: Answer = Output()
    for deed in actions(turn):
        said = try_action(operator, deed)
        if isinstance(said, str):
            break
    return said


def try_action(operator: Operator, deed: Action) -> Answer:
    """Return what an operator says to something, or how it fails."""
    try:
        return deed(operator)
    except MuntinError as error:
        return type(error).__name__
    except Exception as bug:  # noqa: BLE001 - to crash is to disagree
        return f"crashed: {bug!r}"


def agree(wanted: Answer, got: Answer) -> bool:
    """Whether two answers are the same; NaN is the same as NaN.

    >>> agree(Output(), Output()), agree(Output(), "InvalidInputError")
    (True, False)
    """
    if isinstance(wanted, str) or isinstance(got, str):
        return wanted == got
    if len(wanted.results) != len(got.results) or wanted.late != got.late:
        return False
    return all(
        _same(a.value, b.value) and a._replace(value=None) == b._replace(value=None)
        for a, b in zip(wanted.results, got.results, strict=True)
    )


def _same(wanted: object, got: object) -> bool:
    nan = isinstance(wanted, float) and wanted != wanted  # noqa: PLR0124 - NaN differs from itself
    return wanted == got or (nan and repr(got) == "nan")
