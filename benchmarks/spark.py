"""Windows on Spark against Spark's own: `python benchmarks/spark.py`.

It measures both in turns, says PASS or FAIL to each claim, and writes a page and a plot. It ends
with 1 if a claim fails or an answer is wrong. `--only "stream 100"` measures what has these words
in its name (`--list` says all), and writes no page; with `--journal FILE` what was measured is
kept there, so that a run may be made in pieces, and the last one writes the page.
"""

import argparse
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from muntin.spark import local_session
from rounds.claim import verdicts
from rounds.clock import DisagreementError, say
from spark_rounds.lanes import PARTITIONS, QUICK, Bench, Plan, Row, cells
from spark_rounds.page import claims, page, save, tables

DOCS = Path(__file__).parents[1] / "docs"
SETTINGS = {
    "spark.sql.shuffle.partitions": str(PARTITIONS),
    "spark.driver.memory": "4g",
    "spark.sql.files.maxPartitionBytes": "32m",
    "spark.sql.streaming.metricsEnabled": "false",
    "spark.log.level": "OFF",
}


def kept(journal: Path | None) -> list[Row]:
    """Return what a journal holds."""
    lines = journal.read_text().splitlines() if journal and journal.exists() else []
    return [Row(*json.loads(line)) for line in lines]


def measured(plan: Plan, names: list[str], journal: Path | None) -> list[Row]:
    """Measure what is not in the journal, and keep it there."""
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)  # workers import what is measured
    rows, folder = kept(journal), TemporaryDirectory()
    if journal:
        journal.parent.mkdir(parents=True, exist_ok=True)
    left = [name for name in names if name not in {row.name for row in rows}]
    spark = local_session("benchmark", "local[2]", SETTINGS)
    with folder as place:
        for name in left:
            for row in cells()[name](Bench(spark, plan, Path(place))):
                rows.append(row)
                say(f"{row.name}, {row.contender}: {row.rate:.3g} M rows/s, {row.state:,} bytes")
                if journal:
                    with journal.open("a") as file:
                        file.write(json.dumps(row) + "\n")
    spark.stop()
    return rows


def options_of(arguments: list[str] | None) -> argparse.Namespace:
    """Return what is asked for."""
    parser = argparse.ArgumentParser(description="Measure windows on Spark.")
    parser.add_argument("--quick", action="store_true", help="few rows; writes nothing")
    parser.add_argument("--list", action="store_true", help="say what can be measured, and end")
    parser.add_argument("--only", default="", help="measure what has this in its name")
    parser.add_argument("--journal", type=Path, help="file of what was measured, to go on from")
    for name in ("rows", "keys", "turns", "copies", "streamed", "batches"):
        usual = getattr(Plan, name)
        parser.add_argument(f"--{name}", type=int, help=f"of the workload; else {usual}")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Run, report, and write what was asked for."""
    options = options_of(arguments)
    names = [name for name in cells() if options.only in name]
    if options.list:
        sys.stdout.write("\n".join([*names, ""]))
        return 0
    given = {name: value for name, value in vars(options).items() if hasattr(Plan, name) and value}
    plan = replace(QUICK if options.quick else Plan(), **given)
    try:
        rows = measured(plan, names, options.journal)
    except DisagreementError as error:
        sys.stdout.write(f"FAIL  both answers are the same: {error}\n")
        return 1
    found = list(claims(rows))
    sys.stdout.write("\n".join([*tables(rows), *verdicts(found), ""]))
    if not options.quick and {row.name for row in rows} >= cells().keys():
        save(rows, DOCS / "images")
        (DOCS / "benchmarks-spark.md").write_text(page(rows, found, plan))
        say(f"written to {DOCS}")
    return 0 if all(claim.holds for claim in found) else 1


if __name__ == "__main__":
    sys.exit(main())
