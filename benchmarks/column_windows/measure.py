"""Throughput: each load is checked first; then loads take turns, and the best turn counts."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import process_time
from typing import NamedTuple

import numpy as np

from column_windows.workload import DELAY, Load, Stream, lengths, operator, stream
from muntin.columnar.operator import ColumnarOperator
from muntin.spec.stream import END
from rounds.clock import DisagreementError, collector_off, rotated, say

TUPLE = 16
"""Bytes of a time and a value."""


@dataclass(frozen=True)
class ColumnPlan:
    """The sizes and turns to measure."""

    events: int = 4_000_000
    small: int = 400_000
    turns: int = 5
    checked: int = 200_000
    scan: int = 2**25


QUICK = ColumnPlan(400_000, 40_000, 1, 20_000, 2**20)


class ColumnRow(NamedTuple):
    """Millions of events a second."""

    load: Load
    rate: float


class Machine(NamedTuple):
    """Millions of events a second that are read and added up, and that memory could deliver."""

    reading: float
    limit: float


def loads(plan: ColumnPlan) -> list[Load]:
    """All loads."""
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
    """The CPU time of an operator for a stream, after its first batch."""
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
    """Millions of events a second, in the best of several turns."""
    return (load.events - load.batch) / min(seconds(load) for _ in range(turns)) / 1e6


def check(load: Load, events: int) -> None:
    """Compare the sum of the windows of each query with the sum of all events."""
    fewer = replace(load, events=min(events, load.events), batch=min(load.batch, events // 2))
    given, target = stream(fewer.events, load.late, load.keys), operator(fewer)
    sums = dict.fromkeys((f"w{length}" for length in lengths(load.windows)), 0.0)
    for part, watermark in steps(fewer, given):
        _count(target, part, watermark, sums)
    _count(target, Stream(given.times[:0], given.values[:0], None), END, sums)
    if load.aggregate == "sum" and any(total != given.values.sum() for total in sums.values()):
        raise DisagreementError(f"{load.name}: sums of windows are {sums}")


def _count(
    target: ColumnarOperator, part: Stream, watermark: float, sums: dict[str, float]
) -> None:
    for name, lines in target.take_columns(*part, watermark).by_query().items():
        sums[name] += float(lines.value.columns[0].sum())


def reading(given: Stream) -> float:
    """The CPU time to read and add up the two columns."""
    start = process_time()
    given.times.sum()
    given.values.sum()
    return process_time() - start


def scanning(size: int) -> float:
    """The bytes a second that memory delivers to a minimum over a column."""
    column = np.ones(size, np.int64)
    best = float("inf")
    for _ in range(5):
        start = process_time()
        column.min()
        best = min(best, process_time() - start)
    return 8 * size / best


def measure_all(plan: ColumnPlan) -> tuple[list[ColumnRow], Machine]:
    """Measure all loads, and the machine in the same turns."""
    all_loads = loads(plan)
    for load in all_loads:
        check(load, plan.checked)
    say("all loads are correct")
    best, read = dict.fromkeys(all_loads, float("inf")), float("inf")
    bytes_a_second = 0.0
    for turn in range(plan.turns):
        for load in rotated(all_loads, turn):
            best[load] = min(best[load], seconds(load))
        given = stream(plan.events, 0.0, 0)
        read = min(read, *(reading(given) for _ in range(3)))
        bytes_a_second = max(bytes_a_second, scanning(plan.scan))
        say(f"turn {turn + 1} of {plan.turns}")
    rows = [ColumnRow(load, (load.events - load.batch) / best[load] / 1e6) for load in all_loads]
    return rows, Machine(plan.events / read / 1e6, bytes_a_second / TUPLE / 1e6)
