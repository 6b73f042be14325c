"""The finger B+-tree agrees with TimedWindow, whatever its shape, as it is and compiled."""

import pytest
from hypothesis.stateful import run_state_machine_as_test

from muntin.conformance.machines.structure_machine import LETTERS, Alphabet, structure_machine
from muntin.kernels.aggregator.finger_btree import FingerTree
from muntin.kernels.compiler.engine import Engine, NodeShape, compiled_engine, interpreted_engine
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
from muntin.spec.algebra.monoid import Monoid, Word
from muntin.spec.cost import Meter
from support.fingerprints import BAG_FINGERPRINTS, BAGS, FINGERPRINTS, LINES, SUMS

SHAPES = [NodeShape(2, 4), NodeShape(4, 4), NodeShape(8, 6)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("alphabet", [LETTERS, BAGS], ids=["words", "bags"])
def test_tree_runs_in_lockstep_with_the_definition(shape: NodeShape, alphabet: Alphabet) -> None:
    def build(monoid: Monoid[Word], meter: Meter) -> FingerTree[Word]:
        engine = interpreted_engine(monoid, shape, commutative=alphabet is BAGS)
        return FingerTree(monoid, meter, engine)

    run_state_machine_as_test(structure_machine(build, worst_case=False, alphabet=alphabet))


@pytest.mark.parametrize(
    ("summary", "alphabet"),
    [(FINGERPRINTS, LINES), (BAG_FINGERPRINTS, SUMS)],
    ids=["lines", "sums"],
)
def test_compiled_tree_runs_in_lockstep_with_the_definition(
    summary: NumericAggregate, alphabet: Alphabet
) -> None:
    engine: Engine[Word] = compiled_engine(summary, NodeShape(4, 4))  # type: ignore[assignment] # integers

    def build(monoid: Monoid[Word], meter: Meter) -> FingerTree[Word]:
        return FingerTree(monoid, meter, engine)

    machine = structure_machine(build, worst_case=False, alphabet=alphabet)
    run_state_machine_as_test(machine)
