"""A long stream of columns: the arrays of the operator stay within twice its slices, and flat.

`python tests/stress/soak_columns.py` processes a billion events, a fifth of them late, for each of
some numbers of windows and keys; no event is stored.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from gc import get_referents
from time import process_time

import numpy as np

from muntin.columnar.operator import ColumnarOperator
from muntin.kernels.compiler.availability import COMPILED
from muntin.kernels.slicing.arrays import Column
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Query, Settings
from muntin.spec.windows.periodic import tumbling
from stress.soak import MEGABYTE, resident_bytes

LATENESS, SPAN, MILLION = 2000, 500_000, 10**6 if COMPILED else 40_000
"""A million events of a stream, or fewer of them over the same span of time."""
BATCH = MILLION // 50
LOADS = ((1, 0), (20, 0), (300, 0), (1, 500))
"""The numbers of windows and of keys; 0 is a stream without keys."""
SLICE = 240
"""Bytes a slice: four copies of a count and of a sum, two nodes of a tree, five numbers about it;
an edge, and at most sixteen entries of the table."""
CELL = 72
"""Bytes a cell: a key, a slice, two counts, a sum, and eight slots of a hash table."""
REACH = (SPAN // 50 + LATENESS) // 1000 + 2
"""The slices of one second that a step may need at once."""
FIXED = 2**18
"""Bytes of tables of a fixed size, and of the last windows that were emitted."""


@dataclass
class ColumnSoakReport:
    """The measurements of a run with these numbers of windows and keys."""

    windows: int
    keys: int
    events: int = 0
    slices: int = 0  # or cells, at most
    first_quarter_bytes: int = 0  # the most bytes held in the first quarter
    peak_bytes: int = 0
    seconds: float = 0.0
    memory: list[int] = field(default_factory=list[int])

    @property
    def bound(self) -> int:
        """The most bytes that may be held: twice those of the slices."""
        each = CELL if self.keys else SLICE
        return 2 * each * max(self.slices, self.keys * REACH, 1024) + FIXED

    @property
    def memory_drift(self) -> float:
        """The growth of memory from the first quarter to the end, in MB."""
        quarter = len(self.memory) // 4
        return (self.memory[-1] - max(self.memory[: quarter + 1])) / MEGABYTE

    @property
    def is_flat(self) -> bool:
        """Whether the bytes held stay within their bound, and below those of the first quarter."""
        return self.peak_bytes <= self.bound and self.peak_bytes == self.first_quarter_bytes

    def __str__(self) -> str:
        """The report in a line."""
        return (
            f"windows {self.windows}, keys {self.keys or 1}: {self.events} events, "
            f"{self.events / max(self.seconds, 0.001) / 1e6:.0f} M a second; at most {self.slices} "
            f"{'cells' if self.keys else 'slices'} in {self.peak_bytes} bytes "
            f"({self.peak_bytes / self.bound:.0%} of the bound), "
            f"{self.first_quarter_bytes} in the first quarter; "
            f"memory {max(self.memory) / MEGABYTE:.1f} MB at most, "
            f"drift {self.memory_drift:+.1f} MB"
        )


def owned_arrays(thing: object, seen: set[int]) -> Iterator[Column]:
    """Yield every array that an object of muntin holds, once."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        yield from [thing] if thing.base is None else owned_arrays(thing.base, seen)
    elif isinstance(thing, dict | list | tuple | set) or _is_muntin_object(thing):
        for referent in get_referents(thing):
            yield from owned_arrays(referent, seen)


def _is_muntin_object(thing: object) -> bool:
    return type(thing).__module__.startswith("muntin")


def held_bytes(operator: ColumnarOperator) -> int:
    """The bytes of all arrays of an operator."""
    return sum(array.nbytes for array in owned_arrays(operator, set()))


def run_soak(windows: int, keys: int, millions: int) -> ColumnSoakReport:
    """Process millions of events, and measure the bytes held after each million."""
    operator = ColumnarOperator(Settings(LATENESS), method="compiled")
    for length in np.linspace(1000, 20_000, windows).astype(int).tolist():
        operator.add(Query(f"w{length}", tumbling(length), named("sum")))
    rng = np.random.default_rng(1)
    at = np.arange(MILLION) * SPAN // MILLION
    late = np.where(rng.random(MILLION) < 0.2, rng.integers(0, LATENESS, MILLION), 0)
    times = at[np.argsort(at + late, kind="stable")]
    ids = rng.integers(0, keys, MILLION) if keys else None
    seen = ColumnSoakReport(windows, keys)
    for million in range(millions):
        start = process_time()
        for begin in range(0, MILLION, BATCH):
            part = slice(begin, begin + BATCH)
            now = times[part] + million * SPAN
            key = None if ids is None else ids[part]
            operator.take_columns(now, times[part], key, int(now.max()) - LATENESS)
            seen.slices = max(seen.slices, operator.retained())
        seen.seconds += process_time() - start
        seen.events += MILLION
        seen.peak_bytes = max(seen.peak_bytes, held_bytes(operator))
        seen.first_quarter_bytes = (
            seen.peak_bytes if million == millions // 4 else seen.first_quarter_bytes
        )
        seen.memory.append(resident_bytes())
    return seen


def main(arguments: list[str] | None = None) -> int:
    """Soak the operator, and print the reports; 1 if it held too much."""
    parser = argparse.ArgumentParser(description="Check the memory of the columnar operator.")
    parser.add_argument("--events", type=int, default=10**9)
    options = parser.parse_args(arguments)
    flat = True
    for windows, keys in LOADS:
        seen = run_soak(windows, keys, max(1, options.events // MILLION))
        sys.stdout.write(f"{'PASS' if seen.is_flat else 'FAIL'}  {seen}\n")
        sys.stdout.flush()
        flat &= seen.is_flat
    return 0 if flat else 1


if __name__ == "__main__":
    sys.exit(main())
