"""B-tree and FiBA agree with TimedWindow and keep their bounds, whatever the smallest arity."""

import pytest
from hypothesis.stateful import run_state_machine_as_test

from muntin.conformance.structure_machine import structure_machine
from muntin.optimized.btree import BTree
from muntin.optimized.fiba import Fiba
from muntin.spec.cost import Meter
from muntin.spec.monoid import Monoid, Word


@pytest.mark.parametrize("min_arity", [2, 3, 4, 8])
@pytest.mark.parametrize("tree", [BTree, Fiba])
def test_tree_runs_in_lockstep_with_the_definition(tree: type[BTree[Word]], min_arity: int) -> None:
    def build(monoid: Monoid[Word], meter: Meter) -> BTree[Word]:
        return tree(monoid, meter, min_arity)

    run_state_machine_as_test(structure_machine(build, worst_case=False))
