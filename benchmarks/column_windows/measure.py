"""Throughput: loads take turns, each keeps its best; first, each has to be right."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import process_time
from typing import NamedTuple

import numpy as np

from column_windows.workload import DELAY, Load, Stream, lengths, operator, stream
from muntin.kernels.slicing.operator import ColumnarOperator
from muntin.spec.stream import END
from rounds.clock import DisagreementError, collector_off, say

TUPLE = 16
"""Bytes of a time and a value."""


@dataclass(frozen=True)
class Plan:
    """What to measure."""

    events: int = 4_000_000
    small: int = 400_000
    turns: int = 5
    checked: int = 200_000
    scan: int = 2**25


QUICK = Plan(400_000, 40_000, 1, 20_000, 2**20)


class Row(NamedTuple):
    """Millions of events a second."""

    load: Load
    rate: float


class Machine(NamedTuple):
    """Millions of events a second that are read and added up, and that memory could deliver."""

    reading: float
    limit: float


def loads(plan: Plan) -> list[Load]:
    """Return all loads, by name."""
    base = Load("20 windows, 20 % late", plan.events, windows=20)
    some = [
        replace(base, name=f"{n} windows, 20 % late" if n > 1 else "1 window, 20 % late", windows=n)
        for n in (1, 100, 1000)
    ]
    few = replace(base, name="batches of 100", events=plan.small, batch=100)
    many = replace(base, name="1 window, 10^6 keys", windows=1, keys=10**6, batch=plan.events // 2)
    return [
        replace(base, name="1 window, in order", windows=1, late=0.0),
        replace(base, name="20 windows, in order", late=0.0),
        base,
        *some,
        replace(base, name="20 windows, max", aggregate="max"),
        few,
        replace(few, name="batches of 10 000", events=plan.events, batch=10_000),
        many,
        replace(many, name="1 window, 10^6 keys, batches of 100 000", batch=100_000),
        replace(many, name="1 window, 1000 keys", keys=1000, batch=100_000),
    ]


def steps(load: Load, given: Stream) -> Iterator[tuple[Stream, int]]:
    """Yield batches, each with the watermark behind it."""
    seen = np.maximum.accumulate(given.times)
    for begin in range(0, load.events, load.batch):
        part = slice(begin, begin + load.batch)
        keys = None if given.keys is None else given.keys[part]
        last = min(begin + load.batch, load.events) - 1
        yield Stream(given.times[part], given.values[part], keys), int(seen[last]) - DELAY


def seconds(load: Load) -> float:
    """Return the CPU time that an operator takes for a stream, after its first batch."""
    given = list(steps(load, stream(load.events, load.late, load.keys)))
    target = operator(load)
    first, watermark = given[0]
    target.take_columns(*first, watermark)
    with collector_off():
        start = process_time()
        for part, watermark in given[1:]:
            target.take_columns(*part, watermark)
        return process_time() - start


def rate(load: Load, turns: int) -> float:
    """Return millions of events a second: the best of several turns."""
    return (load.events - load.batch) / min(seconds(load) for _ in range(turns)) / 1e6


def check(load: Load, events: int) -> None:
    """Hold the windows of each query, all together, against all events; no other holds them."""
    fewer = replace(load, events=min(events, load.events), batch=min(load.batch, events // 2))
    given, target = stream(fewer.events, load.late, load.keys), operator(fewer)
    found = dict.fromkeys((f"w{length}" for length in lengths(load.windows)), 0.0)
    for part, watermark in steps(fewer, given):
        _count(target, part, watermark, found)
    _count(target, Stream(given.times[:0], given.values[:0], None), END, found)
    if load.aggregate == "sum" and any(total != given.values.sum() for total in found.values()):
        raise DisagreementError(f"{load.name}: sums of windows are {found}")


def _count(
    target: ColumnarOperator, part: Stream, watermark: float, found: dict[str, float]
) -> None:
    for name, lines in target.take_columns(*part, watermark).by_query().items():
        found[name] += float(lines.value.columns[0].sum())


def reading(given: Stream) -> float:
    """Return the CPU time in which the two columns are read and added up."""
    start = process_time()
    given.times.sum()
    given.values.sum()
    return process_time() - start


def scanning(size: int) -> float:
    """Return the bytes a second that come out of memory, when nothing is done with them."""
    column = np.ones(size, np.int64)
    best = float("inf")
    for _ in range(5):
        start = process_time()
        column.min()
        best = min(best, process_time() - start)
    return 8 * size / best


def measured(plan: Plan) -> tuple[list[Row], Machine]:
    """Measure all loads, and the machine in the same turns."""
    entered = loads(plan)
    for load in entered:
        check(load, plan.checked)
    say("all are right")
    best, read = dict.fromkeys(entered, float("inf")), float("inf")
    bytes_a_second = 0.0
    for turn in range(plan.turns):
        for load in _turned(entered, turn):
            best[load] = min(best[load], seconds(load))
        given = stream(plan.events, 0.0, 0)
        read = min(read, *(reading(given) for _ in range(3)))
        bytes_a_second = max(bytes_a_second, scanning(plan.scan))
        say(f"turn {turn + 1} of {plan.turns}")
    rows = [Row(load, (load.events - load.batch) / best[load] / 1e6) for load in entered]
    return rows, Machine(plan.events / read / 1e6, bytes_a_second / TUPLE / 1e6)


def _turned(entered: Sequence[Load], turn: int) -> list[Load]:
    first = turn % len(entered)
    return [*entered[first:], *entered[:first]]
