"""The partials that FIFO structures keep: never more than claimed, and the claim is attained."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple
from weakref import WeakSet

import pytest

from muntin.optimized.fifo.daba import Daba
from muntin.optimized.fifo.daba_lite import DabaLite
from muntin.optimized.fifo.two_stacks import TwoStacks
from muntin.optimized.fifo.two_stacks_lite import TwoStacksLite
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.structure import Fifo
from support.histories import bursty, call_names, growing, longest_histories, steady


class StoredPartials(NamedTuple):
    """How much a structure holds."""

    items: int
    partials: int


class Partial:
    """A value whose lifetime can be observed, and whose content cannot."""

    def __bool__(self) -> bool:
        raise TypeError("values are opaque")

    def __eq__(self, _: object) -> bool:
        raise TypeError("values are opaque")

    __hash__ = object.__hash__


def kept(
    build: Callable[[Monoid[Partial]], Fifo[Partial]], history: Iterator[str]
) -> list[StoredPartials]:
    """The items in the window after each call, and the partials that live."""
    alive = WeakSet[Partial]()

    def partial(*_: Partial) -> Partial:
        made = Partial()
        alive.add(made)
        return made

    fifo = build(Monoid(Partial(), partial))
    after = list[StoredPartials]()
    for name in history:
        if name == "insert":
            fifo.insert(partial())
        elif len(fifo):
            fifo.evict()
        fifo.query()
        after.append(StoredPartials(len(fifo), len(alive)))
    return after


SMALL_HISTORIES = [lambda: steady(100), lambda: islice(growing(), 3000), lambda: bursty(3)]


@pytest.mark.parametrize("history", SMALL_HISTORIES, ids=["steady", "growing", "bursty"])
@pytest.mark.parametrize(
    ("build", "more"), [(TwoStacksLite, 1), (DabaLite, 2)], ids=["two-lite", "daba-lite"]
)
def test_lite_forms_keep_one_partial_an_item_and_few_more(
    build: Callable[[Monoid[Partial]], Fifo[Partial]],
    more: int,
    history: Callable[[], Iterator[str]],
) -> None:
    assert max(partials - items for items, partials in kept(build, history())) == more


@pytest.mark.parametrize(
    ("build", "ratio"), [(TwoStacks, 2), (Daba, 1.5)], ids=["two-stacks", "daba"]
)
def test_the_other_forms_keep_more(
    build: Callable[[Monoid[Partial]], Fifo[Partial]], ratio: float
) -> None:
    after = kept(build, islice(growing(), 3000))
    assert all(partials <= ratio * items for items, partials in after)
    assert max(partials / items for items, partials in after if items > 100) > 0.95 * ratio


@pytest.mark.parametrize(
    ("build", "ratio", "more"),
    [(TwoStacks, 2, 0), (Daba, 1.5, 0), (TwoStacksLite, 1, 1), (DabaLite, 1, 2)],
    ids=["two", "daba", "two-lite", "daba-lite"],
)
def test_no_history_of_at_most_fifteen_calls_keeps_more_than_claimed(
    build: Callable[[Monoid[Partial]], Fifo[Partial]], ratio: float, more: int
) -> None:
    after = {held for history in longest_histories(15) for held in kept(build, call_names(history))}
    assert [held for held in after if held.partials > ratio * held.items + more] == []
    assert any(held.partials == int(ratio * held.items) + more for held in after if held.items > 2)
