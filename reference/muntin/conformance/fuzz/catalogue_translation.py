"""A trace of letters retold as a transcript: version 1 knows the aggregates of the catalogue only.

Letters become values that are used once, unless a window looks at values. Words are then told by
`collect` and bags by `distinct`, or by whatever else shows the same.
"""

import json
from collections.abc import Iterator
from dataclasses import replace

from muntin.conformance.machines.letter_values import BAGS, WORDS, Letter
from muntin.conformance.machines.lockstep import Build, lockstep
from muntin.conformance.transcript.json_values import Json
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep, parse
from muntin.conformance.transcript.replay import replay, unsupported_reason
from muntin.conformance.transcript.writer import write
from muntin.reference.specification import SpecificationOperator
from muntin.spec.algebra.catalogue import named
from muntin.spec.errors import MuntinError
from muntin.spec.query import Query
from muntin.spec.stream import Event

EQUIVALENT_AGGREGATES = (
    ("collect", "distinct"),
    ("collect", "sum"),
    ("collect", "count"),
    ("count", "median"),
)
"""Aggregates in place of words and of bags."""


def to_catalogue_aggregates(trace: OperatorTranscript, build: Build) -> dict[str, Json] | None:
    """Return a transcript on which the operator is wrong too, if there is one."""
    return next((one for one in _tellings(trace) if _shows(one, build)), None)


def _tellings(trace: OperatorTranscript) -> Iterator[dict[str, Json]]:
    for words, bags in EQUIVALENT_AGGREGATES:
        for letters in (True, False):
            told = _in_other_words(trace, words, bags, letters=letters)
            try:
                outputs = list(replay(told, SpecificationOperator(told.settings)))
                yield write(told.queries, told.turns, told.settings, outputs)
            except MuntinError:  # no transcript expects an error, or describes a window in code
                return


def _in_other_words(
    trace: OperatorTranscript, words: str, bags: str, *, letters: bool
) -> OperatorTranscript:
    def query(one: Query) -> Query:
        teller = {id(WORDS): words, id(BAGS): bags}.get(id(one.aggregate))
        return replace(one, aggregate=named(teller)) if teller else one

    def event(one: Event) -> Event:
        value = one.value
        if not isinstance(value, Letter):
            return one
        return replace(one, value=value.letter if letters else int(value))

    def turn(one: TranscriptStep) -> TranscriptStep:
        step = replace(one.step, events=tuple(map(event, one.step.events)))
        return replace(one, step=step, added=tuple(map(query, one.added)))

    queries = tuple(map(query, trace.queries))
    return replace(trace, queries=queries, turns=tuple(map(turn, trace.turns)))


def _shows(document: dict[str, Json], build: Build) -> bool:
    read = parse(json.dumps(document))
    if not isinstance(read, OperatorTranscript) or unsupported_reason(read, build):
        return False
    return lockstep(read, build).divergence is not None
