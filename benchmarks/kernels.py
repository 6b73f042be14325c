"""The kernels over columns against the readable FiBA: `python benchmarks/kernels.py`.

It measures rounds of evict, insert and query, says PASS or FAIL to each claim, and writes a page
and a plot. It ends with 1 if a claim fails or an answer is wrong.
"""

import argparse
import sys
from pathlib import Path

from kernel_rounds.claims import claims, warm_start
from kernel_rounds.lanes import QUICK, Plan, Row, compile_all, measured
from kernel_rounds.page import page, save, tables
from rounds.claim import verdicts
from rounds.clock import DisagreementError, say

DOCS = Path(__file__).parents[1] / "docs"


def main(arguments: list[str] | None = None) -> int:
    """Run, report, and write what was asked for."""
    parser = argparse.ArgumentParser(description="Measure the kernels.")
    parser.add_argument("--quick", action="store_true", help="small windows; writes nothing")
    parser.add_argument("--out", type=Path, help="folder of the page and images/; else docs/")
    options = parser.parse_args(arguments)
    plan = QUICK if options.quick else Plan()
    out: Path | None = options.out or (None if options.quick else DOCS)
    compiling, rows = dict(compile_all()), list[Row]()
    say("compiled")
    try:
        for cell in measured(plan):
            rows += cell
            say(f"n = {cell[0].size}, d = {cell[0].distance}: {cell[0].ns:.1f} ns")
    except DisagreementError as error:
        sys.stdout.write(f"FAIL  every answer is the fold of its window: {error}\n")
        return 1
    found = list(claims(rows))
    if not options.quick:
        found.append(warm_start())
    sys.stdout.write("\n".join([*tables(rows), *verdicts(found), ""]))
    if out:
        save(rows, out / "images")
        (out / "benchmarks-kernels.md").write_text(page(rows, found, compiling, plan))
        say(f"written to {out}")
    return 0 if all(claim.holds for claim in found) else 1


if __name__ == "__main__":
    sys.exit(main())
