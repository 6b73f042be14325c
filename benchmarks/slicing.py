"""Slicing against buffers, buckets and trees: `python benchmarks/slicing.py`.

It measures throughput in the shapes of [Traub20], compares all answers, says PASS or FAIL to each
claim, and writes a page and plots. It ends with 1 if a claim fails or an answer is wrong.
"""

import argparse
import sys
from pathlib import Path

from rounds.claim import Claim, verdicts
from rounds.clock import DisagreementError, say
from slicing_rounds.claims import claims
from slicing_rounds.contenders import contenders
from slicing_rounds.figures import figures
from slicing_rounds.measure import QUICK, Plan, sweep
from slicing_rounds.page import by_place, page
from slicing_rounds.plots import save
from slicing_rounds.results import Results

DOCS = Path(__file__).parents[1] / "docs"


def run(plan: Plan) -> Results:
    """Measure every figure."""
    results = Results()
    for figure in figures(plan):
        say(f"figure {figure.name}: {figure.title}")
        entered = [one for one in contenders() if not figure.only or one.name in figure.only]
        results.found.append((figure, list(sweep(figure.workloads, entered, plan))))
    return results


def report(results: Results, found: list[Claim]) -> str:
    """Return tables of throughput, and what holds."""
    lines = [
        line
        for figure, _ in results.found
        for line in (f"figure {figure.name}: {figure.title}", *by_place(results, figure))
    ]
    return "\n".join([*lines, *verdicts(found), ""])


def main(arguments: list[str] | None = None) -> int:
    """Run, report, and write what was asked for."""
    parser = argparse.ArgumentParser(description="Compare slicing with what does not slice.")
    parser.add_argument("--quick", action="store_true", help="few windows; writes nothing")
    parser.add_argument("--out", type=Path, help="folder of the page and images/; else docs/")
    options = parser.parse_args(arguments)
    plan = QUICK if options.quick else Plan()
    out: Path | None = options.out or (None if options.quick else DOCS)
    try:
        results = run(plan)
    except DisagreementError as error:
        sys.stdout.write(f"FAIL  all contenders answer alike: {error}\n")
        return 1
    steps = sum(row.compared for row in results.rows)
    answers = f"{steps} steps in {len(results.rows)} cells"
    found = [Claim(holds=True, sentence="all contenders answer alike", figures=answers)]
    found += claims(results)
    sys.stdout.write(report(results, found))
    if out:
        save(results, out / "images")
        (out / "benchmarks-slicing.md").write_text(page(results, found, plan))
        say(f"written to {out}")
    return 0 if all(claim.holds for claim in found) else 1


if __name__ == "__main__":
    sys.exit(main())
