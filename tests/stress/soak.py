"""A long stream through twenty queries: slices stay within their bound, and memory stays flat.

`python tests/stress/soak.py` runs it in full. The stream is generated event by event, and never
stored. Memory is the resident set of the process on Linux; elsewhere its peak.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from random import Random
from resource import RUSAGE_SELF, getpagesize, getrusage
from time import process_time

from muntin.registry.implementations import OPERATORS
from muntin.registry.state_size import StateSize, state_size
from muntin.spec.algebra.catalogue import named_keeping_nulls
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import END, Event
from muntin.spec.windows.data_driven import LastNEvery, Session
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.periodic import Cumulate, Landmark, Sliding, count, tumbling
from muntin.spec.windows.window import WindowType

BATCH, DELAY, LAG, LATENESS = 1000, 300, 120, 150
LATE_SHARE = 0.2
"""The share of delayed events in a stream out of order, by up to DELAY: a few are late."""
PAUSE, PAUSE_SHARE = 40, 0.001
"""The length of a pause and its probability: sessions end there."""
SAMPLES = 100
NOTHING = StateSize(0, 0)
MEGABYTE = 2**20

WINDOWS: dict[str, list[WindowType]] = {
    "sum": [
        tumbling(100), tumbling(250), tumbling(1000), Sliding(500, 100), Sliding(1000, 50),
        Sliding(30, 100), Cumulate(1000, 100), Session(7), Session(20), count(40, 20),
        LastNEvery(20, 100),
    ],
    "count": [tumbling(100), Sliding(300, 60), Landmark(0, 5000)],
    "max": [tumbling(500), Sliding(700, 70), Cumulate(600, 200), Session(11)],
    "mean": [tumbling(150), Sliding(900, 90)],
}  # fmt: skip
QUERIES = [
    Query(f"{name}{number}", kind, named_keeping_nulls(name))
    for name, kinds in WINDOWS.items()
    for number, kind in enumerate(kinds)
]
CHECKED = "count0"
"""Tumbling windows of all time: together they count every event once."""
LONGEST = 1000


def edges(kind: WindowType, low: int, high: int, *, ends: bool = True) -> set[int]:
    """The times in a range at which windows with known edges begin or end, or only begin."""
    match kind:
        case Sliding():
            first = low - kind.size
            starts = range(first - first % kind.slide, high + 1, kind.slide)
            return {edge for start in starts for edge in (start, start + ends * kind.size)}
        case Cumulate():
            every = kind.step if ends else kind.size
            return set(range(low - low % every, high + 1, every))
        case Landmark():
            results = range(low - low % kind.every, high + 1, kind.every)
            return {*(results if ends else ()), kind.at}
        case _:
            return set()


def bound(low: int, high: int, *, in_order: bool = False) -> StateSize:
    """The most slices and tuples that may be held (proofs/scotty.md, M6, F1).

    From the lateness limit to the youngest event, and as far back as the longest window, a slice
    lies between two edges of one aggregate's windows, or two gaps. In order it begins where a
    window does, and one session of a kind is open. A count window keeps as many
    tuples as it holds, besides those that are not final; there is at most one an instant.
    """
    slices = tuples = 0
    first, events = low - LONGEST, high - low + 1
    for kinds in WINDOWS.values():
        timed = [
            kind for kind in kinds if kind.measure is TIME and not isinstance(kind, LastNEvery)
        ]
        times = {edge for kind in timed for edge in edges(kind, first, high, ends=not in_order)}
        gaps = [kind.gap for kind in timed if isinstance(kind, Session)]
        slices += sum(first <= edge <= high for edge in times) + 2
        slices += len(gaps) if in_order else (high - first) // min(gaps) + 1 if gaps else 0
    for kind in chain.from_iterable(WINDOWS.values()):
        if isinstance(kind, LastNEvery):
            tuples += kind.n + kind.every + events
            slices += 2 * ((high - first) // kind.every + 1)
        if isinstance(kind, Sliding) and kind.measure is COUNT:
            tuples += kind.size + events
            slices += 2 * ((kind.size + events) // kind.slide + 1)
    return StateSize(slices, tuples)


def stream(seed: int, *, in_order: bool) -> Iterator[Event]:
    """Yield events without end, about one an instant."""
    random, time = Random(seed), 0  # noqa: S311 - it need not be secret
    while True:
        time += 1 if random.random() > PAUSE_SHARE else PAUSE
        late = not in_order and random.random() < LATE_SHARE
        yield Event(time - random.randrange(DELAY) if late else time, random.randrange(100))


@dataclass
class SoakReport:
    """The measurements of a run."""

    events: int = 0
    late: int = 0
    results: int = 0
    counted_events: int = 0
    seconds: float = 0.0
    peak_share: float = 0.0  # the most slices as a share of their bound
    peak: StateSize = NOTHING
    memory: list[int] = field(default_factory=list[int])
    _emitted_counts: dict[int, int] = field(default_factory=dict[int, int])

    def record(self, output: Output) -> None:
        """Count an output; an updated window replaces its earlier result."""
        self.late += len(output.late)
        self.results += len(output.results)
        for result in output.results:
            if result.query == CHECKED and isinstance(result.value, int):
                self.counted_events += result.value - self._emitted_counts.get(result.start, 0)
                self._emitted_counts[result.start] = result.value
        for start in list(self._emitted_counts)[:-LONGEST]:
            del self._emitted_counts[start]

    def check(self, operator: Operator, limit: int, newest: int, *, in_order: bool) -> None:
        """Compare the state of the operator with its bound."""
        now, most = state_size(operator), bound(limit, newest, in_order=in_order)
        assert now
        assert now.slices <= most.slices, (self.events, now, most)
        assert now.tuples <= most.tuples, (self.events, now, most)
        self.peak_share = max(self.peak_share, now.slices / most.slices)
        self.peak = StateSize(max(now.slices, self.peak.slices), max(now.tuples, self.peak.tuples))

    def memory_drift(self) -> float:
        """The growth of memory from the second tenth of the run to the last, in MB."""
        tenth = len(self.memory) // 10
        if not tenth:
            return 0.0
        return (max(self.memory[-tenth:]) - max(self.memory[tenth : 2 * tenth])) / MEGABYTE

    def __str__(self) -> str:
        """The report in a line."""
        return (
            f"{self.events} events ({self.late} late), {self.results} results, "
            f"{self.events / max(self.seconds, 0.001):.0f} events a second; at most "
            f"{self.peak.slices} slices ({self.peak_share:.0%} of the bound), {self.peak.tuples} "
            f"tuples; memory {max(self.memory) / MEGABYTE:.1f} MB at most, drift "
            f"{self.memory_drift():+.1f} MB"
        )


def resident_bytes() -> int:
    """The resident memory of the process, in bytes."""
    statistics = Path("/proc/self/statm")
    if statistics.exists():
        return int(statistics.read_text().split()[1]) * getpagesize()
    return getrusage(RUSAGE_SELF).ru_maxrss * 1024


def run_soak(
    build: Callable[[Settings], Operator], events: int, *, in_order: bool, watch: bool = False
) -> SoakReport:
    """Process this many events in steps of a thousand; check the bound after every step."""
    operator = build(Settings(LATENESS, in_order=in_order))
    for query in QUERIES:
        operator.add(query)
    source, seen, newest = stream(1, in_order=in_order), SoakReport(), 0
    while seen.events < events:
        batch = list(islice(source, min(BATCH, events - seen.events)))
        newest = max(newest, *(event.time for event in batch))
        watermark = newest if in_order else newest - LAG
        start = process_time()
        output = operator.step(batch, watermark)
        seen.seconds += process_time() - start
        seen.events += len(batch)
        seen.record(output)
        seen.check(operator, watermark - LATENESS, newest, in_order=in_order)
        if seen.events // BATCH % max(1, events // BATCH // SAMPLES) == 0:
            seen.memory.append(resident_bytes())
            if watch:
                sys.stderr.write(f"{seen}\n")
    seen.record(operator.step([], END))
    assert seen.counted_events == seen.events - seen.late
    return seen


def builder_of(name: str) -> Callable[[Settings], Operator]:
    """The function that builds the operator of this name."""
    return next(entry.build for entry in OPERATORS if entry.name == name)


def main(arguments: list[str] | None = None) -> int:
    """Soak the requested operators, and print the reports."""
    parser = argparse.ArgumentParser(
        description="Check the state and memory of operators in a long stream."
    )
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--with", dest="names", action="append", metavar="NAME")
    parser.add_argument("--order", choices=["in", "out", "both"], default="both")
    options = parser.parse_args(arguments)
    for name in options.names or ["scotty-lazy"]:
        for order in ("in", "out") if options.order == "both" else (options.order,):
            seen = run_soak(builder_of(name), options.events, in_order=order == "in", watch=True)
            sys.stdout.write(f"{name}, {order} order: {seen}\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
