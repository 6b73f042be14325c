"""Each planted fault is found by few traces, and shrunk to one that can be read at a glance.

From seven seeds (DESIGN_KIT 9), one at the desk.
"""

import os

import pytest

from engines.toy_engine import FAULTS, ToyEngine
from muntin.conformance.engines.engine import AdapterEngine
from muntin.conformance.engines.verification import VerificationPlan, verify
from muntin.spec.dialect import Dialect

TRACES, MAX_EVENTS, MAX_WATERMARKS = 1500, 3, 2
SEEDS = range(1 if os.environ.get("MUNTIN_PROFILE", "dev") == "dev" else 7)
DIALECT = Dialect(lateness="window")


def plan(seed: int, traces: int = TRACES) -> VerificationPlan:
    return VerificationPlan((), seed, traces, DIALECT, stops=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_without_a_fault_every_trace_is_explained(seed: int) -> None:
    outcome = verify(AdapterEngine(ToyEngine()), plan(seed, 600))
    assert outcome.failure is None
    assert set(outcome.traces) == {"tumbling", "sliding", "session"}
    assert outcome.explained.total() == 600


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_and_its_trace_is_small(fault: str, seed: int) -> None:
    failure = verify(AdapterEngine(ToyEngine(fault)), plan(seed)).failure
    assert failure
    assert failure.kind == "mismatch"
    steps = [turn.step for turn in failure.trace.turns]
    assert sum(len(step.events) for step in steps) <= MAX_EVENTS
    assert sum(step.watermark is not None for step in steps) <= MAX_WATERMARKS
