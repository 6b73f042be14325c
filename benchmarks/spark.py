"""Windows on Spark against Spark's own: `python benchmarks/spark.py`.

It measures both in turns, prints PASS or FAIL for each claim, and writes a page and a plot. The
exit status is 1 if a claim fails or an answer is wrong. `--only "stream 100"` measures the cells
with these words in their names (`--list` prints them all), and writes no page; with `--journal
FILE` the rows are kept there, so that a run can be resumed, and the last one writes the page.
"""

import argparse
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from muntin.spark import local_session
from rounds.clock import DisagreementError, say
from rounds.report import claim_lines
from spark_rounds.measure import PARTITIONS, QUICK, SparkEnvironment, SparkPlan, SparkRow, cells
from spark_rounds.page import claims, page, save, tables

DOCS = Path(__file__).parents[1] / "docs"
SETTINGS = {
    "spark.sql.shuffle.partitions": str(PARTITIONS),
    "spark.driver.memory": "4g",
    "spark.sql.files.maxPartitionBytes": "32m",
    "spark.sql.streaming.metricsEnabled": "false",
    "spark.log.level": "OFF",
}


def journal_rows(journal: Path | None) -> list[SparkRow]:
    """The rows of a journal."""
    lines = journal.read_text().splitlines() if journal and journal.exists() else []
    return [SparkRow(*json.loads(line)) for line in lines]


def measure_all(plan: SparkPlan, names: list[str], journal: Path | None) -> list[SparkRow]:
    """Measure the cells that are not in the journal, and add them to it."""
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)  # workers import what is measured
    rows, folder = journal_rows(journal), TemporaryDirectory()
    if journal:
        journal.parent.mkdir(parents=True, exist_ok=True)
    left = [name for name in names if name not in {row.name for row in rows}]
    spark = local_session("benchmark", "local[2]", SETTINGS)
    with folder as place:
        for name in left:
            for row in cells()[name](SparkEnvironment(spark, plan, Path(place))):
                rows.append(row)
                say(
                    f"{row.name}, {row.implementation}: {row.rate:.3g} M rows/s, "
                    f"{row.state:,} bytes"
                )
                if journal:
                    with journal.open("a") as file:
                        file.write(json.dumps(row) + "\n")
    spark.stop()
    return rows


def options_of(arguments: list[str] | None) -> argparse.Namespace:
    """The parsed options."""
    parser = argparse.ArgumentParser(description="Measure windows on Spark.")
    parser.add_argument("--quick", action="store_true", help="few rows; writes nothing")
    parser.add_argument("--list", action="store_true", help="print the names of all cells")
    parser.add_argument("--only", default="", help="measure the cells with this in their names")
    parser.add_argument("--journal", type=Path, help="file of measured rows, to resume from")
    for name in ("rows", "keys", "turns", "copies", "streamed", "batches"):
        usual = getattr(SparkPlan, name)
        parser.add_argument(f"--{name}", type=int, help=f"size of the workload (default: {usual})")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Run, report, and write the page and its chart."""
    options = options_of(arguments)
    names = [name for name in cells() if options.only in name]
    if options.list:
        sys.stdout.write("\n".join([*names, ""]))
        return 0
    given = {
        name: value for name, value in vars(options).items() if hasattr(SparkPlan, name) and value
    }
    plan = replace(QUICK if options.quick else SparkPlan(), **given)
    try:
        rows = measure_all(plan, names, options.journal)
    except DisagreementError as error:
        sys.stdout.write(f"FAIL  both answers are the same: {error}\n")
        return 1
    decided = list(claims(rows))
    sys.stdout.write("\n".join([*tables(rows), *claim_lines(decided), ""]))
    if not options.quick and {row.name for row in rows} >= cells().keys():
        save(rows, DOCS / "images")
        (DOCS / "benchmarks-spark.md").write_text(page(rows, decided, plan))
        say(f"written to {DOCS}")
    return 0 if all(claim.holds for claim in decided) else 1


if __name__ == "__main__":
    sys.exit(main())
