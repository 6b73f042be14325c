"""Stores of slices: every small state, and how far apart resizes are (T3 of proofs/cutty.md)."""

from collections import deque
from collections.abc import Callable, Iterator

import pytest

from exhaustive.object_state import ObjectForm, fork, object_form
from exhaustive.states.calls import LETTERS, MIDDLE
from muntin.optimized.in_order.aggregate_store import (
    InOrderEagerStore,
    InOrderLazyStore,
    InOrderStore,
    Slice,
)

Store = InOrderStore[str]
Slices = list[Slice[str]]
BEYOND = 1 << 900
"""A name greater than all others. Names are large, so that none is a size or a place."""

each_kind = pytest.mark.parametrize(
    "kind", [InOrderLazyStore[str], InOrderEagerStore[str]], ids=["lazy", "eager"]
)


def next_slice(slices: Slices) -> Slice[str]:
    """The next slice: a new name and a new letter."""
    held = {letter for _, word in slices for letter in word}
    letter = next(chr(code) for code in range(0x4E00, 0x5E00) if chr(code) not in held)
    return (slices[-1][0] + 1 if slices else MIDDLE), letter


def calls(slices: Slices) -> Iterator[tuple[str, int, Slices]]:
    """Yield every call, the name that it is about, and the slices that it leaves."""
    name, letter = next_slice(slices)
    yield "append", name, [*slices, (name, letter)]
    for rank in range(len(slices) + 1):
        below = slices[rank][0] if rank < len(slices) else BEYOND
        yield "remove", below, slices[rank:]
    for rank in range(1, len(slices)):
        (first, before), (joined, partial) = slices[rank - 1 : rank + 1]
        yield "join", joined, [*slices[: rank - 1], (first, before + partial), *slices[rank + 1 :]]
    if slices:
        yield "pop", slices[-1][0], slices[:-1]


def make(store: Store, call: str, name: int, after: Slices) -> None:
    """Make a call."""
    match call:
        case "append":
            store.append(*after[-1])
        case "remove":
            store.remove_up_to(name)
        case "join":
            store.join(name)
        case _:
            assert store.pop()[0] == name


def form(store: Store, slices: Slices) -> ObjectForm:
    """The state of a store, with names and words replaced by their ranks."""
    names = {name: f"n{rank}" for rank, (name, _) in enumerate(slices)}
    letters: dict[int, str | None] = {}
    for rank, (_, word) in enumerate(slices):
        letters |= {ord(letter): None for letter in word} | {ord(word[0]): chr(0x100 + rank)}
    return object_form(store, names, letters)


def assert_stands_for(store: Store, slices: Slices) -> None:
    """Compare a store with the plain list, and the result of every range."""
    assert [fact for fact, holds in store.invariants(slices) if not holds] == []
    names = [*(name for name, _ in slices), BEYOND]
    for low, first in enumerate(names):
        for high, stop in enumerate(names[low:], low):
            assert store.merge(first, stop) == "".join(word for _, word in slices[low:high])


@pytest.mark.parametrize(
    ("kind", "states"), [(InOrderLazyStore[str], 42), (InOrderEagerStore[str], 642)]
)
def test_every_call_in_every_state_of_at_most_five_slices_leaves_what_it_should(
    kind: Callable[..., Store], states: int
) -> None:
    start = kind(LETTERS)
    met, waiting = {form(start, [])}, deque[tuple[Store, Slices]]([(start, [])])
    while waiting:
        store, slices = waiting.popleft()
        for call, name, after in calls(slices):
            twin = fork(store)
            make(twin, call, name, after)
            assert_stands_for(twin, after)
            if len(after) <= 5 and (state := form(twin, after)) not in met:
                met.add(state)
                waiting.append((twin, after))
    assert len(met) == states


def capacity(store: Store) -> int:
    """The number of slices that fit."""
    return (
        store.partial_capacity
        if isinstance(store, InOrderLazyStore)
        else (store.partial_capacity + 1) // 2
    )


def filled(kind: Callable[..., Store], slices: int) -> Store:
    """A store of `slices` slices, without any removal before."""
    store = kind(LETTERS)
    for name in range(slices):
        store.append(name, "a")
    return store


def steps(store: Store, step: Callable[[Store], object]) -> int:
    """Count how often a step is made until the capacity is another one, or the store is empty."""
    before, made = capacity(store), 0
    while capacity(store) == before and (made == 0 or store.ids):
        step(store)
        made += 1
    return made if capacity(store) != before else BEYOND


def append(store: Store) -> None:
    """Add the next slice."""
    store.append(store.ids[-1] + 1 if store.ids else 0, "a")


def remove(store: Store) -> None:
    """Remove the oldest slice."""
    store.remove_up_to(store.ids[0] + 1)


def pop(store: Store) -> None:
    """Remove the youngest slice."""
    store.pop()


@each_kind
@pytest.mark.parametrize("power", range(1, 8))
def test_a_sixth_of_a_store_comes_or_goes_between_two_resizes(
    kind: Callable[..., Store], power: int
) -> None:
    doubled = filled(kind, (1 << power) // 2 + 1)
    halved = filled(kind, 2 << power)
    while capacity(halved) != 1 << power:
        remove(halved)
    for resized in (doubled, halved):
        assert capacity(resized) == 1 << power
        for step in (append, remove, pop):
            assert 6 * steps(resized.copy(), step) >= 1 << power


@pytest.mark.parametrize("power", range(2, 8))
def test_a_full_ring_with_holes_is_doubled_with_more_than_three_quarters(power: int) -> None:
    """Then a twenty-fourth is left to halving; else it is rebuilt, and a quarter is free."""
    full = 1 << power
    for holes in range(full - 1):
        store = filled(InOrderEagerStore[str], full)
        for name in range(1, holes + 1):
            store.join(name)
        if capacity(store) == full:
            append(store)
            kept = full - holes + 1
            assert capacity(store) == (2 * full if 4 * kept > 3 * full else full)
            if capacity(store) > full:
                assert 24 * min(steps(store.copy(), step) for step in (append, remove)) >= 2 * full
            else:
                assert 4 * steps(store.copy(), append) > full
