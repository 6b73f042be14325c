"""Random traces over operators, beside the denotation, as many steps as asked for."""

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
    """A trace that an operator has taken, as far as it serves it, and how they fared."""

    operator: str
    seed: str
    trace: OperatorTranscript
    outcome: Lockstep


def trials(operators: Mapping[str, Build], seed: int) -> Iterator[FuzzTrial]:
    """Yield trials, operators taking turns, until none of them is left."""
    for nth in count():
        for name in [*operators]:
            yield trial(name, operators[name], f"{seed}:{nth}")
        if not operators:
            return


def trial(name: str, build: Build, seed: str) -> FuzzTrial:
    """Let an operator take the trace of a seed, or a plain one if it refuses all of that.

    >>> from muntin.reference.specification import SpecificationOperator
    >>> trial("spec", SpecificationOperator, "7").outcome.parting is None
    True
    """
    trace = supported_trace(random_trace(SeededSource(seed)), build)
    if not any(True for _ in trace.every_query()):
        trace = supported_trace(random_trace(SeededSource(seed), plain=True), build)
    return FuzzTrial(name, seed, trace, lockstep(trace, build))


def shrunk_trial(found: FuzzTrial, build: Build) -> FuzzTrial:
    """Return the trial of a smaller trace on which the operator is wrong."""

    def fails(trace: OperatorTranscript) -> bool:
        return lockstep(supported_trace(trace, build), build).divergence is not None

    trace = supported_trace(shrink(found.trace, fails), build)
    return FuzzTrial(found.operator, found.seed, trace, lockstep(trace, build))
