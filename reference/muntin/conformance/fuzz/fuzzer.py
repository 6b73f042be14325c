"""Random traces on operators, in lockstep with the denotation, without end."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from muntin.conformance.fuzz.shrinker import shrink
from muntin.conformance.fuzz.trace_generator import random_trace
from muntin.conformance.machines.lockstep import Build, Lockstep, lockstep, supported_trace
from muntin.conformance.machines.random_choices import SeededSource
from muntin.conformance.transcript.model import OperatorTranscript


@dataclass(frozen=True)
class FuzzTrial:
    """What an operator supports of a random trace, and how it compares with the denotation."""

    operator: str
    seed: str
    trace: OperatorTranscript
    outcome: Lockstep


def trials(operators: Mapping[str, Build], seed: int) -> Iterator[FuzzTrial]:
    """Trials of the operators in turn, until none of them is left."""
    for number in count():
        for name in [*operators]:
            yield trial(name, operators[name], f"{seed}:{number}")
        if not operators:
            return


def trial(name: str, build: Build, seed: str) -> FuzzTrial:
    """Run the random trace of a seed on an operator, or a plain one if it supports no query.

    >>> from muntin.reference.specification import SpecificationOperator
    >>> trial("spec", SpecificationOperator, "7").outcome.divergence is None
    True
    """
    trace = supported_trace(random_trace(SeededSource(seed)), build)
    if not any(True for _ in trace.every_query()):
        trace = supported_trace(random_trace(SeededSource(seed), plain=True), build)
    return FuzzTrial(name, seed, trace, lockstep(trace, build))


def shrunk_trial(failed: FuzzTrial, build: Build) -> FuzzTrial:
    """The trial of a smaller trace on which the operator is wrong."""

    def fails(trace: OperatorTranscript) -> bool:
        return lockstep(supported_trace(trace, build), build).divergence is not None

    trace = supported_trace(shrink(failed.trace, fails), build)
    return FuzzTrial(failed.operator, failed.seed, trace, lockstep(trace, build))
