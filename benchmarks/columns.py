"""The slicing operator over columns: `python benchmarks/columns.py`.

It measures throughput and the limit that memory sets, says PASS or FAIL to each claim, and writes a
page and a plot. It ends with 1 if a claim fails or an answer is wrong.
"""

import argparse
import sys
from pathlib import Path

from column_windows.claims import claims, share
from column_windows.measure import QUICK, Plan, measured
from column_windows.page import page, save, tables
from rounds.claim import verdicts
from rounds.clock import DisagreementError, say

DOCS = Path(__file__).parents[1] / "docs"


def main(arguments: list[str] | None = None) -> int:
    """Run, report, and write what was asked for."""
    parser = argparse.ArgumentParser(description="Measure windows over columns.")
    parser.add_argument("--quick", action="store_true", help="short streams; writes nothing")
    parser.add_argument("--out", type=Path, help="folder of the page and images/; else docs/")
    options = parser.parse_args(arguments)
    plan = QUICK if options.quick else Plan()
    out: Path | None = options.out or (None if options.quick else DOCS)
    try:
        rows, machine = measured(plan)
    except DisagreementError as error:
        sys.stdout.write(f"FAIL  every event is in one window of each query: {error}\n")
        return 1
    found = list(claims(rows, machine))
    lines = [*tables(rows, machine), share(rows, machine), "", *verdicts(found), ""]
    sys.stdout.write("\n".join(lines))
    if out:
        save(rows, machine, out / "images")
        (out / "benchmarks-columns.md").write_text(page(rows, machine, found, plan))
        say(f"written to {out}")
    return 0 if all(claim.holds for claim in found) else 1


if __name__ == "__main__":
    sys.exit(main())
