"""B-Int: the aggregate of each complete dyadic interval of positions inside the window.

Follows [Arasu04] as [Tangwongsan15] sums it up in section 7: the baseline of FlatFAT. An interval
of level l is [i * 2**l, (i + 1) * 2**l). S1-S5, T1-T3 are proved in proofs/b_int.md.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import Generic, TypeVar

from muntin.atomicity import AllOrNothing
from muntin.optimized.flatfat.flatfat import height
from muntin.optimized.introspection import LevelsPicture
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Cost, Meter, Operation
from muntin.spec.errors import UnsupportedError, integer
from muntin.spec.structure import Pair, in_time_order

A = TypeVar("A")


def max_intervals(length: int) -> int:
    """The most dyadic intervals that a run of this length needs, if it uses the fewest (T2).

    >>> [max_intervals(length) for length in range(8)]
    [0, 1, 2, 2, 3, 3, 4, 4]
    """
    return height(length + 2) + height((length + 2) // 3) if length else 0


class BInt(AllOrNothing, Generic[A]):
    """Each item has the next position; only the positions of the window are kept."""

    def __init__(self, monoid: Monoid[A], meter: Meter | None = None) -> None:
        """Start with an empty window."""
        self._monoid, self._meter = monoid, Meter() if meter is None else meter
        self._first = self._end = 0  # the window is the positions first..end-1
        self._times: dict[int, int] = {}  # by position
        self._levels: list[dict[int, A]] = [{}]  # level l holds interval i at [l][i]

    def insert(self, time: int, value: A) -> None:
        """Add a value after the youngest time, or at it, on the right of the value there."""
        self.bulk_insert([(time, value)])

    def evict(self, time: int) -> None:
        """Remove the oldest item; a time without an item changes nothing."""
        position = self._position(integer(time, "the time"))
        if position < self._end and self._times[position] == time:
            if position > self._first:
                raise UnsupportedError(
                    f"a FIFO window evicts its oldest time, {self.oldest()}, not {time}"
                )
            self._remove_before(position + 1)

    def bulk_insert(self, pairs: Iterable[Pair[A]]) -> None:
        """Insert pairs that are sorted by time, none older than the youngest."""
        batch = in_time_order(pairs)
        youngest = self.youngest()
        if batch and youngest is not None and batch[0][0] < youngest:
            raise UnsupportedError(
                f"inserts must be in order: {batch[0][0]} is older than the youngest, {youngest}"
            )
        changed: dict[int, A] = {}
        for time, value in batch:
            if time in changed:
                changed[time] = self._monoid.combine(changed[time], value)
            elif time == youngest:
                changed[time] = self._monoid.combine(self._levels[0][self._end - 1], value)
            else:
                changed[time] = value
        for time, value in changed.items():
            self._end += time != youngest
            self._write(self._end - 1, time, value)

    def bulk_evict(self, up_to: int) -> None:
        """Remove everything at or before this time."""
        self._remove_before(self._position(integer(up_to, "the time") + 1))

    def query(self) -> A:
        """Fold all values in the order of time."""
        return self._fold(self._first, self._end)

    def query_range(self, first: int, last: int) -> A:
        """Fold the values with first <= time <= last."""
        low = self._position(integer(first, "the time"))
        return self._fold(low, self._position(integer(last, "the time") + 1))

    def oldest(self) -> int | None:
        """The smallest time, if any."""
        return self._times.get(self._first)

    def youngest(self) -> int | None:
        """The largest time, if any."""
        return self._times.get(self._end - 1)

    def items(self) -> Iterator[Pair[A]]:
        """Yield each time with its value, oldest first."""
        for position in range(self._first, self._end):
            yield self._times[position], self._levels[0][position]

    def __len__(self) -> int:
        """The number of distinct times held."""
        return self._end - self._first

    def _position(self, time: int) -> int:
        """The first position whose time is not older."""
        held = range(self._first, self._end)
        return self._first + bisect_left(held, time, key=self._times.__getitem__)

    def _write(self, position: int, time: int, value: A) -> None:
        """Write the youngest item, and complete the intervals that end with it."""
        self._times[position] = time
        self._keep(0, position, value)
        level, index = 0, position
        while index % 2 == 1 and index - 1 in self._levels[level]:
            intervals = self._levels[level]
            both = self._monoid.combine(intervals[index - 1], intervals[index])
            level, index = level + 1, index // 2
            self._keep(level, index, both)

    def _keep(self, level: int, index: int, value: A) -> None:
        self._meter.visits += 1
        if level == len(self._levels):
            self._levels.append({})
        self._levels[level][index] = value

    def _remove_before(self, end: int) -> None:
        """Remove the positions before this one, and each interval that begins before it."""
        for position in range(self._first, end):
            del self._times[position]
            level = 0
            while level < len(self._levels) and position % (1 << level) == 0:
                self._meter.visits += position >> level in self._levels[level]
                self._levels[level].pop(position >> level, None)
                level += 1
        self._first = max(end, self._first)
        while len(self._levels) > 1 and not self._levels[-1]:
            self._levels.pop()

    def _fold(self, first: int, end: int) -> A:
        """Fold the fewest intervals that make up the positions first..end-1."""
        values = [self._levels[level][index] for level, index in self._cover(first, end)]
        self._meter.visits += len(values)
        return reduce(self._monoid.combine, values) if values else self._monoid.identity

    def _cover(self, first: int, end: int) -> list[tuple[int, int]]:
        """The fewest intervals, from left to right, by level and index."""
        low: list[tuple[int, int]] = []
        high: list[tuple[int, int]] = []
        level = 0
        while first < end:
            if first % 2 == 1:
                low.append((level, first))
            if end % 2 == 1:
                high.append((level, end - 1))
            level, first, end = level + 1, (first + 1) // 2, end // 2
        return low + high[::-1]

    def picture(self) -> LevelsPicture[A]:
        """The intervals and times, to be drawn."""
        times = tuple(self._times[position] for position in range(self._first, self._end))
        levels = tuple(
            tuple(sorted(level.items(), key=lambda interval: interval[0])) for level in self._levels
        )
        return LevelsPicture(self._first, times, levels)

    def invariants(self, window: Sequence[Pair[A]]) -> Iterator[tuple[str, bool]]:
        """The simulation relation with the plain pairs that this object stands for."""
        held = range(self._first, self._end)
        values = {position: value for position, (_, value) in zip(held, window, strict=False)}
        yield "S1 there is a position for each item", len(held) == len(window)
        yield (
            "S2 the times are those of the window, by position",
            self._times == {k: time for k, (time, _) in zip(held, window, strict=False)},
        )
        yield (
            "S3 the complete intervals inside the window are held, and no others",
            [set(intervals) for intervals in self._levels]
            == [
                set(range(-(-self._first >> level), self._end >> level))
                for level in range(len(self._levels))
            ],
        )
        yield (
            "S4 each interval folds the values at its positions",
            all(
                value == self._monoid.fold(values[k] for k in range(i << level, (i + 1) << level))
                for level, intervals in enumerate(self._levels)
                for i, value in intervals.items()
            ),
        )
        highest = len(self._levels) - 1
        yield (
            "S5 no level above the highest could hold anything",
            bool(self._levels[highest] or not highest)
            and not range(-(-self._first >> highest + 1), self._end >> highest + 1),
        )

    def bound(self, operation: Operation, /) -> Cost:
        """T1: m items complete m + log2(n + m - 1) intervals or join items instead, at most.

        T2: a fold of k intervals is k - 1 combines. T3: evictions only forget.
        """
        n, m = operation.size, operation.items
        if operation.name in {"query", "query_range"}:
            return Cost(max(0, max_intervals(m) - 1), max_intervals(m))
        if operation.name in {"evict", "bulk_evict"}:
            return Cost(0, sum(-(-m >> level) for level in range(height(max(1, n)) + 1)))
        if m == 0 or n + m == 1:
            return Cost(0, m)
        work = m + height(n + m - 1)
        return Cost(work, work + m)
