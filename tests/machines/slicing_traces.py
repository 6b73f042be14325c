"""Fixed traces over every operator that slices: they reach almost every branch.

test_branches.py runs them, and no other test does.
"""

import pytest

from muntin.conformance.fuzz.fuzzer import trial
from muntin.registry.implementations import OPERATORS, OperatorEntry
from muntin.spec.query import Settings

TRACES = 150
SLICING = [
    entry
    for entry in OPERATORS
    if type(entry.build(Settings(in_order=True))).__module__.startswith("muntin.optimized")
]


def test_panes_pairs_cutty_and_scotty_slice() -> None:
    assert {"panes", "pairs", "cutty-eager", "scotty-fiba"} < {entry.name for entry in SLICING}


@pytest.mark.parametrize("entry", SLICING, ids=lambda entry: entry.name)
def test_an_operator_that_slices_agrees_on_fixed_traces(entry: OperatorEntry) -> None:
    trials = [trial(entry.name, entry.build, f"branches:{number}") for number in range(TRACES)]
    assert [entry.seed for entry in trials if entry.outcome.divergence] == []
    assert sum(entry.outcome.results for entry in trials) > TRACES
