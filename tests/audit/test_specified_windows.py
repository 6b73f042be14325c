"""The windows of every rule are those of the denotation with the clock of the rule."""

import os
import random
from dataclasses import replace

import pytest

from audit.jobs import emitted_by, job_of
from muntin.audit.job import Job
from muntin.audit.rule import SHAPES, Rule, Scope, shapes
from muntin.reference.specification import SpecificationOperator
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding

RUNS = {"dev": 300, "nightly": 20_000}.get(os.environ.get("MUNTIN_PROFILE", "dev"), 1000)
WINDOWS = (
    *(Sliding(5, 5, 2), Sliding(6, 3, 1), Sliding(5, 2), Sliding(2, 5), Session(3), Session(1)),
)
Standing = dict[tuple[object, int, float], object]


def denoted(job: Job, rule: Rule) -> Standing:
    """The windows that stand at the end: of one stream, or of one for each key."""
    rows = list(
        zip(job.rows.time.tolist(), job.rows.key.tolist(), job.rows.value.tolist(), strict=True)
    )
    streams = sorted({key for _, key, _ in rows}) if rule.scope == "key" else [None]
    standing: Standing = {}
    for stream in streams:
        operator = SpecificationOperator(Settings(rule.slack, dialect=rule.dialect))
        operator.add(Query("q", job.window, named(job.aggregate)))
        greatest = -END
        for time, key, value in [row for row in rows if stream in (None, row[1])]:
            greatest = max(greatest, time)
            watermark = None if rule.scope == "none" else greatest
            keep(standing, operator, Step((Event(time, value, key),), watermark))
        keep(standing, operator, Step((), END))
    return standing


def keep(standing: Standing, operator: SpecificationOperator, step: Step) -> None:
    for result in operator.take(step).results:
        bounds = (result.key, result.start, result.end)
        if result.kind == "retracted":
            del standing[bounds]
        else:
            standing[bounds] = result.value


def random_case(seed: int) -> tuple[Job, Rule]:
    rng = random.Random(seed)  # noqa: S311 - a seed, not a secret
    rows, low = rng.randint(1, 25), rng.choice([0, -20])
    window = rng.choice(WINDOWS)
    name = window.name if window.name in SHAPES else "sliding"
    shape = rng.choice([*shapes(name, has_early=True)])
    scopes: list[Scope] = ["none"] if "first" in shape.first_window else ["none", "stream", "key"]
    scope = rng.choice(scopes)
    if scope != "none":
        shape = replace(shape, lateness=rng.choice(["event", "window"]))
    job = job_of(
        [low + rng.randint(0, 30) for _ in range(rows)],
        [rng.randint(0, 1) for _ in range(rows)],
        [2**n for n in range(rows)],
        window,
    )
    return job, Rule(shape, scope, rng.choice([0, 1, 2, 5]))


def test_the_windows_of_a_rule_are_those_of_the_denotation() -> None:
    for seed in range(RUNS):
        job, rule = random_case(seed)
        table = emitted_by(job, rule)
        fast = dict(zip(table.bounds(), table.value.tolist(), strict=True))
        assert fast == denoted(job, rule), (seed, job.window, rule)


@pytest.mark.parametrize("aggregate", ["count", "min", "max", "mean", "first", "last", "std_pop"])
def test_every_aggregate_has_the_values_of_the_denotation(aggregate: str) -> None:
    job = job_of([3, 1, 7, 5, 12], [0] * 5, [4, 2, 9, 2, 6], Sliding(5, 5), aggregate)
    rule = Rule(scope="stream", slack=1)
    table = emitted_by(job, rule)
    fast = dict(zip(table.bounds(), table.value.tolist(), strict=True))
    assert fast == pytest.approx(denoted(job, rule))
