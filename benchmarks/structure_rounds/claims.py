"""What must hold, with the figures that say whether it does."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, log2

from structure_rounds.break_even import CASES
from structure_rounds.results import CLASSIC, FINGERS, OPERATORS, SMALL_DISTANCES, Results, fit

FLAT = 1.5
FLAT_FROM = 2**8
OFF_THE_LINE = 0.25
IN_ORDER_ONLY = ("two-stacks", "two-stacks-lite", "daba", "daba-lite")
WITHOUT_BREAK_EVEN = ("Count", "Collect")
LEAST_EVEN, LARGEST_EVEN = 10, 370
"""The smallest and the largest break-even point in Table 3 of [Tangwongsan15]."""


@dataclass(frozen=True)
class Claim:
    """A sentence, whether it holds, and the figures that say so."""

    holds: bool
    sentence: str
    figures: str


def flat(results: Results) -> Iterator[Claim]:
    """FiBA in order costs the same in every window."""
    for operator in OPERATORS:
        for finger in FINGERS:
            costs = {
                size: ns
                for size, ns in results.by_size(operator, finger).items()
                if size >= FLAT_FROM
            }
            spread = max(costs.values()) / min(costs.values())
            yield Claim(
                spread <= FLAT,
                f"{finger}, {operator}: flat in n at d = 0, n = 2^8 to "
                f"2^{log2(max(costs)):.0f}, within {FLAT}x",
                f"{spread:.2f}x ({min(costs.values()):.0f} to {max(costs.values()):.0f} ns)",
            )


def logarithmic(results: Results) -> Iterator[Claim]:
    """FiBA out of order costs a line over log2 of the distance, in time and in combines."""
    for finger in FINGERS:
        for operator in (*OPERATORS, "combines"):
            costs = (
                results.combines_by_distance(finger)
                if operator == "combines"
                else results.by_distance(operator, finger)
            )
            line = {log2(distance): cost for distance, cost in costs.items() if distance}
            offset, slope, off = fit(line)
            yield Claim(
                slope > 0 and off <= OFF_THE_LINE,
                f"{finger}, {operator}: follows log d from d = 1 to 2^{max(line):.0f}, within "
                f"{OFF_THE_LINE:.0%} of a line",
                f"{offset:.4g} + {slope:.3g} log2 d, at most {off:.0%} off",
            )


def beats_classic(results: Results) -> Iterator[Claim]:
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


def dearer_gains_more(results: Results) -> Iterator[Claim]:
    """The dearest operator gains most from the fingers, as in Figure 11."""
    gains: dict[str, float] = {}
    for operator in OPERATORS:
        size = results.widest("bloom")
        ours = results.best(operator, FINGERS, size, 0)
        theirs = ours.replace("fiba", "btree")
        gains[operator] = results.ns(operator, theirs, size, 0) / results.ns(
            operator, ours, size, 0
        )
    yield Claim(
        gains["bloom"] >= max(gains.values()),
        "the best finger tree gains most over its classic tree where the combine is expensive",
        ", ".join(f"{operator} {gain:.2f}x" for operator, gain in gains.items()),
    )


def in_order(results: Results) -> Iterator[Claim]:
    """The FIFO structures beat the best finger tree in every window (Figure 13)."""
    for operator in OPERATORS:
        for name in IN_ORDER_ONLY:
            factors = {
                size: results.ns(operator, results.best(operator, FINGERS, size, 0), size, 0) / ns
                for size, ns in results.by_size(operator, name).items()
            }
            yield Claim(
                min(factors.values()) > 1,
                f"{name} beats the best FiBA in order, {operator}, in every window",
                f"{min(factors.values()):.1f}x to {max(factors.values()):.1f}x",
            )


def break_even(results: Results) -> Iterator[Claim]:
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
    dear = [points[name] for name in ("ArithmeticMean", "SampleStdDev")]
    cheap = [points[name] for name in ("Sum", "Sum<Double>", "Max", "Max<Double>")]
    yield Claim(
        max(dear) < min(cheap),
        "break-even: the costlier the function, the sooner (mean, deviation before sum, max)",
        f"{max(dear):.0f} < {min(cheap):.0f}",
    )
    tens = {name: results.even(name).ten_times for name in folded}
    grown = [tens[name] / points[name] for name in folded]
    yield Claim(
        max(grown) < inf and max(tens["ArithmeticMean"], tens["SampleStdDev"]) < tens["Sum"],
        "ten times faster: at moderate windows, and sooner for the costlier",
        ", ".join(f"{name} {point:.0f}" for name, point in tens.items()),
    )
    yield Claim(
        results.even("Count").once == inf,
        "Count never breaks even with reading the size of the container",
        f"{results.even('Count').once:.0f}",
    )


def claims(results: Results) -> list[Claim]:
    """Return all of them."""
    parts = (flat, logarithmic, beats_classic, dearer_gains_more, in_order, break_even)
    return [claim for part in parts for claim in part(results)]
