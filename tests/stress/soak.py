"""A long stream through twenty queries: slices stay within their bound, and memory stays flat.

`python tests/stress/soak.py` is the whole of it. The stream is thought of event by event, and never
held. Memory is what the process has resident, as Linux tells it; elsewhere the most it ever had.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from resource import RUSAGE_SELF, getpagesize, getrusage
from time import process_time

from muntin.registry.state_size import StateSize, state_size
from muntin.spec.algebra.catalogue import named_keeping_nulls
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import END, Event
from muntin.spec.windows.data_driven import LastNEvery, Session
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.periodic import Cumulate, Landmark, Sliding, count, tumbling
from muntin.spec.windows.window import WindowType
from support.contenders import OPERATORS

BATCH, DELAY, LAG, LATENESS = 1000, 300, 120, 150
SHARE = 0.2
"""How much of a stream that is out of order is delayed, by up to DELAY: a few too much."""
PAUSE, SELDOM = 40, 0.001
"""How long nothing happens, and how often: there sessions end."""
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
    Query(f"{name}{nth}", kind, named_keeping_nulls(name))
    for name, kinds in WINDOWS.items()
    for nth, kind in enumerate(kinds)
]
CHECKED = "count0"
"""Tumbling windows of all time: together they count every event once."""
LONGEST = 1000


def edges(kind: WindowType, low: int, high: int, *, ends: bool = True) -> set[int]:
    """Return where windows of known edges begin or end, or only begin, from one time to another."""
    match kind:
        case Sliding():
            first = low - kind.size
            starts = range(first - first % kind.slide, high + 1, kind.slide)
            return {edge for start in starts for edge in (start, start + ends * kind.size)}
        case Cumulate():
            every = kind.step if ends else kind.size
            return set(range(low - low % every, high + 1, every))
        case Landmark():
            told = range(low - low % kind.every, high + 1, kind.every)
            return {*(told if ends else ()), kind.at}
        case _:
            return set()


def bound(low: int, high: int, *, in_order: bool = False) -> StateSize:
    """The most slices and tuples that may be held (proofs/scotty.md, M6, F1).

    From the lateness limit to the youngest event, and as far back as the longest window, a slice
    lies between two edges of one aggregate's windows, or two gaps. In order it begins where a
    window does, and one session of a kind is open. A count window keeps as many
    tuples as it holds, besides those that are not settled; there is one an instant at most.
    """
    slices = tuples = 0
    first, events = low - LONGEST, high - low + 1
    for kinds in WINDOWS.values():
        known = [one for one in kinds if one.measure is TIME and not isinstance(one, LastNEvery)]
        found = {edge for kind in known for edge in edges(kind, first, high, ends=not in_order)}
        gaps = [kind.gap for kind in known if isinstance(kind, Session)]
        slices += sum(first <= edge <= high for edge in found) + 2
        slices += len(gaps) if in_order else (high - first) // min(gaps) + 1 if gaps else 0
    for kind in (one for kinds in WINDOWS.values() for one in kinds):
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
        time += 1 if random.random() > SELDOM else PAUSE
        late = not in_order and random.random() < SHARE
        yield Event(time - random.randrange(DELAY) if late else time, random.randrange(100))


@dataclass
class Soak:
    """What was seen on the way."""

    events: int = 0
    late: int = 0
    results: int = 0
    counted: int = 0
    seconds: float = 0.0
    fullest: float = 0.0  # what was held, as a share of the bound, at most
    held: StateSize = NOTHING
    memory: list[int] = field(default_factory=list[int])
    _told: dict[int, int] = field(default_factory=dict[int, int])

    def note(self, output: Output) -> None:
        """Count what came; a window that is told again replaces what it was before."""
        self.late += len(output.late)
        self.results += len(output.results)
        for one in output.results:
            if one.query == CHECKED and isinstance(one.value, int):
                self.counted += one.value - self._told.get(one.start, 0)
                self._told[one.start] = one.value
        for start in list(self._told)[:-LONGEST]:
            del self._told[start]

    def check(self, operator: Operator, limit: int, newest: int, *, in_order: bool) -> None:
        """Hold what the operator holds against the bound."""
        now, most = state_size(operator), bound(limit, newest, in_order=in_order)
        assert now
        assert now.slices <= most.slices, (self.events, now, most)
        assert now.tuples <= most.tuples, (self.events, now, most)
        self.fullest = max(self.fullest, now.slices / most.slices)
        self.held = StateSize(max(now.slices, self.held.slices), max(now.tuples, self.held.tuples))

    def drift(self) -> float:
        """Return how much more memory the last tenth of the run had than the second, in MB."""
        tenth = len(self.memory) // 10
        if not tenth:
            return 0.0
        return (max(self.memory[-tenth:]) - max(self.memory[tenth : 2 * tenth])) / MEGABYTE

    def __str__(self) -> str:
        """Say it in a line."""
        return (
            f"{self.events} events ({self.late} late), {self.results} results, "
            f"{self.events / max(self.seconds, 0.001):.0f} events a second; at most "
            f"{self.held.slices} slices ({self.fullest:.0%} of the bound), {self.held.tuples} "
            f"tuples; memory {max(self.memory) / MEGABYTE:.1f} MB at most, drift "
            f"{self.drift():+.1f} MB"
        )


def resident() -> int:
    """Return how many bytes of memory the process has."""
    statistics = Path("/proc/self/statm")
    if statistics.exists():
        return int(statistics.read_text().split()[1]) * getpagesize()
    return getrusage(RUSAGE_SELF).ru_maxrss * 1024


def soak(
    build: Callable[[Settings], Operator], events: int, *, in_order: bool, watch: bool = False
) -> Soak:
    """Let an operator take so many events in steps of a thousand; check after every step."""
    operator = build(Settings(LATENESS, in_order=in_order))
    for query in QUERIES:
        operator.add(query)
    source, seen, newest = stream(1, in_order=in_order), Soak(), 0
    while seen.events < events:
        batch = list(islice(source, min(BATCH, events - seen.events)))
        newest = max(newest, *(event.time for event in batch))
        watermark = newest if in_order else newest - LAG
        start = process_time()
        output = operator.step(batch, watermark)
        seen.seconds += process_time() - start
        seen.events += len(batch)
        seen.note(output)
        seen.check(operator, watermark - LATENESS, newest, in_order=in_order)
        if seen.events // BATCH % max(1, events // BATCH // SAMPLES) == 0:
            seen.memory.append(resident())
            if watch:
                sys.stderr.write(f"{seen}\n")
    seen.note(operator.step([], END))
    assert seen.counted == seen.events - seen.late
    return seen


def named(name: str) -> Callable[[Settings], Operator]:
    """Return how the operator of this name is made."""
    return next(one.build for one in OPERATORS if one.name == name)


def main(arguments: list[str] | None = None) -> int:
    """Soak what was asked for, and print what was seen."""
    parser = argparse.ArgumentParser(description="Soak operators in a long stream.")
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--with", dest="names", action="append", metavar="NAME")
    parser.add_argument("--order", choices=["in", "out", "both"], default="both")
    options = parser.parse_args(arguments)
    for name in options.names or ["scotty-lazy"]:
        for order in ("in", "out") if options.order == "both" else (options.order,):
            seen = soak(named(name), options.events, in_order=order == "in", watch=True)
            sys.stdout.write(f"{name}, {order} order: {seen}\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
