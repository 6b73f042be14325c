"""The kernels over columns against the readable FiBA: `python benchmarks/kernels.py`.

It measures rounds of evict, insert and query, prints PASS or FAIL for each claim, and writes a page
and a plot. The exit status is 1 if a claim fails or an answer is wrong.
"""

import sys

from kernel_rounds.claims import claims, warm_start
from kernel_rounds.measure import QUICK, KernelPlan, KernelRow, compile_all, measure_all
from kernel_rounds.page import page, save, tables
from rounds.clock import DisagreementError, say
from rounds.options import parse_options
from rounds.report import claim_lines


def main(arguments: list[str] | None = None) -> int:
    """Run, report, and write the page and its charts."""
    options = parse_options(arguments, "Measure the kernels.", "small windows")
    plan = QUICK if options.quick else KernelPlan()
    out = options.out
    compiling, rows = dict(compile_all()), list[KernelRow]()
    say("compiled")
    try:
        for cell in measure_all(plan):
            rows += cell
            say(f"n = {cell[0].size}, d = {cell[0].distance}: {cell[0].ns:.1f} ns")
    except DisagreementError as error:
        sys.stdout.write(f"FAIL  every answer is the fold of its window: {error}\n")
        return 1
    decided = list(claims(rows))
    if not options.quick:
        decided.append(warm_start())
    sys.stdout.write("\n".join([*tables(rows), *claim_lines(decided), ""]))
    if out:
        save(rows, out / "images")
        (out / "benchmarks-kernels.md").write_text(page(rows, decided, compiling, plan))
        say(f"written to {out}")
    return 0 if all(claim.holds for claim in decided) else 1


if __name__ == "__main__":
    sys.exit(main())
