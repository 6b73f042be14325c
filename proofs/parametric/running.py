"""Runs of structures over any monoid, beside the words that they represent.

The calls are picked by numbers, from all calls that the window allows. The answer of a structure
over a monoid M must be the image of the word that the definition answers, for then only combines
make the answer (naturality); and it must stay the same when times are spread.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Generic, NamedTuple, TypeVar

from exhaustive.states.calls import LETTERS, TimePlaces, WindowCall, changes, ranges
from muntin.registry.implementations import StructureEntry
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.structure import OutOfOrder, TimedWindow

A = TypeVar("A")

LARGEST = 24


class Interpretation(NamedTuple, Generic[A]):
    """A monoid, the value of each letter in it, and a map of times that keeps their order."""

    monoid: Monoid[A]
    value: Callable[[str], A]
    move_time: Callable[[int], int] = lambda time: time

    def image(self, word: str) -> A:
        """The value of a word, under the homomorphism that extends `value`."""
        return self.monoid.fold(map(self.value, word))


def apply_call(call: WindowCall, target: OutOfOrder[A], world: Interpretation[A]) -> None:
    """Make a call, with its letters and times replaced."""
    pairs = [(world.move_time(time), world.image(word)) for time, word in call.pairs]
    match call.name:
        case "insert":
            target.insert(*pairs[0])
        case "evict":
            target.evict(world.move_time(call.time))
        case "bulk_insert":
            target.bulk_insert(pairs)
        case "bulk_evict":
            target.bulk_evict(world.move_time(call.time))


def answers(
    entry: StructureEntry, world: Interpretation[A], picks: Sequence[int]
) -> Iterator[tuple[str, A]]:
    """Yield the words that the definition answers after each call, with the structure's answers."""
    target, window = entry.build(world.monoid), TimedWindow(LETTERS)
    for index, pick in enumerate(picks):
        places = TimePlaces(tuple(time for time, _ in window.pairs))
        calls = list(changes(window, places, entry.arrival, LARGEST, LARGEST))
        call = with_new_letters(calls[pick % len(calls)], index)
        apply_call(call, target, world)
        window = call.expected(window)
        yield window.query(), target.query()
        yield from zip(
            (word for _, word in window.pairs), (value for _, value in target.items()), strict=True
        )
        if entry.arrival != "fifo":
            intervals = list(ranges(TimePlaces(tuple(time for time, _ in window.pairs))))
            first, last = intervals[pick % len(intervals)]
            expected = window.query_range(first, last)
            yield expected, target.query_range(world.move_time(first), world.move_time(last))


def with_new_letters(call: WindowCall, index: int) -> WindowCall:
    """The call with letters that no other call has."""
    base = 0x5000 + 64 * index
    pairs = tuple((time, chr(base + place)) for place, (time, _) in enumerate(call.pairs))
    return replace(call, pairs=pairs)
