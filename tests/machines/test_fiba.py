"""B-tree and FiBA agree with TimedWindow and keep their bounds, whatever the smallest arity."""

import json

import pytest
from hypothesis.stateful import run_state_machine_as_test

from muntin.conformance.machines.structure_machine import structure_machine
from muntin.optimized.btree.btree import BTree
from muntin.optimized.btree.fiba import Fiba
from muntin.spec.algebra.monoid import FREE, Monoid, Word
from muntin.spec.cost import Meter
from muntin.spec.errors import InvalidInputError


@pytest.mark.parametrize("min_arity", [2, 3, 4, 8])
@pytest.mark.parametrize("tree", [BTree, Fiba])
def test_tree_runs_in_lockstep_with_the_definition(tree: type[BTree[Word]], min_arity: int) -> None:
    def build(monoid: Monoid[Word], meter: Meter) -> BTree[Word]:
        return tree(monoid, meter, min_arity)

    run_state_machine_as_test(structure_machine(build, worst_case=False))


@pytest.mark.parametrize("tree", [BTree, Fiba])
def test_bad_input_is_refused_before_anything_changes(tree: type[BTree[Word]]) -> None:
    held = tree(FREE, None, 2)
    held.bulk_insert((time, (time,)) for time in range(20))
    before = list(held.items())
    half: int = json.loads("7.5")  # what a caller without a type checker may pass
    for call in (
        lambda: held.insert(half, (1,)),
        lambda: held.insert(True, (1,)),
        lambda: held.evict(half),
        lambda: held.bulk_evict(half),
        lambda: held.query_range(half, 9),
        lambda: held.bulk_insert([(30, (1,)), (half, (2,))]),
        lambda: held.bulk_insert([(30, (1,)), (29, (2,))]),
    ):
        with pytest.raises(InvalidInputError):
            call()
    assert list(held.items()) == before
    assert all(fact for _, fact in held.invariants(before))


@pytest.mark.parametrize("min_arity", [1, 0, -3])
def test_a_smallest_arity_below_two_is_refused(min_arity: int) -> None:
    with pytest.raises(InvalidInputError, match="min_arity must be at least 2"):
        Fiba(FREE, None, min_arity)


def test_an_empty_window_answers_with_the_identity() -> None:
    tree: Fiba[Word] = Fiba(FREE)
    assert (tree.query(), tree.query_range(-5, 5), len(tree)) == ((), (), 0)
    assert (tree.oldest(), tree.youngest(), list(tree.items())) == (None, None, [])
    tree.evict(3)
    tree.bulk_evict(3)
    tree.bulk_insert([])
    assert len(tree) == 0
