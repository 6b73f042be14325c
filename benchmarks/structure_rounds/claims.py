"""Claims about the structures, and the figures that decide them."""

from collections.abc import Iterator
from math import inf, log2

from rounds.report import Claim
from structure_rounds.break_even import CASES
from structure_rounds.implementations import ARITIES
from structure_rounds.results import (
    CLASSIC,
    FINGERS,
    OPERATORS,
    SMALL_DISTANCES,
    StructureResults,
    fit,
)

FLAT = 1.5
FLAT_FROM = 2**8
NEAR_THE_END = 16
"""A distance is far from the other end if the window is that many times larger: beyond, repairs
end at the root instead of walking down a spine, as section 5.1.2 of [Tangwongsan19] explains."""
CORRELATION = 0.95
FEWEST_LEVELS = 3
CLEARLY = 1.5
IN_ORDER_ONLY = ("two-stacks", "two-stacks-lite", "daba", "daba-lite")
WITHOUT_BREAK_EVEN = ("Count", "Collect")
LEAST_EVEN, LARGEST_EVEN = 10, 370
"""The smallest and the largest break-even point in Table 3 of [Tangwongsan15]."""


def flat(results: StructureResults) -> Iterator[Claim]:
    """FiBA in order costs the same in every window."""
    for operator in OPERATORS:
        for finger in FINGERS:
            sizes = [size for size in results.sizes(operator) if size >= FLAT_FROM]
            costs = {size: results.ns(operator, finger, size, 0) for size in sizes}
            spread = max(costs.values()) / min(costs.values())
            yield Claim(
                spread <= FLAT,
                f"{finger}, {operator}: flat in n at d = 0, n = 2^8 to "
                f"2^{log2(max(costs)):.0f}, within {FLAT}x",
                f"{spread:.2f}x ({min(costs.values()):.0f} to {max(costs.values()):.0f} ns)",
            )


def logarithmic(results: StructureResults) -> Iterator[Claim]:
    """FiBA out of order: a line over log2 of the distance, but for the steps that levels make."""
    for finger, arity in zip(FINGERS, ARITIES, strict=True):
        for operator in (*OPERATORS, "combines"):
            if operator == "combines":
                costs, size = results.combines_by_distance(finger), results.widest("sum")
            else:
                costs, size = results.by_distance(operator, finger), results.widest(operator)
            line = {log2(d): c for d, c in costs.items() if 0 < d <= size / NEAR_THE_END}
            if max(line, default=0) < FEWEST_LEVELS * log2(2 * arity):
                continue  # too few steps for a line
            offset, slope, farthest, correlated = fit(line)
            level = slope * log2(2 * arity)
            yield Claim(
                slope > 0 and farthest <= level and correlated >= CORRELATION,
                f"{finger}, {operator}: follows log d from d = 1 to 2^{max(line):.0f}: correlation "
                f"at least {CORRELATION}, off the line by a level of the tree at most",
                f"{_figure(offset)} + {_figure(slope)} log2 d, correlation {correlated:.3f}, "
                f"{farthest / level:.2f} levels off",
            )


def _figure(value: float) -> str:
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"  # noqa: PLR2004 three digits


def beats_classic(results: StructureResults) -> Iterator[Claim]:
    """FiBA against the classic tree of the same arity, at small distances (Figure 11)."""
    for finger, classic in zip(FINGERS, CLASSIC, strict=True):
        for operator in OPERATORS:
            ours, theirs = (results.by_distance(operator, name) for name in (finger, classic))
            factors = [theirs[d] / ours[d] for d in SMALL_DISTANCES]
            yield Claim(
                min(factors) > 1,
                f"{finger} beats {classic}, {operator}, at d = 0 to {SMALL_DISTANCES[-1]}",
                ", ".join(f"{factor:.2f}x" for factor in factors),
            )
        ours, theirs = (results.combines_by_distance(name) for name in (finger, classic))
        factors = [theirs[d] / ours[d] for d in SMALL_DISTANCES]
        yield Claim(
            min(factors) > 1,
            f"{finger} beats {classic}, counted combines, at d = 0 to {SMALL_DISTANCES[-1]}",
            ", ".join(f"{factor:.2f}x" for factor in factors),
        )


def in_order(results: StructureResults) -> Iterator[Claim]:
    """The FIFO structures beat the best finger tree in every window (Figure 13)."""
    for operator in OPERATORS:
        for name in IN_ORDER_ONLY:
            factors = {
                size: results.ns(operator, results.best(operator, FINGERS, size, 0), size, 0)
                / results.ns(operator, name, size, 0)
                for size in results.sizes(operator)
            }
            yield Claim(
                min(factors.values()) > 1,
                f"{name} beats the best FiBA in order, {operator}, in every window",
                f"{min(factors.values()):.1f}x to {max(factors.values()):.1f}x",
            )


def break_even(results: StructureResults) -> Iterator[Claim]:
    """The Reactive Aggregator breaks even where Table 3 says, in shape."""
    printed = [case.name for case in CASES if case.printed]
    folded = [name for name in printed if name not in WITHOUT_BREAK_EVEN]
    points = {name: results.even(name).once for name in folded}
    shown = ", ".join(f"{name} {point:.0f}" for name, point in points.items())
    yield Claim(
        all(LEAST_EVEN <= point <= LARGEST_EVEN for point in points.values()),
        f"break-even of what is folded: at windows of {LEAST_EVEN} to {LARGEST_EVEN}",
        shown,
    )
    costs = {name: results.even(name).per_item for name in folded}
    pairs = [(a, b) for a in folded for b in folded if costs[a] >= CLEARLY * costs[b]]
    yield Claim(
        all(points[a] < points[b] for a, b in pairs),
        f"break-even: of two functions, one {CLEARLY} times as costly, the costlier is sooner",
        f"{len(pairs)} pairs; ns an item: " + ", ".join(f"{n} {c:.0f}" for n, c in costs.items()),
    )
    tens = {name: results.even(name).ten_times for name in folded}
    yield Claim(
        max(tens.values()) < inf and all(tens[a] < tens[b] for a, b in pairs),
        "ten times faster: everything that is folded, the costlier sooner",
        ", ".join(f"{name} {point:.0f}" for name, point in tens.items()),
    )
    yield Claim(
        results.even("Count").once == inf,
        "Count never breaks even with reading the size of the container",
        f"{results.even('Count').once:.0f}",
    )


def claims(results: StructureResults) -> list[Claim]:
    """All claims."""
    parts = (flat, logarithmic, beats_classic, in_order, break_even)
    return [claim for part in parts for claim in part(results)]
