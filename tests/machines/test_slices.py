"""The simulation relations of stores and slices, after every call and every step."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from exhaustive.traces.in_order_invariants import CheckedInOrderSlicer
from muntin.conformance.machines.operator_machine import OperatorMachine
from muntin.optimized.in_order.aggregate_store import (
    InOrderEagerStore,
    InOrderLazyStore,
    InOrderStore,
    Slice,
)
from muntin.optimized.in_order.technique import (
    CUTTY_EAGER,
    CUTTY_LAZY,
    PAIRS,
    PAIRS_PLUS,
    PANES,
    Technique,
)
from muntin.spec.algebra.monoid import FREE, Word
from muntin.spec.operator import Operator
from muntin.spec.query import Settings

CALLS = st.lists(
    st.tuples(st.sampled_from(["append", "append", "remove", "join", "pop"]), st.integers(0, 9)),
    max_size=60,
)


def model_after(slices: list[Slice[Word]], call: str, pick: int) -> list[Slice[Word]]:
    """What a call makes of a plain list of slices."""
    if call == "append":
        name = slices[-1][0] + 1 + pick if slices else pick
        return [*slices, (name, (name,))]
    if call == "remove":
        return slices[pick:]
    if call == "join" and len(slices) > 1:
        rank = 1 + pick % (len(slices) - 1)
        (name, before), (_, joined) = slices[rank - 1 : rank + 1]
        return [*slices[: rank - 1], (name, before + joined), *slices[rank + 1 :]]
    return slices[:-1] if call == "pop" else slices


def act(store: InOrderStore[Word], slices: list[Slice[Word]], call: str, pick: int) -> None:
    """Do to the store what `model_after` does to the list."""
    after = model_after(slices, call, pick)
    if call == "append":
        store.append(*after[-1])
    if call == "remove" and slices:
        store.remove_up_to(after[0][0] if after else slices[-1][0] + 1)
    if call == "join" and len(slices) > 1:
        store.join(slices[1 + pick % (len(slices) - 1)][0])
    if call == "pop" and slices:
        assert store.pop() == slices[-1]


@pytest.mark.parametrize("kind", [InOrderLazyStore[Word], InOrderEagerStore[Word]])
@given(calls=CALLS)
def test_stores_stand_for_the_sequence_of_their_slices(
    kind: Callable[..., InOrderStore[Word]], calls: list[tuple[str, int]]
) -> None:
    store, slices = kind(FREE), list[Slice[Word]]()
    for call, pick in calls:
        before, twin = list(slices), store.copy()
        act(store, slices, call, pick)
        slices = model_after(slices, call, pick)
        for model, related in ((slices, store), (before, twin)):
            assert [fact for fact, holds in related.invariants(model) if not holds] == []
        for a in range(len(slices)):
            for b in range(a, len(slices) + 1):
                stop = slices[b][0] if b < len(slices) else 10**6
                assert store.merge(slices[a][0], stop) == FREE.fold(p for _, p in slices[a:b])
        room = (
            store.partial_capacity
            if isinstance(store, InOrderLazyStore)
            else (store.partial_capacity + 1) // 2
        )
        assert len(slices) <= room <= max(1, 3 * len(slices))


TECHNIQUES = [PANES, PAIRS, PAIRS_PLUS, CUTTY_LAZY, CUTTY_EAGER]
NAMES = ["panes", "pairs", "pairs-plus", "cutty-lazy", "cutty-eager"]


@pytest.mark.parametrize("technique", TECHNIQUES, ids=NAMES)
def test_slices_stand_for_the_events_and_begin_where_windows_do(technique: Technique) -> None:
    def build(settings: Settings) -> Operator:
        return CheckedInOrderSlicer(technique, settings)

    class InOrderMachine(OperatorMachine):
        def __init__(self) -> None:
            super().__init__(build, ordered=True)

    run_state_machine_as_test(InOrderMachine)
    assert InOrderMachine.accepted > 0
    assert InOrderMachine.answered > 0
