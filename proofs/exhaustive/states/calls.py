"""Every call on a window of a given size, up to differences that no structure can notice.

Structures only compare times, and only combine values (proofs/parametric). So only the place of a
time matters: at a time of the window, between two of them, or beyond an end. A value matters by
being different from all others.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, count, pairwise
from typing import Literal

from muntin.registry.implementations import Arrival
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.structure import OutOfOrder, Pair, TimedWindow

LETTERS = Monoid("", str.__add__)
"""The free monoid again, its words spelled as strings."""

BAGS = Monoid("", lambda left, right: "".join(sorted(left + right)))
"""The free commutative monoid: words whose letters have no order."""

MIDDLE, STEP = 1 << 800, 1 << 400
"""Times lie far apart and far from zero, so that a time is no rank, size or height."""

Name = Literal["insert", "evict", "bulk_insert", "bulk_evict"]


@dataclass(frozen=True)
class WindowCall:
    """A call that changes a window."""

    name: Name
    time: int = 0
    pairs: tuple[Pair[str], ...] = ()

    def apply(self, target: OutOfOrder[str]) -> None:
        """Make the call on a structure."""
        match self.name:
            case "insert":
                target.insert(*self.pairs[0])
            case "evict":
                target.evict(self.time)
            case "bulk_insert":
                target.bulk_insert(self.pairs)
            case "bulk_evict":
                target.bulk_evict(self.time)

    def expected(self, window: TimedWindow[str]) -> TimedWindow[str]:
        """The window after the call, by definition."""
        match self.name:
            case "insert" | "bulk_insert":
                return window.bulk_insert(self.pairs)
            case "evict":
                return window.evict(self.time)
            case "bulk_evict":
                return window.bulk_evict(self.time)


@dataclass(frozen=True)
class TimePlaces:
    """The places of a time: at and between the times that a structure stores.

    It stores the times of its items, and perhaps some of evicted items.
    """

    times: tuple[int, ...]

    def gap(self, rank: int, share: int = 1, shares: int = 2) -> int:
        """A time between the item of this rank and the one before it."""
        times = self.times
        if not times:
            return MIDDLE + STEP * share
        if rank == 0:
            return times[0] - STEP * (shares - share)
        if rank == len(times):
            return times[-1] + STEP * share
        low, high = times[rank - 1 : rank + 1]
        assert high - low > shares, "the exploration has run out of times: raise STEP"
        return low + (high - low) * share // shares

    def all(self) -> list[int]:
        """One time for each place, in order."""
        after = [place for rank, time in enumerate(self.times) for place in (self.gap(rank), time)]
        return [*after, self.gap(len(self.times))]


def letters(window: TimedWindow[str]) -> Iterator[str]:
    """Yield letters that are not in the window."""
    used = {letter for _, word in window.pairs for letter in word}
    return (chr(code) for code in count(0x4E00) if chr(code) not in used)


def changes(
    window: TimedWindow[str], places: TimePlaces, arrival: Arrival, largest: int, pairs_up_to: int
) -> Iterator[WindowCall]:
    """Yield every insert, evict and bulk evict, each run of new items, and each pair of items.

    A run is a batch of new items into one gap, as long as the window has room. Pairs, which fall
    into two places and perhaps onto items, are tried on windows of at most `pairs_up_to` items.
    """
    n, new_letters = len(window.pairs), letters(window)
    first, second = next(new_letters), next(new_letters)
    everywhere = places.all()
    for time in everywhere if arrival != "fifo" else [*everywhere[::2], *places.times[:1]]:
        yield WindowCall("evict", time)
    yield from (WindowCall("bulk_evict", time) for time in everywhere)
    youngest = everywhere[-2:] if arrival == "in-order inserts" else everywhere[-1:]
    enters = everywhere if arrival == "any order" else youngest
    yield from (WindowCall("insert", pairs=((time, first),)) for time in enters)
    gaps = range(len(places.times) + 1)
    for rank in gaps if arrival == "any order" else gaps[-1:]:
        for size in [0, *range(2, largest - n + 2)]:
            run = [places.gap(rank, k + 1, size + 1) for k in range(size)]
            yield WindowCall("bulk_insert", pairs=tuple(zip(run, letters(window), strict=False)))
    if n <= pairs_up_to and arrival != "fifo":
        for low, high in combinations_with_replacement(enters, 2):
            yield WindowCall("bulk_insert", pairs=((low, first), (high, second)))


def ranges(places: TimePlaces) -> Iterator[tuple[int, int]]:
    """Yield every range: each pair of places, and each two neighbours in reverse."""
    everywhere = places.all()
    yield from combinations_with_replacement(everywhere, 2)
    yield from ((high, low) for low, high in pairwise(everywhere))
