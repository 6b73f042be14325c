"""A trace on which a contender is wrong, made small, and written for `muntin replay --check`."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from muntin.conformance.fuzz.shrinker import simpler_traces
from muntin.conformance.machines.lockstep import supported_trace
from muntin.conformance.transcript.json_values import Json
from muntin.conformance.transcript.model import OperatorTranscript, parse
from muntin.conformance.transcript.replay import replay
from muntin.conformance.transcript.writer import write
from muntin.differential.comparison import differs
from muntin.differential.equality import tolerance
from muntin.differential.implementation import attempt
from muntin.differential.plan import SPEC
from muntin.reference.specification import SpecificationOperator
from muntin.registry.lookup import operator_named, operators
from muntin.spec.errors import InvalidInputError

LONGEST = 150
"""How many letters of an implementation and a key a file is named by: file systems allow 255."""

FirstWrong = Callable[[Iterable[OperatorTranscript]], OperatorTranscript | None]
"""Returns the first of these traces on which the contender is wrong."""


@dataclass(frozen=True)
class Mismatch:
    """Who is wrong, on which key, how, on the smallest trace; and that trace with what is right."""

    name: str
    key: str
    what: str
    transcript: dict[str, Json]
    events: int

    def file(self) -> str:
        """Return the name of its file.

        >>> Mismatch("my.module:Op", "a/b", "", {}, 1).file()
        'mismatch-my.module-Op-a-b.json'
        """
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{self.name}-{self.key}")
        if len(name) > LONGEST:
            name = f"{name[:LONGEST]}-{sha256(self.key.encode()).hexdigest()[:8]}"
        return f"mismatch-{name}.json"

    def again(self, path: Path) -> str:
        """Return the command that shows it again: with whom, if that is somebody to replay."""
        by = f" --with {self.name}" if operators(self.name) else ""
        return f"muntin replay {path} --check{by}"

    def steps(self) -> list[str]:
        """Return the steps of the transcript, a line each."""
        steps = self.transcript["steps"]
        listed = steps if isinstance(steps, list) else []
        return [f"step {nth}: {json.dumps(step)}" for nth, step in enumerate(listed)]

    def save(self, folder: Path) -> Path:
        """Write the transcript."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self.file()
        path.write_text(json.dumps(self.transcript, indent=1) + "\n", "utf-8")
        return path


def wrong_on(name: str, told: OperatorTranscript) -> str:
    """Say how an operator is wrong on a trace; nothing, if it is right."""
    events = [event for turn in told.turns for event in turn.step.events]
    within = tolerance(told.queries, [event.value for event in events])
    return differs(attempt(SPEC, told), attempt(name, told), within)


def operator_first_wrong(name: str) -> FirstWrong:
    """Return how to find the first trace on which an operator is wrong."""

    def first(traces: Iterable[OperatorTranscript]) -> OperatorTranscript | None:
        return next((one for one in traces if wrong_on(name, one)), None)

    return first


def smallest(told: OperatorTranscript, first_wrong: FirstWrong) -> OperatorTranscript:
    """Return a trace that is wrong too, and of which nothing can be left out alone."""
    told = first_wrong(replace(told, queries=(one,)) for one in told.queries) or told
    size = sum(len(turn.step.events) for turn in told.turns)
    while size:
        found = first_wrong(without_events(told, size))
        size, told = (size, found) if found else (size // 2, told)
    while found := first_wrong(simpler_traces(told)):
        told = found
    return told


def without_events(told: OperatorTranscript, size: int) -> Iterator[OperatorTranscript]:
    """Yield the trace without so many events in a row, for each place where they may begin."""
    events = sum(len(turn.step.events) for turn in told.turns)
    for first in range(0, events, size):
        turns, seen = list(told.turns), 0
        for nth, turn in enumerate(turns):
            batch = turn.step.events
            low, high = (min(max(at - seen, 0), len(batch)) for at in (first, first + size))
            kept = batch[:low] + batch[high:]
            turns[nth] = replace(turn, step=replace(turn.step, events=kept))
            seen += len(batch)
        yield replace(told, turns=tuple(turns))


def wrong_transcript(wrong: dict[str, str]) -> OperatorTranscript:
    """Return the trace of a charge."""
    told = parse(wrong["transcript"])
    if isinstance(told, OperatorTranscript):
        return told
    raise InvalidInputError("a charge is about an operator")


def operator_mismatch(wrong: dict[str, str]) -> Mismatch:
    """Make the trace of a charge against an operator small."""
    name = wrong["name"]
    told = supported_trace(wrong_transcript(wrong), operator_named(name).build)
    small = smallest(told, operator_first_wrong(name))
    return described(wrong, small, wrong_on(name, small))


def described(wrong: dict[str, str], small: OperatorTranscript, what: str) -> Mismatch:
    """Return the mismatch on a small trace, with what is right."""
    outputs = list(replay(small, SpecificationOperator(small.settings)))
    document = write(small.queries, small.turns, small.settings, outputs)
    events = sum(len(turn.step.events) for turn in small.turns)
    return Mismatch(wrong["name"], wrong["key"], what or wrong["what"], document, events)
