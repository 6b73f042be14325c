"""Windows over columns: `python benchmarks/columns.py [--engine module:Class]`.

It measures a grid of windows, sessions, batches, keys and disorder, beside a compiled loop, another
engine, Polars and DuckDB; prints PASS or FAIL for each claim, and writes a page and a plot. The
exit status is 1 if a claim fails or an answer is wrong.
"""

import os
import sys

os.environ.setdefault("POLARS_MAX_THREADS", "1")

from column_windows.claims import Report, claims
from column_windows.footprint import calls, calls_loads, footprint_loads, footprints
from column_windows.grid import MOST_RESULTS_A_ROW, QUICK, Plan, grid, selection
from column_windows.measure import check_all, measure_all
from column_windows.options import ColumnOptions, parse_column_options
from column_windows.page import INTRODUCTION, page, save, sections
from column_windows.starts import first_answers
from column_windows.tables import table_figures, table_loads
from rounds.clock import DisagreementError, say
from rounds.report import claim_lines


def introduction(options: ColumnOptions, plan: Plan) -> str:
    """What the page measures, and how."""
    counts = "".join(
        f", and the number of results with `{path}`,\nwhich is *the other engine*"
        for path in options.paths[1:]
    )
    return INTRODUCTION.format(
        engine=options.engine,
        turns=plan.turns,
        seconds=plan.seconds,
        counts=counts,
        results=MOST_RESULTS_A_ROW,
    )


def run(options: ColumnOptions, plan: Plan) -> Report:
    """Check and measure everything, or a part of the grid."""
    loads = grid(plan)
    if options.only:
        loads = selection(loads, options.only)
    check_all(loads, options.engine, plan.checked_rows)
    figures = measure_all(loads, options.paths, plan)
    if options.only:
        return Report(figures)
    answers = list(first_answers(options.engine))
    say("first answers are measured")
    counted = [calls(options.engine, load) for load in calls_loads(plan.windows, plan.keys)]
    memory = list(footprints(options.engine, footprint_loads(plan.keys)))
    say("calls and memory are measured")
    loads = table_loads(plan.windows, plan.keys, plan.table_rows)
    tables = list(table_figures(options.engine, loads, min(2, plan.turns)))
    return Report(figures, answers, counted, memory, tables)


def main(arguments: list[str] | None = None) -> int:
    """Run, report, and write the page and its charts."""
    options = parse_column_options(arguments)
    plan = QUICK if options.quick else Plan()
    try:
        report = run(options, plan)
    except DisagreementError as error:
        sys.stdout.write(f"FAIL  all engines have the same windows: {error}\n")
        return 1
    if not report.figures:
        sys.stdout.write(f"no load of the grid has the name {options.only!r}\n")
        return 1
    decided = list(claims(report))
    sys.stdout.write("\n".join([*sections(report), "", *claim_lines(decided), ""]))
    if options.out:
        save(report.figures, options.out / "images")
        text = page(report, decided, introduction(options, plan))
        (options.out / "benchmarks-columns.md").write_text(text)
        say(f"written to {options.out}")
    return 0 if all(claim.holds for claim in decided) else 1


if __name__ == "__main__":
    sys.exit(main())
