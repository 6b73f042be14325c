"""The slicing operator over columns: `python benchmarks/columns.py`.

It measures throughput and the limit that memory sets, prints PASS or FAIL for each claim, and
writes a page and a plot. The exit status is 1 if a claim fails or an answer is wrong.
"""

import sys

from column_windows.claims import FIRST_STEP, claims, share
from column_windows.measure import QUICK, ColumnPlan, measure_all
from column_windows.page import page, save, tables
from kernel_rounds.claims import warm_start
from rounds.clock import DisagreementError, say
from rounds.options import parse_options
from rounds.report import claim_lines


def main(arguments: list[str] | None = None) -> int:
    """Run, report, and write the page and its charts."""
    options = parse_options(arguments, "Measure windows over columns.", "short streams")
    plan = QUICK if options.quick else ColumnPlan()
    out = options.out
    try:
        rows, machine = measure_all(plan)
    except DisagreementError as error:
        sys.stdout.write(f"FAIL  every event is in one window of each query: {error}\n")
        return 1
    decided = list(claims(rows, machine))
    if not options.quick:
        decided.append(warm_start(FIRST_STEP))
    lines = [*tables(rows, machine), share(rows, machine), "", *claim_lines(decided), ""]
    sys.stdout.write("\n".join(lines))
    if out:
        save(rows, machine, out / "images")
        (out / "benchmarks-columns.md").write_text(page(rows, machine, decided, plan))
        say(f"written to {out}")
    return 0 if all(claim.holds for claim in decided) else 1


if __name__ == "__main__":
    sys.exit(main())
