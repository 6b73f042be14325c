"""What must hold of slicing, with the figures that say whether it does."""

from collections.abc import Iterator

from rounds.claim import Claim
from slicing_rounds.contenders import BUCKETS, READABLE
from slicing_rounds.results import Results

FLAT, MANY_TIMES, UNAFFECTED = 1.5, 10.0, 2.0
MANY = "100"


def _listed(line: dict[str, float]) -> str:
    return ", ".join(f"{place}: {rate:,.0f}".replace(",", " ") for place, rate in line.items())


def flat(results: Results) -> Iterator[Claim]:
    """Throughput does not fall from 1 to 100 concurrent windows (Figures 13 and 14)."""
    for figure, _ in results.found:
        if figure.along != "concurrent windows" or figure.name == "21":
            continue
        line = results.rates(figure.name).get(READABLE, {})
        line = {place: rate for place, rate in line.items() if int(place) <= int(MANY)}
        spread = max(line.values()) / min(line.values()) if MANY in line else float("inf")
        yield Claim(
            spread <= FLAT,
            f"{READABLE}, {figure.title}: flat from 1 to {MANY} concurrent windows, within {FLAT}x",
            f"{spread:.2f}x ({_listed(line)} tuples/s)",
        )


def faster(results: Results) -> Iterator[Claim]:
    """Ten times the throughput of buckets at 100 concurrent windows (Figures 13 and 14)."""
    for figure in ("13", "14"):
        ours = results.rate(figure, READABLE, MANY)
        rates = {name: results.rate(figure, name, MANY) for name in BUCKETS}
        theirs = {name: rate for name, rate in rates.items() if rate}
        factors = {name: ours / rate for name, rate in theirs.items()}
        yield Claim(
            bool(factors) and min(factors.values()) >= MANY_TIMES,
            f"{READABLE}, figure {figure}: at least {MANY_TIMES:.0f}x buckets at {MANY} windows",
            ", ".join(f"{factor:.1f}x {name}" for name, factor in factors.items()) or "no buckets",
        )


def disorder(results: Results) -> Iterator[Claim]:
    """The share of disorder, and its delay, do not matter (Figure 17)."""
    for figure, what in (("17a", "share of disorder"), ("17b", "delay of disorder")):
        line = results.rates(figure).get(READABLE, {})
        spread = max(line.values()) / min(line.values()) if len(line) > 1 else float("inf")
        yield Claim(
            spread <= UNAFFECTED,
            f"{READABLE}: unaffected by the {what}, within {UNAFFECTED:.0f}x",
            f"{spread:.2f}x ({_listed(line)} tuples/s)",
        )


def claims(results: Results) -> list[Claim]:
    """Return all of them."""
    return [claim for part in (flat, faster, disorder) for claim in part(results)]
