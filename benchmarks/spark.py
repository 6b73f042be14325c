"""Windows on Spark against Spark's own: `python benchmarks/spark.py`.

It measures both in turns, says PASS or FAIL to each claim, and writes a page and a plot. It ends
with 1 if a claim fails or an answer is wrong.
"""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from muntin.spark import local_session
from rounds.claim import verdicts
from rounds.clock import DisagreementError, say
from spark_rounds.lanes import QUICK, Plan, Row, in_batch, in_streaming, written
from spark_rounds.page import claims, page, save, tables

DOCS = Path(__file__).parents[1] / "docs"
SETTINGS = {
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.memory": "4g",
    "spark.sql.files.maxPartitionBytes": "32m",
    "spark.log.level": "OFF",
}


def measured(plan: Plan) -> list[Row]:
    """Measure everything."""
    spark, rows = local_session("benchmark", "local[2]", SETTINGS), list[Row]()
    with TemporaryDirectory() as folder:
        df = written(spark, plan, Path(folder))
        for world in (in_batch(df, plan), in_streaming(spark, plan, Path(folder))):
            for row in world:
                rows.append(row)
                say(f"{' '.join(map(str, row[:4]))}: {row.rate:.3g} M rows/s")
    spark.stop()
    return rows


def main(arguments: list[str] | None = None) -> int:
    """Run, report, and write what was asked for."""
    parser = argparse.ArgumentParser(description="Measure windows on Spark.")
    parser.add_argument("--quick", action="store_true", help="few rows; writes nothing")
    parser.add_argument("--rows", type=int, default=Plan.rows, help="rows of the batch")
    parser.add_argument("--copies", type=int, default=Plan.copies, help="copies of rows, native")
    parser.add_argument("--turns", type=int, default=Plan.turns, help="turns of each contender")
    options = parser.parse_args(arguments)
    asked = Plan(rows=options.rows, copies=options.copies, turns=options.turns)
    plan = QUICK if options.quick else asked
    try:
        rows = measured(plan)
    except DisagreementError as error:
        sys.stdout.write(f"FAIL  both answers are the same: {error}\n")
        return 1
    found = list(claims(rows))
    sys.stdout.write("\n".join([*tables(rows), *verdicts(found), ""]))
    if not options.quick:
        save(rows, DOCS / "images")
        (DOCS / "benchmarks-spark.md").write_text(page(rows, found, plan))
        say(f"written to {DOCS}")
    return 0 if all(claim.holds for claim in found) else 1


if __name__ == "__main__":
    sys.exit(main())
