"""Operators beside the denotation in Coq, over random traces: Scotty, columns, the definition.

What is compared is what each step emits for each key, in order, and the events that are late.
Most values are letters, so that the content of each window is compared.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from lockstep.comparison import Difference
from muntin.conformance.fuzz.trace_generator import random_trace
from muntin.conformance.machines.lockstep import (
    Build,
    actions,
    supported_trace,
    try_action,
)
from muntin.conformance.machines.random_choices import SeededSource
from muntin.conformance.output_comparison import Response
from muntin.conformance.transcript.model import OperatorTranscript
from muntin.registry.coq_operator import CoqOperator
from muntin.registry.lookup import operator_named
from muntin.spec.dialect import OURS
from muntin.spec.errors import UnsupportedError
from muntin.spec.query import Result

OPERATORS = ("spec", "recompute", "scotty-lazy", "scotty-eager", "scotty-fiba", "kernels")


@dataclass
class Tally:
    """What was compared, over all operators."""

    traces: int = 0
    steps: int = 0
    results: int = 0


def traces(seed: int) -> Iterator[OperatorTranscript]:
    """Yield random traces in our dialect with queries that the model in Coq has."""
    number = 0
    while True:
        trace = random_trace(SeededSource(f"{seed}:{number}"))
        trace = replace(trace, settings=replace(trace.settings, dialect=OURS))
        supported = supported_trace(trace, CoqOperator)
        if supported.queries:
            yield supported
        number += 1


def compare_operators(steps: int, seed: int) -> Tally:
    """Compare every operator with the model until that many steps agree; raise Difference."""
    tally = Tally()
    for trace in traces(seed):
        for name in OPERATORS:
            _compare(name, operator_named(name).build, trace, tally)
        tally.traces += 1
        if tally.steps >= steps:
            break
    return tally


def _compare(name: str, build: Build, trace: OperatorTranscript, tally: Tally) -> None:
    trace = supported_trace(trace, build)
    model, operator = CoqOperator(trace.settings), build(trace.settings)
    for query in trace.queries:
        model.add(query)
        operator.add(query)
    for turn in trace.turns:
        for action in actions(turn):
            actual, expected = try_action(operator, action), try_action(model, action)
            if UnsupportedError.__name__ in (actual, expected):
                return
            if _by_key(expected) != _by_key(actual):
                raise Difference(f"{name}, {trace}\n  code:  {actual}\n  model: {expected}")
            tally.results += 0 if isinstance(expected, str) else len(expected.results)
        tally.steps += 1


def _by_key(response: Response) -> object:
    """The results of each key in order, and the late events; or an error."""
    if isinstance(response, str):
        return response
    results = dict[Hashable, list[Result]]()
    for result in response.results:
        results.setdefault(result.key, []).append(result)
    return results, response.late
