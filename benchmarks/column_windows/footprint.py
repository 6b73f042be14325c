"""Memory, and calls of Python in a step: `python -m column_windows.footprint ENGINE LOAD`."""

import gc
import json
import os
import subprocess
import sys
import tracemalloc
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from column_windows.engine import ColumnEngine, engine, step
from column_windows.workload import DELAY, DISORDERS, GAP, Load, batches, lengths, stream

STEPS = 40
FEW_KEYS = 10
PEAK = "VmHWM:"
FOLDER = Path(__file__).parents[1]


class Footprint(NamedTuple):
    """What an engine has after a stream: peak memory, live bytes, and the cells in use."""

    load: Load
    peak: int
    live: int
    cells: int


class Calls(NamedTuple):
    """The most functions of Python, and of C, that Python calls in a step."""

    load: Load
    python: int
    native: int


def peak_memory() -> int:
    """The greatest memory of this process since `forget_peak`, in bytes; 0 if not on Linux."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith(PEAK))


def forget_peak() -> None:
    """Let `peak_memory` start anew, where the system can."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def run(path: str, load: Load, rows: int) -> ColumnEngine:
    """An engine after the first rows of a stream."""
    target = engine(path, load)
    for batch in batches(load, rows):
        step(target, batch)
    return target


def live_cells(load: Load, rows: int) -> int:
    """The pairs of key and slice that a window needs which may still change, and the sessions."""
    rows -= rows % load.batch
    times, _, keys = stream(rows, load.disorder, load.keys, load.distribution)
    limit = int(times.max()) - DELAY - DISORDERS[load.disorder].lateness
    first = min(limit // length * length for length in lengths(load.windows))
    needed = times >= first
    edges = {
        k for n in lengths(load.windows) for k in range(first // n * n, int(times.max()) + n, n)
    }
    slices = np.searchsorted(np.array(sorted(edges)), times[needed], "right")
    numbers = np.zeros(rows) if keys is None else np.unique(keys, return_inverse=True)[1]
    cells = len(np.unique(slices * (load.keys + 1) + numbers[needed]))
    return cells + (len(np.unique(numbers[times >= limit - GAP])) if load.session else 0)


def footprint(path: str, load: Load) -> Footprint:
    """Measure the memory of one engine in this process, which compiles before, with few keys."""
    rows = 2 * load.warm_up
    run(path, replace(load, keys=min(load.keys, FEW_KEYS)), rows)
    stream(rows, load.disorder, load.keys, load.distribution)
    gc.collect()
    forget_peak()
    before = peak_memory()
    run(path, load, rows)
    peak = peak_memory() - before
    gc.collect()
    tracemalloc.start()
    target = run(path, load, rows)
    gc.collect()
    live, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del target
    return Footprint(load, peak, live, live_cells(load, rows))


def calls(path: str, load: Load) -> Calls:
    """Count the calls of steps on warm code."""
    rows = load.warm_up - load.warm_up % load.batch
    target = run(path, load, rows)
    each: list[Counter[str]] = []

    def count(_: object, event: str, __: object) -> None:
        each[-1][event] += 1

    for batch in batches(load, rows + STEPS * load.batch, first=rows):
        each.append(Counter())
        take = target.take_columns
        sys.setprofile(count)
        take(*batch)
        sys.setprofile(None)
    return Calls(
        load,
        max(counter["call"] for counter in each),
        max(counter["c_call"] for counter in each) - 1,  # which ends the count
    )


def footprints(path: str, loads: Sequence[Load]) -> Iterator[Footprint]:
    """Yield the footprint of each load, measured in a process of its own."""
    inherited = [os.environ.get("PYTHONPATH", ""), *sys.path]
    folders = os.pathsep.join([f"{FOLDER}", *filter(None, inherited)])
    for load in loads:
        done = subprocess.run(  # noqa: S603 - our own words
            [sys.executable, "-m", __spec__.name if __spec__ else __name__, path, repr_of(load)],
            check=True,
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": folders},
        )
        peak, live, cells = json.loads(done.stdout)
        yield Footprint(load, peak, live, cells)


def repr_of(load: Load) -> str:
    """A load as JSON."""
    return json.dumps(asdict(load))


def footprint_loads(keys: Sequence[int]) -> list[Load]:
    """The loads of which memory is measured."""
    return [replace(Load(keys=k), session=session) for session in (False, True) for k in keys]


def calls_loads(windows: Sequence[int], keys: Sequence[int]) -> list[Load]:
    """The loads of which calls are counted."""
    axes = [Load(windows=n) for n in windows] + [Load(keys=k) for k in keys if k > 1]
    some = [k for k in keys if k > 1][1:2]
    sessions = [Load(session=True), *(Load(session=True, keys=k) for k in some)]
    return [*dict.fromkeys([*axes, *sessions, Load(batch=1)])]


def are_constant(counted: Sequence[Calls]) -> bool:
    """Whether a step makes as many calls of Python whatever the load.

    >>> are_constant([Calls(Load(), 7, 1), Calls(Load(), 7, 2)])
    True
    """
    return all(a.python == b.python for a, b in pairwise(counted))


if __name__ == "__main__":
    measured = footprint(sys.argv[1], Load(**json.loads(sys.argv[2])))
    sys.stdout.write(json.dumps(measured[1:]))
