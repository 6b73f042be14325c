"""Every structure against re-evaluation and each other: `python benchmarks/structures.py`.

It measures rounds of evict, insert and query, counts combines, says PASS or FAIL to each claim,
and writes a page and plots. It ends with 1 if a claim fails or an answer is wrong.
"""

import argparse
import sys
from pathlib import Path

from rounds.claim import Claim, verdicts
from rounds.clock import DisagreementError, say
from structure_rounds.break_even import break_evens
from structure_rounds.claims import claims
from structure_rounds.contenders import Contender, contenders
from structure_rounds.counts import counts
from structure_rounds.measure import QUICK, Plan, Sweep
from structure_rounds.operators import BLOOM, GEOMEAN, SUM
from structure_rounds.page import by_distance, by_window, page, ratios
from structure_rounds.plots import save
from structure_rounds.results import OPERATORS, Results

DOCS = Path(__file__).parents[1] / "docs"


def run(plan: Plan, entered: list[Contender]) -> Results:
    """Measure and count everything."""
    results = Results()
    for sweep in (
        Sweep(SUM, entered, plan),
        Sweep(GEOMEAN, entered, plan),
        Sweep(BLOOM, entered, plan),
    ):
        size = 0
        for row in sweep.rows():
            if row.size > size:
                size = row.size
                say(f"{row.operator}, n = {size}")
            results.rows.append(row)
        results.stops += sweep.stops
    say("counting combines")
    results.counts += counts(entered, plan)
    say("searching break-even points")
    results.break_evens += break_evens(entered, plan)
    return results


def report(results: Results, found: list[Claim]) -> str:
    """Return tables of times and ratios, and what holds."""
    parts = [part(results, name) for part in (by_window, ratios, by_distance) for name in OPERATORS]
    return "\n".join([*(line for part in parts for line in part), *verdicts(found), ""])


def main(arguments: list[str] | None = None) -> int:
    """Run, report, and write what was asked for."""
    parser = argparse.ArgumentParser(description="Compare all structures.")
    parser.add_argument("--quick", action="store_true", help="small windows; writes nothing")
    parser.add_argument("--out", type=Path, help="folder of the page and images/; else docs/")
    options = parser.parse_args(arguments)
    plan = QUICK if options.quick else Plan()
    out: Path | None = options.out or (None if options.quick else DOCS)
    try:
        results = run(plan, contenders())
    except DisagreementError as error:
        sys.stdout.write(f"FAIL  every answer is the fold of its window: {error}\n")
        return 1
    answers = f"in {len(results.rows)} cells and every break-even run"
    found = [Claim(holds=True, sentence="every answer is the fold of its window", figures=answers)]
    found += claims(results)
    sys.stdout.write(report(results, found))
    if out:
        save(results, out / "images")
        (out / "benchmarks-structures.md").write_text(page(results, found, plan))
        say(f"written to {out}")
    return 0 if all(claim.holds for claim in found) else 1


if __name__ == "__main__":
    sys.exit(main())
