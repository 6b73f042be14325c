"""Lemma 9: on every run, rebalancing is paid for by at most two coins an item."""

import pytest
from hypothesis.stateful import run_state_machine_as_test

from muntin.conformance.machines.structure_machine import structure_machine
from muntin.optimized.btree.amortization import BTreeWithCoins, FibaWithCoins
from muntin.optimized.btree.btree import BTree
from muntin.spec.algebra.monoid import Monoid, Word
from muntin.spec.cost import Meter


@pytest.mark.parametrize("min_arity", [2, 3])
@pytest.mark.parametrize("tree", [BTreeWithCoins, FibaWithCoins])
def test_rebalancing_is_paid_for(tree: type[BTree[Word]], min_arity: int) -> None:
    def build(monoid: Monoid[Word], meter: Meter) -> BTree[Word]:
        return tree(monoid, meter, min_arity)

    run_state_machine_as_test(structure_machine(build, worst_case=False))
