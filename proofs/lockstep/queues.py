"""FIFO structures beside their models: each list that they keep, and the combines of each call."""

from collections.abc import Iterable
from random import Random
from typing import Protocol

from lockstep.comparison import Comparison
from lockstep.words import CountedWords, letter
from muntin.optimized.fifo.daba import Daba
from muntin.optimized.fifo.daba_lite import DabaLite
from muntin.optimized.fifo.running_totals import Entry
from muntin.optimized.fifo.two_stacks import TwoStacks
from muntin.optimized.fifo.two_stacks_lite import TwoStacksLite
from muntin.reference.subtract_on_evict import SubtractOnEvict
from muntin.spec.structure import Fifo

LARGEST = 24
"""The most items that a window holds."""


class ReadableFifo(Fifo[int], Protocol):
    """A FIFO structure whose lists can be read."""

    def state(self) -> list[int]:
        """All that it keeps, as the model lists it."""
        ...


def totals(items: Iterable[int]) -> list[int]:
    """The length of a list, and its items."""
    numbers = list(items)
    return [len(numbers), *numbers]


def entries(pairs: Iterable[Entry[int]]) -> list[int]:
    """The length of a list, its items and their totals."""
    numbers = [number for entry in pairs for number in entry]
    return [len(numbers) // 2, *numbers]


class ReadableTwoStacks(TwoStacks[int]):
    """Two-Stacks, readable."""

    def state(self) -> list[int]:
        """The front, oldest first, and the back."""
        return [*totals(reversed(self._front)), *entries(self._back)]


class ReadableTwoStacksLite(TwoStacksLite[int]):
    """Two-Stacks Lite, readable."""

    def state(self) -> list[int]:
        """The cut, the back total and the slots."""
        return [self._cut, self._back_total, *totals(self._slots)]


class ReadableSubtractOnEvict(SubtractOnEvict[int]):
    """Subtract-on-evict, readable."""

    def state(self) -> list[int]:
        """The total and the items."""
        return [self._total, *totals(self._items)]


class ReadableDaba(Daba[int]):
    """DABA, readable."""

    def state(self) -> list[int]:
        """The five lists."""
        front = [*totals(self._ready), *totals(self._left), *entries(self._right)]
        return [*front, *totals(self._turned), *entries(self._back)]


class ReadableDabaLite(DabaLite[int]):
    """DABA Lite, readable."""

    def state(self) -> list[int]:
        """The two totals and the five lists."""
        lists = self._ready, self._left, self._right, self._turned, self._back
        numbers = [number for items in lists for number in totals(items)]
        return [self._rest_total, self._back_total, *numbers]


def queue_run(
    queue: ReadableFifo, words: CountedWords, comparison: Comparison, rng: Random
) -> None:
    """Compare a random run of a FIFO structure with its model."""

    def numbers() -> list[int]:
        combines, answer = words.reset(), queue.query()
        return [answer, combines, words.reset(), *queue.state()]

    comparison.add("new", numbers())
    growing = 0.6
    for _ in range(rng.randint(1, 200)):
        size = len(queue)
        growing = 0.7 if not size else 0.3 if size >= LARGEST else growing
        if not size or rng.random() < growing:
            value = letter(rng)
            queue.insert(value)
            comparison.add(f"insert {value}", numbers())
        else:
            queue.evict()
            comparison.add("evict", numbers())
