"""Scotty beside the model of the slicing operator: results, late events, and each slice it keeps.

One query of sliding or tumbling windows and one key, out of order: in order the code has slices of
another kind. Values are letters under concatenation, so that a slice's partial aggregate is the
word of its tuples in event order.
"""

from random import Random
from typing import TypeGuard

from lockstep.comparison import Comparison
from muntin.conformance.machines.random_choices import WORDS, Letter
from muntin.optimized.scotty.groups.time_group import TimeGroup
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.slices.aggregate_store import LazyStore, fiba_store, flatfat_store
from muntin.spec.algebra.monoid import Word
from muntin.spec.query import Mode, Output, Query, Settings
from muntin.spec.stream import END, Event
from muntin.spec.windows.periodic import sliding

STORES = (LazyStore, flatfat_store, fiba_store)
MODES: tuple[Mode, ...] = ("accumulate-retract", "accumulate", "discard", "final")
KINDS = ("retracted", "new", "updated")
LARGEST_TIME = 60


class ReadableScotty(Scotty):
    """Scotty, readable."""

    def words_of_slices(self) -> list[Word]:
        """The partial aggregates of the slices of the only key, which are words."""
        groups = [entry.group for entry in self._group_entries]
        keys = [
            k for group in groups if isinstance(group, TimeGroup) for k in group.key_states.values()
        ]
        return [word_of(slice_.partial) for key in keys for slice_ in key.slices.slices]


def is_word(value: object) -> TypeGuard[Word]:
    """Whether a value is a word; none but words are aggregated."""
    return isinstance(value, tuple)


def word_of(value: object) -> Word:
    """The letters of a word."""
    assert is_word(value), value
    return value


def numbers_of(output: Output, words: list[Word]) -> list[int]:
    """Results, late events and slices as the model lists them, each list after its length."""
    numbers = [len(output.results)]
    for result in output.results:
        value = word_of(result.value)
        interval = result.start, int(result.end)
        numbers += (*interval, KINDS.index(result.kind), result.revision, len(value), *value)
    late = [word_of(WORDS.lift(event.value))[0] for event in output.late]
    numbers += (len(late), *late, len(words))
    for word in words:
        numbers += (len(word), *word)
    return numbers


def slicing_run(comparison: Comparison, rng: Random) -> None:
    """Compare a random run of the operator with its model."""
    slide = rng.randint(1, 12)
    size = rng.choice((slide, rng.randint(slide, 20)))
    lateness, mode = rng.choice((0, 1, 5, 20)), rng.choice(MODES)
    operator = ReadableScotty(Settings(lateness, mode), rng.choice(STORES))
    operator.add(Query("q", sliding(size, slide), WORDS))
    starts = range(-(size // slide) * slide, LARGEST_TIME + 1, slide)
    windows = " ".join(f"{start} {start + size}" for start in starts)
    comparison.add(f"new {lateness} {mode} 0 {windows}", [])
    reached, letters = 0, 0
    for number in range(length := rng.randint(1, 20)):
        reached = min(LARGEST_TIME, reached + rng.randint(0, 6))
        times = [
            rng.randint(max(0, reached - 15), reached) for _ in range(rng.choice((0, 1, 1, 3)))
        ]
        events = [Event(time, Letter(0, letters + i)) for i, time in enumerate(times)]
        watermark: float | None = rng.choice((None, reached - rng.randint(0, 10)))
        text = "none" if watermark is None else str(watermark)
        if number == length - 1:
            watermark, text = END, "end"
        output = operator.step(events, watermark)
        words = operator.words_of_slices()
        steps = " ".join(f"{event.time} {letters + i}" for i, event in enumerate(events))
        comparison.add(f"step {text} {steps}".strip(), numbers_of(output, words))
        letters += len(events)
