"""Rounds of evict, insert and query over columns; windows take turns, and the best turn counts."""

from collections.abc import Iterator
from dataclasses import dataclass
from time import process_time_ns
from typing import NamedTuple

import numpy as np

from muntin.kernels.aggregator.column_window import ColumnWindow
from muntin.kernels.aggregator.numeric_catalogue import numeric_aggregate
from muntin.kernels.compiler.numeric_aggregate import Kind
from muntin.optimized.btree.fiba import Fiba
from rounds.clock import DisagreementError, collector_off, rotated
from structure_rounds.operators import SUM
from structure_rounds.workload import Feed, play

READABLE = "fiba4"
MAIN = "kernels"
KERNELS: dict[str, tuple[str, Kind]] = {
    MAIN: ("sum", "int"),
    "kernels, argmax": ("argmax", "float"),
    "kernels, m4": ("m4", "float"),
}


@dataclass(frozen=True)
class KernelPlan:
    """The sizes, distances and turns to measure."""

    sizes: tuple[int, ...] = tuple(2**k for k in range(10, 23, 2))
    distances: tuple[int, ...] = (0, 1, 4, 16, 64, 256, 1024, 2**12, 2**16)
    fewer_distances: tuple[int, ...] = (0, 16, 1024)
    rounds: int = 2**14
    turns: int = 40
    readable_rounds: int = 2**7


QUICK = KernelPlan((2**10, 2**12), (0, 16, 64), (0, 16), 2**12, 3, 2**8)


class KernelRow(NamedTuple):
    """The cost of a round, in nanoseconds."""

    implementation: str
    size: int
    distance: int
    ns: float


class KernelTimer:
    """A window over columns, and its stream."""

    def __init__(self, name: str, size: int, distance: int, rounds: int) -> None:
        """Fill the window."""
        self.name, self.rounds, self.best = name, rounds, float("inf")
        self._summary = numeric_aggregate(*KERNELS[name])
        self.feed = Feed(SUM, size, distance)
        pairs = list(self.feed.pairs())
        self._window = ColumnWindow(self._summary)
        self._window.insert(*self._columns([t for t, _ in pairs], [v for _, v in pairs]))

    def _columns(self, times: list[int], values: list[int]) -> list[np.ndarray]:
        kinds = {"int": np.int64, "float": np.float64}
        given = [np.array(values, kinds[kind]) for kind in self._summary.columns]
        return [np.array(times, np.int64), *given]

    def turn(self) -> None:
        """Run one turn, and keep its time if it is the best."""
        calls = self.feed.rounds(self.rounds)
        ends = np.array([old for old, _, _ in calls], np.int64)
        times, *columns = self._columns([new for _, new, _ in calls], [v for _, _, v in calls])
        start = process_time_ns()
        self._window.replay_rounds(ends, times, *columns)
        self.best = min(self.best, (process_time_ns() - start) / self.rounds)

    def check(self) -> None:
        """Compare the answer with the fold of the window."""
        values = [value for _, value in self.feed.pairs()]
        expected = {"sum": (sum(values),), "argmax": (float(max(values)),)}.get(
            self._summary.name,
            (float(min(values)), float(max(values)), float(values[0]), float(values[-1])),
        )
        if self._window.query() != expected:
            raise DisagreementError(f"{self.name} at n = {len(self.feed)}")


class ReadableTimer:
    """The readable FiBA, call by call."""

    name = READABLE

    def __init__(self, size: int, distance: int, rounds: int) -> None:
        """Fill the window."""
        self.rounds, self.best = rounds, float("inf")
        self.feed, self._window = Feed(SUM, size, distance), Fiba(SUM.monoid)
        self._window.bulk_insert(self.feed.pairs())

    def turn(self) -> None:
        """Run one turn, and keep its time if it is the best."""
        calls = self.feed.rounds(self.rounds)
        start = process_time_ns()
        play(self._window, calls)
        self.best = min(self.best, (process_time_ns() - start) / self.rounds)

    def check(self) -> None:
        """Compare the answer with the fold of the window."""
        if self._window.query() != self.feed.answer():
            raise DisagreementError(f"{self.name} at n = {len(self.feed)}")


def compile_all() -> Iterator[tuple[str, float]]:
    """Yield the seconds that the first call of each implementation takes, or finds on disk."""
    for name in KERNELS:
        start = process_time_ns()
        KernelTimer(name, 64, 0, 16).turn()
        yield name, (process_time_ns() - start) / 1e9


def _timers(size: int, distance: int, plan: KernelPlan) -> list[KernelTimer | ReadableTimer]:
    timers: list[KernelTimer | ReadableTimer] = [
        KernelTimer(name, size, distance, plan.rounds) for name in KERNELS
    ]
    return [*timers, ReadableTimer(size, distance, plan.readable_rounds)]


def measure_all(plan: KernelPlan) -> Iterator[list[KernelRow]]:
    """Yield the rows of each cell. Windows are filled once for a size; the distance shrinks."""
    for size in plan.sizes:
        candidates = plan.distances if size == plan.sizes[-1] else plan.fewer_distances
        distances = sorted((d for d in candidates if d < size), reverse=True)
        timers = _timers(size, distances[0], plan)
        for distance in distances:
            for timer in timers:
                timer.feed.reduce_distance(distance)
                timer.best = float("inf")
            with collector_off():
                for turn in range(plan.turns):
                    for timer in rotated(timers, turn):
                        timer.turn()
            for timer in timers:
                timer.check()
            yield [KernelRow(timer.name, size, distance, timer.best) for timer in timers]
