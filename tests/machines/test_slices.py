"""The simulation relations of stores and slices, after every call and every step."""

from collections.abc import Callable
from typing import TypeGuard

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from muntin.conformance.operator_machine import OperatorMachine
from muntin.optimized.slicing.eager_store import EagerStore
from muntin.optimized.slicing.group import Technique
from muntin.optimized.slicing.slicing import Slicing
from muntin.optimized.slicing.store import AggregateStore, LazyStore, Slice
from muntin.optimized.slicing.techniques import (
    CUTTY_EAGER,
    CUTTY_LAZY,
    PAIRS,
    PAIRS_PLUS,
    PANES,
)
from muntin.spec.monoid import FREE, Word
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Settings
from muntin.spec.stream import Step

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
        at = 1 + pick % (len(slices) - 1)
        (name, before), (_, here) = slices[at - 1 : at + 1]
        return [*slices[: at - 1], (name, before + here), *slices[at + 1 :]]
    return slices[:-1] if call == "pop" else slices


def act(store: AggregateStore[Word], slices: list[Slice[Word]], call: str, pick: int) -> None:
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


@pytest.mark.parametrize("kind", [LazyStore[Word], EagerStore[Word]])
@given(calls=CALLS)
def test_stores_stand_for_the_sequence_of_their_slices(
    kind: Callable[..., AggregateStore[Word]], calls: list[tuple[str, int]]
) -> None:
    store, slices = kind(FREE), list[Slice[Word]]()
    for call, pick in calls:
        before, twin = list(slices), store.copy()
        act(store, slices, call, pick)
        slices = model_after(slices, call, pick)
        for model, one in ((slices, store), (before, twin)):
            assert [fact for fact, holds in one.relates(model) if not holds] == []
        for a in range(len(slices)):
            for b in range(a, len(slices) + 1):
                stop = slices[b][0] if b < len(slices) else 10**6
                assert store.merge(slices[a][0], stop) == FREE.fold(p for _, p in slices[a:b])
        room = store.held if isinstance(store, LazyStore) else (store.held + 1) // 2
        assert len(slices) <= room <= max(1, 3 * len(slices))


def is_word(total: object) -> TypeGuard[Word]:
    """Whether a total is a word or a bag, as all are here."""
    return isinstance(total, tuple)


class Related(Slicing):
    """Checks after each step that slices stand for the events, and begin where windows do."""

    def take(self, step: Step, /) -> Output:
        """Take in a step, and check."""
        output = super().take(step)
        for lane in self.lanes():
            total = lane.slices.fold(lane.slices.oldest, lane.slices.count)
            assert is_word(total)
            begins = sorted(lane.begins())
            facts = lane.slices.relates(self.letters(lane.slices.count, total), begins)
            assert [fact for fact, holds in facts if not holds] == []
        return output

    @staticmethod
    def letters(count: int, total: tuple[int, ...]) -> list[object]:
        """The word of each event that is still held; of the others, any."""
        held: list[object] = [(letter,) for letter in total]
        return [()] * (count - len(held)) + held


TECHNIQUES = [PANES, PAIRS, PAIRS_PLUS, CUTTY_LAZY, CUTTY_EAGER]
NAMES = ["panes", "pairs", "pairs-plus", "cutty-lazy", "cutty-eager"]


@pytest.mark.parametrize("technique", TECHNIQUES, ids=NAMES)
def test_slices_stand_for_the_events_and_begin_where_windows_do(technique: Technique) -> None:
    def build(settings: Settings) -> Operator:
        return Related(technique, settings)

    class Machine(OperatorMachine):
        def __init__(self) -> None:
            super().__init__(build, ordered=True)

    run_state_machine_as_test(Machine)
    assert Machine.accepted > 0
    assert Machine.answered > 0
