"""Claims about slicing, and the figures that decide them."""

from collections.abc import Iterator

from rounds.report import Claim
from slicing_rounds.implementations import BUCKETS, READABLE
from slicing_rounds.results import SlicingResults

FLAT, FASTER_BY, UNAFFECTED = 1.5, 10.0, 2.0
LARGEST = "100"


def _listed(line: dict[str, float]) -> str:
    return ", ".join(f"{place}: {rate:,.0f}".replace(",", " ") for place, rate in line.items())


def flat(results: SlicingResults) -> Iterator[Claim]:
    """Throughput does not fall from 1 to 100 concurrent windows (Figures 13 and 14)."""
    for figure, _ in results.figures:
        if figure.along != "concurrent windows" or figure.name == "21":
            continue
        line = results.rates(figure.name).get(READABLE, {})
        line = {place: rate for place, rate in line.items() if int(place) <= int(LARGEST)}
        spread = max(line.values()) / min(line.values()) if LARGEST in line else float("inf")
        yield Claim(
            spread <= FLAT,
            f"{READABLE}, {figure.title}: flat from 1 to {LARGEST} concurrent windows, "
            f"within {FLAT}x",
            f"{spread:.2f}x ({_listed(line)} tuples/s)",
        )


def faster(results: SlicingResults) -> Iterator[Claim]:
    """Ten times the throughput of buckets at 100 concurrent windows (Figures 13 and 14)."""
    for figure in ("13", "14"):
        ours = results.rate(figure, READABLE, LARGEST)
        rates = {name: results.rate(figure, name, LARGEST) for name in BUCKETS}
        theirs = {name: rate for name, rate in rates.items() if rate}
        factors = {name: ours / rate for name, rate in theirs.items()}
        yield Claim(
            bool(factors) and min(factors.values()) >= FASTER_BY,
            f"{READABLE}, figure {figure}: at least {FASTER_BY:.0f}x buckets at {LARGEST} windows",
            ", ".join(f"{factor:.1f}x {name}" for name, factor in factors.items()) or "no buckets",
        )


def disorder(results: SlicingResults) -> Iterator[Claim]:
    """The share of disorder, and its delay, do not matter (Figure 17)."""
    for figure, what in (("17a", "share of disorder"), ("17b", "delay of disorder")):
        line = results.rates(figure).get(READABLE, {})
        spread = max(line.values()) / min(line.values()) if len(line) > 1 else float("inf")
        yield Claim(
            spread <= UNAFFECTED,
            f"{READABLE}: unaffected by the {what}, within {UNAFFECTED:.0f}x",
            f"{spread:.2f}x ({_listed(line)} tuples/s)",
        )


def claims(results: SlicingResults) -> list[Claim]:
    """All claims."""
    return [claim for part in (flat, faster, disorder) for claim in part(results)]
