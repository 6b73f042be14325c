"""Steps that fail half-way change nothing: random traces on which the user's code fails."""

import os
from dataclasses import replace
from functools import partial
from itertools import islice
from secrets import randbelow

import pytest

from muntin.conformance.fuzz.fuzzer import trials
from muntin.conformance.machines.fault_injection import FailingOperator
from muntin.conformance.machines.lockstep import Build
from muntin.reference.specification import SpecificationOperator
from muntin.registry.implementations import OPERATORS
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Settings
from muntin.spec.stream import Step

STEPS = {"dev": 2_000, "nightly": 200_000}.get(os.environ.get("MUNTIN_PROFILE", "dev"), 12_000)
FIXED = 20261118


def faltering(build: Build, made: list[FailingOperator], settings: Settings) -> Operator:
    made.append(FailingOperator(build(settings), len(made)))
    return made[-1]


@pytest.mark.parametrize("seed", [FIXED, randbelow(2**32)], ids=["fixed", "fresh"])
def test_an_operator_whose_user_code_fails_has_the_outputs_of_one_that_never_failed(
    seed: int,
) -> None:
    made: dict[str, list[FailingOperator]] = {one.name: [] for one in OPERATORS}
    builds = {one.name: partial(faltering, one.build, made[one.name]) for one in OPERATORS}
    steps = 0
    for trial in trials(builds, seed):
        assert trial.outcome.divergence is None, (trial, seed)
        steps += trial.outcome.steps
        if steps > STEPS:
            break
    assert all(sum(one.failures for one in those) for those in made.values())


class Hasty(SpecificationOperator):
    """The denotation, but a step that fails is half done: its events have been seen."""

    def take(self, events: Step, /) -> Output:
        try:
            return super().take(events)
        except Exception:
            seen = max([self.history.latest_time, *(event.time for event in events.events)])
            self.history = replace(self.history, latest_time=seen)
            raise


def test_an_operator_that_keeps_half_a_step_is_detected() -> None:
    builds = {"hasty": partial(faltering, Hasty, [])}
    assert any(trial.outcome.divergence for trial in islice(trials(builds, FIXED), 400))
