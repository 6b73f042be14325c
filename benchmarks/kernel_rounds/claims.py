"""Claims about the kernels, and the figures that decide them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from math import log2
from tempfile import TemporaryDirectory

from kernel_rounds.measure import MAIN, READABLE, KernelRow
from rounds.report import Claim

FLAT, FASTER, WARM = 1.5, 100, 0.5
FLAT_UP_TO = 2**20
"""The widest window whose cost is claimed to be that of the smallest: beyond, caches end."""
AT_MOST = {16: 4.0, 1024: 10.0}

FIRST_CALL = """
from time import process_time
start = process_time()
from muntin.kernels.aggregator.numeric_catalogue import numeric_aggregate
from muntin.kernels.aggregator.column_window import ColumnWindow
window = ColumnWindow(numeric_aggregate("sum", "int"))
window.replay_rounds([0], [1], [2])
print(process_time() - start)
"""


def cost(rows: list[KernelRow], implementation: str, size: int, distance: int) -> float:
    """The measured nanoseconds of a cell."""
    return next(r.ns for r in rows if r[:3] == (implementation, size, distance))


def claims(rows: list[KernelRow]) -> Iterator[Claim]:
    """Yield each claim, decided by the rows."""
    sizes = sorted({row.size for row in rows})
    flat = [size for size in sizes if size <= FLAT_UP_TO]
    in_order = [cost(rows, MAIN, size, 0) for size in flat]
    spread = max(in_order) / min(in_order)
    yield Claim(
        spread <= FLAT,
        f"{MAIN}: flat in n at d = 0, n = 2^{log2(flat[0]):.0f} to 2^{log2(flat[-1]):.0f}, "
        f"within {FLAT}x",
        f"{spread:.2f}x ({min(in_order):.1f} to {max(in_order):.1f} ns)",
    )
    for distance, most in AT_MOST.items():
        at = [row for row in rows if row.implementation == MAIN and row.distance == distance]
        times = [row.ns / cost(rows, MAIN, row.size, 0) for row in at]
        if times:
            figures = ", ".join(f"{x:.1f}x" for x in times)
            sentence = f"{MAIN}: at d = {distance} at most {most:.0f}x the cost at d = 0"
            yield Claim(max(times) <= most, sentence, figures)
    faster = [cost(rows, READABLE, size, 0) / cost(rows, MAIN, size, 0) for size in sizes]
    yield Claim(
        min(faster) >= FASTER,
        f"{MAIN}: at least {FASTER}x as fast as the readable FiBA, in order",
        ", ".join(f"{x:.0f}x" for x in faster),
    )


def first_calls(script: str) -> Iterator[float]:
    """Yield the seconds to the first answer of a process that compiles, and of a second one.

    The second one reads the caches of Python and Numba, whatever the environment of this process.
    """
    inherited = {
        name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    with TemporaryDirectory() as folder:
        places = dict.fromkeys(("MUNTIN_KERNELS", "NUMBA_CACHE_DIR", "PYTHONPYCACHEPREFIX"), folder)
        for _ in range(2):
            done = subprocess.run(  # noqa: S603 - our own words
                [sys.executable, "-c", script],
                check=True,
                capture_output=True,
                text=True,
                env=inherited | places,
            )
            yield float(done.stdout)


def warm_start(script: str = FIRST_CALL) -> Claim:
    """The claim that a second process compiles nothing, in seconds."""
    cold, warm = first_calls(script)
    return Claim(
        warm < WARM,
        f"a second process has its first answer within {WARM} s, imports included",
        f"{warm:.2f} s; the first one compiled, in {cold:.1f} s",
    )
