"""Time, as ratios in one run: contenders take turns, and each keeps its best turn.

Time is that of the process, not of the wall. The garbage collector is off while rounds are
played; nothing here makes reference cycles that it would have to find.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from time import process_time_ns
from typing import Generic, TypeVar

from rounds.clock import DisagreementError, collector_off
from structure_rounds.contenders import FLIPPING, Contender, Window
from structure_rounds.operators import Bench
from structure_rounds.workload import Feed, play

A = TypeVar("A")

LONG_TURNS = 2
CHUNK = 2**13
"""Rounds that are thought out at once, while the clock stands still."""


@dataclass(frozen=True)
class Plan:
    """How long to look; in nanoseconds."""

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
        """Return the windows to try up to this one, itself among them."""
        most = min(largest, self.widest)
        return [size for size in self.sizes if size < most] + [most]


QUICK = Plan(turn=1_000_000, turns=3, longest_round=5_000_000, widest=2**12)


@dataclass(frozen=True)
class Row:
    """What a round costs one contender in one cell, warm and cold."""

    operator: str
    size: int
    distance: int
    contender: str
    ns: float
    cold_ns: float


@dataclass(frozen=True)
class Stop:
    """Why a contender has no larger window."""

    operator: str
    contender: str
    size: int
    reason: str


class Lane(Generic[A]):
    """One contender with a window of its own."""

    def __init__(self, name: str, window: Window[A], feed: Feed[A]) -> None:
        """Fill the window."""
        self.name, self.window, self.feed = name, window, feed
        pairs = list(self.feed.pairs())
        start = process_time_ns()
        self.window.bulk_insert(pairs)
        self.filling = process_time_ns() - start
        self.best = self.cold = float("inf")

    def play(self, count: int) -> float:
        """Return the nanoseconds for a round, over this many."""
        spent = 0
        for done in range(0, count, CHUNK):
            calls = self.feed.rounds(min(CHUNK, count - done))
            start = process_time_ns()
            play(self.window, calls)
            spent += process_time_ns() - start
        return spent / count

    def warm_up(self, plan: Plan) -> bool:
        """Play a turn to learn how long a round takes, or one round if that takes too long."""
        self.cold = self.play(1)
        self.best = self.play(1)  # the first one may flip the whole window, as Two-Stacks does
        if self.best > plan.longest_round:
            return False
        trial = max(1, min(64, int(plan.turn // (self.best + 1))))
        self.best = float("inf")
        self._set_turn(plan, self.play(trial))
        if not self._is_long:
            self._set_turn(plan, self.play(self._count))
        return True

    def _set_turn(self, plan: Plan, ns: float) -> None:
        """Let a turn be as many rounds as fit, or whole windows if cost comes in waves."""
        self._count, size = max(1, int(plan.turn // (ns + 1))), len(self.feed)
        if self.name in FLIPPING:
            self._count = -(-self._count // size) * size
        self._is_long = self._count * ns > plan.long_turn

    def take_turn(self, turn: int) -> None:
        """Play one turn, and keep it if it is the best; of long ones, only two."""
        if turn < LONG_TURNS or not self._is_long:
            self.best = min(self.best, self.play(self._count))

    def check(self) -> None:
        """Hold the answer against the fold of what the window should hold."""
        if self.window.query() != self.feed.answer():
            raise DisagreementError(
                f"{self.name} answers another {self.feed.bench.name} than the fold of its window, "
                f"at n = {len(self.feed)}"
            )

    def row(self, distance: int) -> Row:
        """Return the best turn."""
        operator, size = self.feed.bench.name, len(self.feed)
        return Row(operator, size, distance, self.name, self.best, self.cold)


def cell(lanes: list[Lane[A]], distance: int, plan: Plan) -> list[Row]:
    """Measure all lanes at this distance: warm up, then turns in rotation; then check answers."""
    for lane in lanes:
        lane.feed.come_nearer(distance)
    ready = [lane for lane in lanes if lane.warm_up(plan)]
    for turn in range(plan.turns):
        first = turn % max(1, len(ready))
        for lane in ready[first:] + ready[:first]:
            lane.take_turn(turn)
    for lane in lanes:
        lane.check()
    return [lane.row(distance) for lane in lanes]


class Sweep(Generic[A]):
    """All windows and distances for one operator. Who takes too long is not asked again."""

    def __init__(self, bench: Bench[A], entered: list[Contender], plan: Plan) -> None:
        """Note who takes part."""
        self._bench, self._plan = bench, plan
        self._going = list(entered)
        self._fillings: dict[str, int] = {}
        self.stops: list[Stop] = []

    def rows(self) -> Iterator[Row]:
        """Yield the rows of one window size after another."""
        windows = self._plan.windows(self._bench.largest)
        for size in windows:
            distances = self._plan.fewer_distances
            if size == windows[-1]:
                distances = self._plan.distances
            with collector_off():
                yield from self._window(size, [d for d in distances if d < size])

    def _window(self, size: int, wanted: list[int]) -> Iterator[Row]:
        """Fill windows once; the distance shrinks, down to streams that are in order."""
        distances = sorted(wanted, reverse=True)
        lanes = [self._lane(c, size, distances[0]) for c in self._serving(1)]
        for distance in distances:
            if not distance:
                in_order = [c for c in self._serving(0) if c not in self._serving(1)]
                lanes += [self._lane(c, size, 0) for c in in_order]
            rows = cell(lanes, distance, self._plan)
            yield from rows
            lanes = self._keep(lanes, rows, size)
        for lane in lanes:
            expected = lane.filling**2 / self._fillings.get(lane.name, lane.filling)
            self._fillings[lane.name] = lane.filling
            if expected > self._plan.longest_filling and size < self._plan.widest:
                self._stop(lane, size, f"the next window takes {expected / 1e9:.0f} s to fill")

    def _serving(self, distance: int) -> list[Contender]:
        return [c for c in self._going if c.serves(distance, self._bench.monoid)]

    def _lane(self, contender: Contender, size: int, distance: int) -> Lane[A]:
        window = contender.build(self._bench.monoid)
        return Lane(contender.name, window, Feed(self._bench, size, distance))

    def _keep(self, lanes: list[Lane[A]], rows: list[Row], size: int) -> list[Lane[A]]:
        kept: list[Lane[A]] = []
        for lane, row in zip(lanes, rows, strict=True):
            if row.ns > self._plan.longest_round:
                self._stop(lane, size, f"a round takes {row.ns / 1e6:.0f} ms")
            else:
                kept.append(lane)
        return kept

    def _stop(self, lane: Lane[A], size: int, reason: str) -> None:
        self._going = [c for c in self._going if c.name != lane.name]
        self.stops.append(Stop(self._bench.name, lane.name, size, reason))
