"""Fixed traces over every operator that slices: they reach almost every branch.

test_branches.py runs them, and no other test does.
"""

import pytest

from muntin.conformance.fuzz.fuzzer import trial
from muntin.registry.implementations import OperatorEntry
from muntin.spec.query import Settings
from support.contenders import OPERATORS

TRACES = 150
SLICING = [
    one
    for one in OPERATORS
    if type(one.build(Settings(in_order=True))).__module__.startswith("muntin.optimized")
]


def test_panes_pairs_cutty_and_scotty_slice() -> None:
    assert {"panes", "pairs", "cutty-eager", "scotty-fiba"} < {one.name for one in SLICING}


@pytest.mark.parametrize("entry", SLICING, ids=lambda entry: entry.name)
def test_an_operator_that_slices_agrees_on_fixed_traces(entry: OperatorEntry) -> None:
    trials = [trial(entry.name, entry.build, f"branches:{nth}") for nth in range(TRACES)]
    assert [one.seed for one in trials if one.outcome.divergence] == []
    assert sum(one.outcome.results for one in trials) > TRACES
