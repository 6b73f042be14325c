"""The slicing operator over columns: `python benchmarks/columns.py`.

It prints rates, and PASS or FAIL to each claim on ratios in one run; it ends with 1 if any fails.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from time import process_time
from typing import NamedTuple

import numpy as np

from column_windows.workload import Load, rate, times


class Claim(NamedTuple):
    """A sentence, the figures that it was held against, and whether it holds."""

    sentence: str
    figures: str
    holds: bool


def reading(load: Load) -> float:
    """Return millions of events a second that are only read and added up."""
    at, values = times(replace(load, late=0.0)), np.random.default_rng(0).random(load.events)
    found: list[float] = []
    for _ in range(5):
        start = process_time()
        at.sum()
        values.sum()
        found.append(process_time() - start)
    return load.events / min(found) / 1e6


def claims(load: Load) -> Iterator[Claim]:
    """Measure, and judge."""
    by = {windows: rate(replace(load, windows=windows)) for windows in (1, 20, 100, 1000)}
    for windows, least in ((100, 0.6), (1000, 0.3)):
        share = by[windows] / by[1]
        figures = f"{by[windows]:.0f} of {by[1]:.0f} M/s, {share:.2f}"
        yield Claim(f"{windows} windows: at least {least} of one", figures, share >= least)
    order = rate(replace(load, late=0.0))
    cost = 1 - by[20] / order
    yield Claim("20 % late costs at most 25 %", f"{order:.0f} to {by[20]:.0f} M/s", cost <= 0.25)  # noqa: PLR2004 - a claim
    small = replace(load, batch=100, events=load.events // 10)
    micro = 100 / rate(small)
    yield Claim("a batch of 100 takes less than 50 us", f"{micro:.0f} us", micro < 50)  # noqa: PLR2004 - a claim
    one, scan = rate(replace(load, windows=1, late=0.0)), reading(load)
    within = scan / one
    figures = f"{one:.0f} M/s, {scan:.0f} M/s to read, {within:.1f} times"
    yield Claim("one window in order: within 3 times of reading", figures, within <= 3)  # noqa: PLR2004 - a claim
    keyed = rate(replace(load, windows=1, keys=10**6, batch=load.events // 2), 1)
    yield Claim("a million keys: at least 10 M/s", f"{keyed:.1f} M/s", keyed >= 10)  # noqa: PLR2004 - a claim


def main() -> int:
    """Run, and report."""
    events = 400_000 if "--quick" in sys.argv else 4_000_000
    load = Load(events=events)
    rate(replace(load, events=200_000))  # it compiles
    failed = 0
    for claim in claims(load):
        failed += not claim.holds
        sys.stdout.write(
            f"{'PASS' if claim.holds else 'FAIL'}  {claim.sentence}: {claim.figures}\n"
        )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
