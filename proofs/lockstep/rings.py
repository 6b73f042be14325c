"""The Reactive Aggregator beside its model: pointers, slots, holes and the tree after each call."""

from collections.abc import Iterator
from random import Random

from lockstep.comparison import Comparison
from lockstep.words import CountedWords, letter
from muntin.optimized.flatfat.reactive import ReactiveAggregator

SIZES = (3, 12, 40)


class ReadableRing(ReactiveAggregator[int]):
    """The ring, readable."""

    def numbers(self) -> list[int]:
        """The answer to a query, and the state as the model lists it."""
        numbers = [self.query(), self._fat.capacity, self._front, self._span]
        for location in map(self._location, range(self._span)):
            numbers += (self._times[location], location in self._holes, self._fat[location])
        return [*numbers, *self._fat.nodes_by_number()]


def ring_calls(rng: Random, held: list[int]) -> Iterator[tuple[str, list[int]]]:
    """Yield calls and their times, of a window that grows and shrinks; `held` are its times."""
    largest, growing = rng.choice(SIZES), True
    for _ in range(4 * largest):
        growing = len(held) < largest if len(held) in (0, largest) else growing
        youngest = max(held, default=0)
        if not held or rng.random() < (0.75 if growing else 0.25):
            count = rng.choice((1, 1, 1, rng.randint(2, largest)))
            times = [youngest := youngest + rng.randrange(3) for _ in range(count)]
            yield "insert" if count == 1 else "bulk-insert", times
            held += [time for time in dict.fromkeys(times) if time not in held]
        else:
            time = rng.choice((held[0], held[-1], rng.choice(held), rng.randrange(youngest + 2)))
            call = rng.choice(("evict", "evict", "evict", "bulk-evict"))
            yield call, [time]
            held[:] = [t for t in held if (t > time if call == "bulk-evict" else t != time)]


def ring_run(comparison: Comparison, rng: Random) -> None:
    """Compare a random run of the ring with the model."""
    least = rng.randrange(4)
    ring = ReadableRing(CountedWords().monoid, None, capacity=2**least)
    comparison.add(f"new {least}", ring.numbers())
    for call, times in ring_calls(rng, []):
        if "insert" in call:
            pairs = [(time, letter(rng)) for time in times]
            ring.bulk_insert(pairs) if call == "bulk-insert" else ring.insert(*pairs[0])
            arguments = " ".join(f"{time} {value}" for time, value in pairs)
        else:
            (ring.evict if call == "evict" else ring.bulk_evict)(times[0])
            arguments = str(times[0])
        comparison.add(f"{call} {arguments}", ring.numbers())
