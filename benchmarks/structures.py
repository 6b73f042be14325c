"""Every structure against re-evaluation and each other: `python benchmarks/structures.py`.

It measures rounds of evict, insert and query, counts combines, prints PASS or FAIL for each claim,
and writes a page and plots. The exit status is 1 if a claim fails or an answer is wrong.
"""

import sys

from rounds.clock import DisagreementError, say
from rounds.options import parse_options
from rounds.report import Claim, claim_lines
from structure_rounds.break_even import break_evens
from structure_rounds.claims import claims
from structure_rounds.counts import counts
from structure_rounds.implementations import MeasuredStructure, measured_structures
from structure_rounds.measure import QUICK, StructurePlan, Sweep
from structure_rounds.operators import BLOOM, GEOMEAN, SUM
from structure_rounds.page import by_distance, by_window, page, ratios
from structure_rounds.plots import save
from structure_rounds.results import OPERATORS, StructureResults


def run(plan: StructurePlan, implementations: list[MeasuredStructure]) -> StructureResults:
    """Measure and count everything."""
    results = StructureResults()
    for sweep in (
        Sweep(SUM, implementations, plan),
        Sweep(GEOMEAN, implementations, plan),
        Sweep(BLOOM, implementations, plan),
    ):
        size = 0
        for row in sweep.rows():
            if row.size > size:
                size = row.size
                say(f"{row.operator}, n = {size}")
            results.rows.append(row)
        results.stops += sweep.stops
    say("counting combines")
    results.counts += counts(implementations, plan)
    say("searching break-even points")
    results.break_evens += break_evens(implementations, plan)
    return results


def report(results: StructureResults, decided: list[Claim]) -> str:
    """The tables of times and ratios, and the claims."""
    parts = [part(results, name) for part in (by_window, ratios, by_distance) for name in OPERATORS]
    return "\n".join([*(line for part in parts for line in part), *claim_lines(decided), ""])


def main(arguments: list[str] | None = None) -> int:
    """Run, report, and write the page and its charts."""
    options = parse_options(arguments, "Compare all structures.", "small windows")
    plan = QUICK if options.quick else StructurePlan()
    out = options.out
    try:
        results = run(plan, measured_structures())
    except DisagreementError as error:
        sys.stdout.write(f"FAIL  every answer is the fold of its window: {error}\n")
        return 1
    answers = f"in {len(results.rows)} cells and every break-even run"
    decided = [
        Claim(holds=True, sentence="every answer is the fold of its window", figures=answers)
    ]
    decided += claims(results)
    sys.stdout.write(report(results, decided))
    if out:
        save(results, out / "images")
        (out / "benchmarks-structures.md").write_text(page(results, decided, plan))
        say(f"written to {out}")
    return 0 if all(claim.holds for claim in decided) else 1


if __name__ == "__main__":
    sys.exit(main())
