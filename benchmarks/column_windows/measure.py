"""Throughput of a load: engines take turns over the same batches, and the best turn counts."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from time import process_time
from typing import NamedTuple

import numpy as np

from column_windows.engine import BatchConsumer, engine, step, sums
from column_windows.grid import Plan
from column_windows.limit import OneSlice
from column_windows.workload import GAP, Batch, Load, batches, last_batch, lengths, stream
from rounds.clock import DisagreementError, collector_off, say

WARM_BATCH, WARM_STEPS = 2000, 10
MOST_STEPS = {1: 20_000, 10: 20_000, 100: 8000, 2000: 500}
SINGLE_KEY_ROWS = 4
"""How many times the rows one key and large batches have: they are over too soon."""
ENOUGH = 4
"""How many times the time of a turn may be spent, warm-up too, for another turn to follow."""
CHUNK_ROWS, CHUNK_STEPS = 4000, 100
"""The clock is read after so much."""


class Mark(NamedTuple):
    """The rows, the seconds of CPU and the results since the warm-up."""

    rows: int
    seconds: float
    results: int


class LoadFigures(NamedTuple):
    """Rows a second of an engine, of the one that it is compared with, and of the limit."""

    load: Load
    rate: float
    other: float | None
    limit: float
    results: float

    @property
    def gain(self) -> float | None:
        """How many times as fast as the other engine."""
        return None if self.other is None else self.rate / self.other

    @property
    def cost(self) -> float:
        """How many times as long as the loop for the same rows."""
        return self.limit / self.rate


def total_rows(load: Load, plan: Plan) -> int:
    """The rows of the stream of a load."""
    single = load.keys == 1 and load.batch > max(MOST_STEPS)
    return load.warm_up + load.batch * WARM_STEPS + plan.rows * (SINGLE_KEY_ROWS if single else 1)


def chunks(load: Load, plan: Plan) -> tuple[list[Batch], list[list[Batch]]]:
    """The batches of the warm-up, and those that are measured, in groups between two marks."""
    rows = total_rows(load, plan)
    warm_batch = max(load.batch, WARM_BATCH)
    warm_rows = -(-load.warm_up // warm_batch) * warm_batch
    warm = list(batches(load, warm_rows, warm_batch))
    few = min(WARM_STEPS, plan.rows // (10 * load.batch))
    warm += batches(load, warm_rows + few * load.batch, first=warm_rows)
    first = warm_rows + few * load.batch
    given = batches(load, rows, first=first)
    steps = list(islice(given, MOST_STEPS.get(load.batch)))
    size = max(1, min(CHUNK_STEPS, CHUNK_ROWS // load.batch))
    return warm, [steps[i : i + size] for i in range(0, len(steps), size)]


def marks(
    target: BatchConsumer, warm: Sequence[Batch], groups: Sequence[Sequence[Batch]], limit: float
) -> list[Mark]:
    """Run until the seconds are over, or the stream is."""
    for batch in warm:
        target.take_columns(*batch)
    rows, seconds, results = 0, 0.0, 0
    reached: list[Mark] = []
    take = target.take_columns
    for group in groups:
        start = process_time()
        for times, values, keys, watermark in group:
            results += len(take(times, values, keys, watermark))
        seconds += process_time() - start
        rows += sum(len(batch[0]) for batch in group)
        reached.append(Mark(rows, seconds, results))
        if seconds > limit:
            break
    return reached


def best(turns: Sequence[Sequence[Mark]]) -> Mark:
    """The fastest turn, up to the last mark that all turns have reached.

    >>> best([[Mark(10, 2.0, 1), Mark(20, 9.0, 2)], [Mark(10, 3.0, 1)]])
    Mark(rows=10, seconds=2.0, results=1)
    """
    last = min(len(turn) for turn in turns) - 1
    return min((turn[last] for turn in turns), key=lambda mark: mark.seconds)


def check_counts(load: Load, turns: Sequence[Sequence[Mark]]) -> None:
    """Compare the results of all turns at each mark that they have in common."""
    for place in zip(*turns, strict=False):
        counts = {mark.results for mark in place}
        if len(counts) > 1:
            raise DisagreementError(
                f"{load.name}: after {place[0].rows:,} rows there are {counts} results"
            )


def measure(load: Load, paths: Sequence[str], plan: Plan) -> LoadFigures:
    """Rates of one or two engines and of the limit, in turns."""
    turns: list[list[list[Mark]]] = [[] for _ in paths]
    loop: list[list[Mark]] = []
    bare = replace(load, distribution="even") if load.distribution == "text" else load
    batches_of = {one: chunks(one, plan) for one in {load, bare}}
    with collector_off():
        spent = dict.fromkeys(paths, 0.0)
        for _ in range(plan.turns):
            for path, reached in zip(paths, turns, strict=True):
                if spent[path] <= ENOUGH * plan.seconds:
                    start = process_time()
                    reached.append(marks(engine(path, load), *batches_of[load], plan.seconds))
                    spent[path] += process_time() - start
            loop.append(marks(OneSlice(bare), *batches_of[bare], plan.seconds / 5))
    check_counts(load, [reached for one in turns for reached in one])
    mine, *others = [best(reached) for reached in turns]
    limit = best(loop)
    return LoadFigures(
        load,
        mine.rows / mine.seconds,
        others[0].rows / others[0].seconds if others else None,
        limit.rows / limit.seconds,
        mine.results / mine.rows,
    )


def check(load: Load, path: str, rows: int) -> None:
    """Compare the windows of each query, and the sum of their values, with plain arrays."""
    target = engine(path, load, "final")
    expected = {name: (n, float(total)) for name, n, total in expectations(load, rows)}
    count, totals = 0, dict.fromkeys(expected, 0.0)
    for batch in [*batches(load, rows), last_batch(load)]:
        results = step(target, batch)
        count += len(results)
        for name, total in sums(results).items():
            totals[name] += total
    if load.aggregate == "sum" and totals != {name: total for name, (_, total) in expected.items()}:
        raise DisagreementError(f"{load.name}: the sums are {totals}, and should be {expected}")
    if count != sum(n for n, _ in expected.values()):
        raise DisagreementError(f"{load.name}: there are {count} results, and should be {expected}")


def expectations(load: Load, rows: int) -> list[tuple[str, int, float]]:
    """For each query its name, how many windows there are, and the sum of all values."""
    rows -= rows % load.batch
    times, values, keys = stream(rows, load.disorder, load.keys, load.distribution)
    names, numbers = np.unique(np.zeros(rows) if keys is None else keys, return_inverse=True)
    total = float(values[:rows].sum())
    ended = [
        (f"w{n}", len(np.unique(times // n * len(names) + numbers)), total)
        for n in lengths(load.windows)
    ]
    if load.session:
        order = np.lexsort((times, numbers))
        gaps, changes = np.diff(times[order]) >= GAP, np.diff(numbers[order]) > 0
        ended.append(("session", 1 + int((gaps | changes).sum()), total))
    return ended


def check_all(loads: Sequence[Load], path: str, rows: int) -> None:
    """Check each kind of stream and query once, in batches of 2,000."""
    kinds = {
        replace(load, batch=WARM_BATCH): None for load in loads if load.windows * load.keys <= rows
    }
    for load in kinds:
        check(load, path, rows)
    say(f"{len(kinds)} loads have the windows and the sums that they should have")


def measure_all(loads: Sequence[Load], paths: Sequence[str], plan: Plan) -> list[LoadFigures]:
    """Measure all loads."""
    measured: list[LoadFigures] = []
    for k, load in enumerate(sorted(loads, key=order_of_streams)):
        measured.append(measure(load, paths, plan))
        one = measured[-1]
        ratio = "" if one.gain is None else f", {one.gain:.2f} times the other"
        say(f"{k + 1} of {len(loads)}: {load.name}: {one.rate / 1e6:.3f} M/s{ratio}")
    return measured


def order_of_streams(load: Load) -> tuple[object, ...]:
    """Loads over one stream come together, since a few streams are kept."""
    return load.disorder, load.distribution, load.keys, load.batch, load.session, load.windows
