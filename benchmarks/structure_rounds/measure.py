"""Time, as ratios in one run: implementations take turns, and the best turn of each counts.

Time is CPU time of the process. The garbage collector is off during rounds: they make no reference
cycles.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from time import process_time_ns
from typing import Generic, TypeVar

from rounds.clock import DisagreementError, collector_off, rotated
from structure_rounds.implementations import FLIPPING, MeasuredStructure, Window
from structure_rounds.operators import BenchmarkMonoid
from structure_rounds.workload import Feed, play

A = TypeVar("A")

LONG_TURNS = 2
CHUNK = 2**13
"""Rounds whose calls are prepared at once, outside the measured time."""


@dataclass(frozen=True)
class StructurePlan:
    """The sizes to measure, and the times of turns in nanoseconds."""

    turn: int = 5_000_000
    turns: int = 4
    long_turn: int = 300_000_000
    longest_round: int = 20_000_000
    longest_filling: int = 5_000_000_000
    counted_rounds: int = 2**11
    widest: int = 2**20
    sizes: tuple[int, ...] = tuple(2**k for k in range(4, 21, 2))
    distances: tuple[int, ...] = (0, *(4**k for k in range(9)))
    fewer_distances: tuple[int, ...] = (0, 16, 2**12)

    def windows(self, largest: int) -> list[int]:
        """The window sizes to measure, up to and with the largest."""
        most = min(largest, self.widest)
        return [size for size in self.sizes if size < most] + [most]


QUICK = StructurePlan(turn=1_000_000, turns=3, longest_round=5_000_000, widest=2**12)


@dataclass(frozen=True)
class StructureRow:
    """The cost of a round of one implementation in one cell, warm and cold."""

    operator: str
    size: int
    distance: int
    implementation: str
    ns: float
    cold_ns: float


@dataclass(frozen=True)
class Stop:
    """The reason why an implementation has no larger window."""

    operator: str
    implementation: str
    size: int
    reason: str


class StructureTimer(Generic[A]):
    """Times one implementation with a window of its own."""

    def __init__(self, name: str, window: Window[A], feed: Feed[A]) -> None:
        """Fill the window."""
        self.name, self.window, self.feed = name, window, feed
        pairs = list(self.feed.pairs())
        start = process_time_ns()
        self.window.bulk_insert(pairs)
        self.filling = process_time_ns() - start
        self.best = self.cold = float("inf")

    def play(self, count: int) -> float:
        """The nanoseconds a round, over this many."""
        spent = 0
        for done in range(0, count, CHUNK):
            calls = self.feed.rounds(min(CHUNK, count - done))
            start = process_time_ns()
            play(self.window, calls)
            spent += process_time_ns() - start
        return spent / count

    def warm_up(self, plan: StructurePlan) -> bool:
        """Run a turn to learn the time of a round, or one round if it takes too long."""
        self.cold = self.play(1)
        self.best = self.play(1)  # the first one may flip the whole window, as in Two-Stacks
        if self.best > plan.longest_round:
            return False
        trial = max(1, min(64, int(plan.turn // (self.best + 1))))
        self.best = float("inf")
        self._set_turn(plan, self.play(trial))
        if not self._is_long:
            self._set_turn(plan, self.play(self._count))
        return True

    def _set_turn(self, plan: StructurePlan, ns: float) -> None:
        """Set the rounds of a turn: as many as fit, or whole windows if cost comes in waves."""
        self._count, size = max(1, int(plan.turn // (ns + 1))), len(self.feed)
        if self.name in FLIPPING:
            self._count = -(-self._count // size) * size
        self._is_long = self._count * ns > plan.long_turn

    def take_turn(self, turn: int) -> None:
        """Run one turn, and keep its time if it is the best; of long ones, only two."""
        if turn < LONG_TURNS or not self._is_long:
            self.best = min(self.best, self.play(self._count))

    def check(self) -> None:
        """Compare the answer with the fold of the window."""
        if self.window.query() != self.feed.answer():
            raise DisagreementError(
                f"{self.name} answers another {self.feed.monoid_case.name} than the fold of its "
                f"window, at n = {len(self.feed)}"
            )

    def row(self, distance: int) -> StructureRow:
        """The best turn as a row."""
        operator, size = self.feed.monoid_case.name, len(self.feed)
        return StructureRow(operator, size, distance, self.name, self.best, self.cold)


def cell(timers: list[StructureTimer[A]], distance: int, plan: StructurePlan) -> list[StructureRow]:
    """Measure at this distance: warm up, then turns in rotation; then check answers."""
    for timer in timers:
        timer.feed.reduce_distance(distance)
    ready = [timer for timer in timers if timer.warm_up(plan)]
    for turn in range(plan.turns):
        for timer in rotated(ready, turn):
            timer.take_turn(turn)
    for timer in timers:
        timer.check()
    return [timer.row(distance) for timer in timers]


class Sweep(Generic[A]):
    """All windows and distances for one operator; slow implementations get no larger windows."""

    def __init__(
        self,
        monoid_case: BenchmarkMonoid[A],
        implementations: list[MeasuredStructure],
        plan: StructurePlan,
    ) -> None:
        """Start with all implementations."""
        self._case, self._plan = monoid_case, plan
        self._active = list(implementations)
        self._fillings: dict[str, int] = {}
        self.stops: list[Stop] = []

    def rows(self) -> Iterator[StructureRow]:
        """Yield the rows of one window size after another."""
        windows = self._plan.windows(self._case.largest)
        for size in windows:
            distances = self._plan.fewer_distances
            if size == windows[-1]:
                distances = self._plan.distances
            with collector_off():
                yield from self._window(size, [d for d in distances if d < size])

    def _window(self, size: int, candidates: list[int]) -> Iterator[StructureRow]:
        """Fill windows once; the distance shrinks, down to streams that are in order."""
        distances = sorted(candidates, reverse=True)
        timers = [self._timer(c, size, distances[0]) for c in self._supporting(1)]
        for distance in distances:
            if not distance:
                in_order = [c for c in self._supporting(0) if c not in self._supporting(1)]
                timers += [self._timer(c, size, 0) for c in in_order]
            rows = cell(timers, distance, self._plan)
            yield from rows
            timers = self._keep(timers, rows, size)
        for timer in timers:
            expected = timer.filling**2 / self._fillings.get(timer.name, timer.filling)
            self._fillings[timer.name] = timer.filling
            if expected > self._plan.longest_filling and size < self._plan.widest:
                self._stop(timer, size, f"the next window takes {expected / 1e9:.0f} s to fill")

    def _supporting(self, distance: int) -> list[MeasuredStructure]:
        return [c for c in self._active if c.supports(distance, self._case.monoid)]

    def _timer(
        self, implementation: MeasuredStructure, size: int, distance: int
    ) -> StructureTimer[A]:
        window = implementation.build(self._case.monoid)
        return StructureTimer(implementation.name, window, Feed(self._case, size, distance))

    def _keep(
        self, timers: list[StructureTimer[A]], rows: list[StructureRow], size: int
    ) -> list[StructureTimer[A]]:
        remaining: list[StructureTimer[A]] = []
        for timer, row in zip(timers, rows, strict=True):
            if row.ns > self._plan.longest_round:
                self._stop(timer, size, f"a round takes {row.ns / 1e6:.0f} ms")
            else:
                remaining.append(timer)
        return remaining

    def _stop(self, timer: StructureTimer[A], size: int, reason: str) -> None:
        self._active = [c for c in self._active if c.name != timer.name]
        self.stops.append(Stop(self._case.name, timer.name, size, reason))
