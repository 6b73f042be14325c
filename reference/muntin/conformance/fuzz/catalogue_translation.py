"""Traces of letters as transcripts: version 1 knows only the aggregates of the catalogue.

Letters become values that are used once, unless a window looks at values. Words become what
`collect` returns and bags what `distinct` returns, or whatever else shows the same divergence.
"""

import json
from collections.abc import Iterator
from dataclasses import replace

from muntin.conformance.machines.lockstep import Build, lockstep
from muntin.conformance.machines.random_choices import BAGS, WORDS, Letter
from muntin.conformance.transcript.json_reader import Json
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep, parse
from muntin.conformance.transcript.replay import replay, unsupported_reason, write
from muntin.reference.specification import SpecificationOperator
from muntin.spec.algebra.catalogue import named
from muntin.spec.errors import MuntinError
from muntin.spec.query import Query
from muntin.spec.stream import Event

WORDS_AND_BAGS = ("collect distinct", "collect sum", "collect count", "count median")
"""Aggregates in place of words and of bags."""


def to_catalogue_aggregates(trace: OperatorTranscript, build: Build) -> dict[str, Json] | None:
    """A transcript on which the operator is wrong too, if there is one."""
    return next((document for document in _translations(trace) if _diverges(document, build)), None)


def _translations(trace: OperatorTranscript) -> Iterator[dict[str, Json]]:
    for words, bags in map(str.split, WORDS_AND_BAGS):
        for letters in (True, False):
            translation = _translate(trace, words, bags, letters=letters)
            try:
                outputs = list(replay(translation, SpecificationOperator(translation.settings)))
                settings = translation.settings
                yield write(translation.queries, translation.turns, settings, outputs)
            except MuntinError:  # no transcript expects an error, or describes a window in code
                return


def _translate(
    trace: OperatorTranscript, words: str, bags: str, *, letters: bool
) -> OperatorTranscript:
    def query_of(query: Query) -> Query:
        name = {id(WORDS): words, id(BAGS): bags}.get(id(query.aggregate))
        return replace(query, aggregate=named(name)) if name else query

    def event_of(event: Event) -> Event:
        value = event.value
        if not isinstance(value, Letter):
            return event
        return replace(event, value=value.letter if letters else int(value))

    def turn_of(turn: TranscriptStep) -> TranscriptStep:
        step = replace(turn.step, events=tuple(map(event_of, turn.step.events)))
        return replace(turn, step=step, added=tuple(map(query_of, turn.added)))

    queries = tuple(map(query_of, trace.queries))
    return replace(trace, queries=queries, turns=tuple(map(turn_of, trace.turns)))


def _diverges(document: dict[str, Json], build: Build) -> bool:
    transcript = parse(json.dumps(document))
    if not isinstance(transcript, OperatorTranscript) or unsupported_reason(transcript, build):
        return False
    return lockstep(transcript, build).divergence is not None
