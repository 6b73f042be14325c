"""A trial: every operator takes the same steps, and is compared with the specification."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from muntin.cli.held import held
from muntin.cli.registry import OperatorEntry
from muntin.reference.store import Retained
from muntin.spec.cost import Meter
from muntin.spec.errors import UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query, Result, Settings
from muntin.spec.stream import Event, Step

Tick = Callable[[], None]
"""Called after every step, for a progress bar."""


@dataclass
class Run:
    """What an operator answered, refused and spent."""

    name: str
    outputs: list[Output] = field(default_factory=list[Output])
    meters: dict[str, Meter] = field(default_factory=dict[str, Meter])
    refusals: dict[str, str] = field(default_factory=dict[str, str])
    held: list[Retained] = field(default_factory=list[Retained])
    crash: str | None = None


def run(
    entry: OperatorEntry,
    queries: Sequence[Query],
    settings: Settings,
    steps: Sequence[Step],
    tick: Tick,
) -> Run:
    """Let an operator take all steps, with each query that it accepts."""
    done = Run(entry.name)
    operator = _asked(entry, queries, settings, done)
    for step in steps:
        if operator and not done.crash:
            _take(operator, step, done)
        tick()
    return done


def _asked(
    entry: OperatorEntry, queries: Sequence[Query], settings: Settings, done: Run
) -> Operator | None:
    operator: Operator | None = None
    for query in queries:
        meter = Meter()
        watched = Query(query.id, query.window, meter.watch_aggregate(query.aggregate))
        try:
            operator = operator or entry.build(settings)
            operator.add(watched)
        except UnsupportedError as refusal:
            done.refusals[query.id] = str(refusal)
        else:
            done.meters[query.id] = meter
    return operator if done.meters else None


def _take(operator: Operator, step: Step, done: Run) -> None:
    try:
        done.outputs.append(operator.take(step))
    except Exception as error:  # noqa: BLE001 - to raise is to disagree, whatever is raised
        done.crash = f"raised {error!r}"
    if now := held(operator):
        done.held.append(Retained(now.tuples, now.slices))


class Answer(NamedTuple):
    """What a step answers to one query, and the events that it calls late."""

    results: tuple[Result, ...]
    late: tuple[Event, ...]


class Difference(NamedTuple):
    """The first step at which an operator does not answer a query as the specification does."""

    operator: str
    query: str
    step: int
    wanted: Answer
    got: Answer | str


def differences(run: Run, specified: Sequence[Output]) -> dict[str, Difference]:
    """Return the first difference of each query that the operator accepted and gets wrong.

    >>> differences(Run("mine", [Output()], {"q": Meter()}), [Output(), Output()])["q"].got
    'no answer'
    """
    found = {query: _difference(run, query, specified) for query in run.meters}
    return {query: difference for query, difference in found.items() if difference}


def _difference(run: Run, query: str, specified: Sequence[Output]) -> Difference | None:
    missing = len(specified) - len(run.outputs)
    got: list[Answer | str] = [_answer(output, query) for output in run.outputs]
    got += [run.crash or "no answer"] * missing
    wanted = [_answer(output, query) for output in specified]
    for step, (want, have) in enumerate(zip(wanted, got, strict=True)):
        if want != have:
            return Difference(run.name, query, step, want, have)
    return None


def _answer(output: Output, query: str) -> Answer:
    return Answer(tuple(one for one in output.results if one.query == query), output.late)
