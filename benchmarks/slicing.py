"""Slicing against buffers, buckets and trees: `python benchmarks/slicing.py`.

It measures throughput in the shapes of [Traub20], compares all answers, prints PASS or FAIL for
each claim, and writes a page and plots. The exit status is 1 if a claim fails or an answer is
wrong.
"""

import sys

from rounds.clock import DisagreementError, say
from rounds.options import parse_options
from rounds.report import Claim, claim_lines
from slicing_rounds.claims import claims
from slicing_rounds.figures import figures
from slicing_rounds.implementations import measured_operators
from slicing_rounds.measure import QUICK, SlicingPlan, sweep
from slicing_rounds.page import by_place, page
from slicing_rounds.plots import save
from slicing_rounds.results import SlicingResults


def run(plan: SlicingPlan) -> SlicingResults:
    """Measure every figure."""
    results = SlicingResults()
    for figure in figures(plan):
        say(f"figure {figure.name}: {figure.title}")
        implementations = [
            one for one in measured_operators() if not figure.only or one.name in figure.only
        ]
        results.figures.append((figure, list(sweep(figure.workloads, implementations, plan))))
    return results


def report(results: SlicingResults, decided: list[Claim]) -> str:
    """The tables of throughput, and the claims."""
    lines = [
        line
        for figure, _ in results.figures
        for line in (f"figure {figure.name}: {figure.title}", *by_place(results, figure))
    ]
    return "\n".join([*lines, *claim_lines(decided), ""])


def main(arguments: list[str] | None = None) -> int:
    """Run, report, and write the page and its charts."""
    options = parse_options(
        arguments, "Compare slicing with buffers, buckets and trees.", "few windows"
    )
    plan = QUICK if options.quick else SlicingPlan()
    out = options.out
    try:
        results = run(plan)
    except DisagreementError as error:
        sys.stdout.write(f"FAIL  all implementations give the same answers: {error}\n")
        return 1
    steps = sum(row.compared for row in results.rows)
    answers = f"{steps} steps in {len(results.rows)} cells"
    decided = [
        Claim(holds=True, sentence="all implementations give the same answers", figures=answers)
    ]
    decided += claims(results)
    sys.stdout.write(report(results, decided))
    if out:
        save(results, out / "images")
        (out / "benchmarks-slicing.md").write_text(page(results, decided, plan))
        say(f"written to {out}")
    return 0 if all(claim.holds for claim in decided) else 1


if __name__ == "__main__":
    sys.exit(main())
