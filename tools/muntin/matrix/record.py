"""The record of one engine: its dialect and clock by window type, each decision with a trace.

A cell is a decision of a window type: the value that the engine follows, the smallest trace on
which another value shows, and the answers of the engine and of the specification to it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, islice

from muntin.conformance.engines.agreement import agrees, is_same_answer
from muntin.conformance.engines.clock import specified_answer, write_clock
from muntin.conformance.engines.distinction import MODES, common_description, traces_by_size
from muntin.conformance.engines.engine import TracedEngine, trace_message
from muntin.conformance.engines.engine_traces import engine_trace
from muntin.conformance.engines.failure_table import answer_fields
from muntin.conformance.engines.inference import (
    CHOICES,
    OF_WATERMARKS,
    InferencePlan,
    WindowInference,
    infer,
)
from muntin.conformance.machines.random_choices import SeededSource
from muntin.conformance.transcript.json_reader import Json
from muntin.conformance.transcript.model import OperatorTranscript
from muntin.conformance.transcript.replay import write_dialect
from muntin.spec.dialect import Dialect
from muntin.wire.messages import EngineDescription

MAX_TRACES = 600
"""How many traces are tried for a cell, in the order of their size, at times from 0 to 5."""
RANDOM_TRACES = 200
"""How many random traces are tried after them, as some decisions show below 0 only."""
WITHHELD = "reported, withheld"
"""What the page says of an engine with findings, until a person publishes it."""


@dataclass(frozen=True)
class MatrixPlan:
    """How many traces of each window type are drawn, from which seed; the date of the run."""

    traces: int
    seed: int
    date: str


@dataclass(frozen=True)
class EngineRecord:
    """What a run has shown of an engine; its inferences, for pairs, and all of it as JSON."""

    description: EngineDescription
    inferences: Sequence[WindowInference]
    document: dict[str, Json]


def record_of(
    engine: TracedEngine, plan: MatrixPlan, tick: Callable[[], None] = lambda: None
) -> EngineRecord:
    """Infer what an engine follows, and show each decision on the engine itself."""
    about = engine.description
    inferences = infer(engine, InferencePlan((), plan.seed, plan.traces), tick)
    windows: dict[str, Json] = {each.window: window_fields(engine, each) for each in inferences}
    head: dict[str, Json] = {"engine": about.engine, "version": about.version}
    run: dict[str, Json] = {"date": plan.date, "source": "run", "level": about.level}
    return EngineRecord(about, inferences, {**head, **run, "windows": windows})


def withheld_record(name: str, date: str) -> dict[str, Json]:
    """The record of an engine with findings that is not published yet."""
    return {"engine": name, "date": date, "withheld": WITHHELD}


def window_fields(engine: TracedEngine, inference: WindowInference) -> dict[str, Json]:
    """A window type of an engine: how much is explained, and a cell for each decision."""
    cells: dict[str, Json] = {
        name: cell(engine, inference, name, values)
        for name, values in inference.decisions.items()
        if engine.description.clock != "none" or name not in OF_WATERMARKS
    }
    return {
        "traces": inference.traces,
        "explained": inference.explained,
        "dialect": write_dialect(inference.dialects[0]),
        "clock": write_clock(inference.clock),
        "cells": cells,
    }


def cell(
    engine: TracedEngine, inference: WindowInference, name: str, values: Sequence[Json]
) -> dict[str, Json]:
    """A decision: its value with the trace that shows it, or the values that stay open."""
    known: dict[str, Json] = {"values": [*values]}
    if len(values) != 1:
        return known
    dialect, about = inference.dialects[0], engine.description
    others = [replace(dialect, **{name: v}) for v in CHOICES[name] if v != values[0]]
    trace = smallest_difference(about, inference, dialect, others)
    if trace is None:
        return known
    (actual,) = engine.answers([trace])
    specified = specified_answer(trace, inference.clock)
    return {
        **known,
        "trace": trace_message(trace),
        "actual": answer_fields(actual),
        "specified": answer_fields(specified),
        "agrees": agrees(specified, actual, about),
    }


def smallest_difference(
    about: EngineDescription,
    inference: WindowInference,
    dialect: Dialect,
    others: Sequence[Dialect],
) -> OperatorTranscript | None:
    """The smallest trace that a dialect answers otherwise than some other one; or a random one."""
    sources = (SeededSource(f"cell:{number}") for number in range(RANDOM_TRACES))
    random_traces = (engine_trace(source, about, [inference.window]) for source in sources)
    small = islice(traces_of(about, [inference.window]), MAX_TRACES)
    for trace in chain(small, random_traces):
        answer = specified_answer(spoken(trace, dialect), inference.clock)
        for other in others:
            differing = specified_answer(spoken(trace, other), inference.clock)
            if not is_same_answer(answer, differing, about):
                return spoken(trace, dialect)
    return None


def traces_of(about: EngineDescription, windows: Sequence[str]) -> Iterator[OperatorTranscript]:
    """All traces in the order of their size, in an output mode that an engine has."""
    mode = next(mode for mode in MODES if mode in about.outputs)
    for trace in traces_by_size(about, windows):
        yield replace(trace, settings=replace(trace.settings, output=mode))


def spoken(trace: OperatorTranscript, dialect: Dialect) -> OperatorTranscript:
    """A trace in a dialect."""
    return replace(trace, settings=replace(trace.settings, dialect=dialect))


def pair_fields(records: Sequence[EngineRecord]) -> Iterator[dict[str, Json]]:
    """The smallest trace on which the rules of two engines differ that have one kind of clock."""
    for first, second in combinations(records, 2):
        if first.description.clock == second.description.clock:
            yield from _pairs(first, second)


def _pairs(first: EngineRecord, second: EngineRecord) -> Iterator[dict[str, Json]]:
    both = common_description(first.description, second.description)
    both = replace(both, clock=first.description.clock)
    for one in first.inferences:
        for other in second.inferences:
            if one.window == other.window and both.outputs:
                yield {
                    "engines": [first.description.engine, second.description.engine],
                    "window": one.window,
                    **_separation(both, one, other),
                }


def _separation(
    both: EngineDescription, one: WindowInference, other: WindowInference
) -> dict[str, Json]:
    rules = [(each.dialects[0], each.clock) for each in (one, other)]
    for trace in islice(traces_of(both, [one.window]), MAX_TRACES):
        answers = [specified_answer(spoken(trace, dialect), clock) for dialect, clock in rules]
        if not is_same_answer(answers[0], answers[1], both):
            fields: list[Json] = [answer_fields(answer) for answer in answers]
            return {"trace": trace_message(trace), "answers": fields}
    return {"agreements": MAX_TRACES}
