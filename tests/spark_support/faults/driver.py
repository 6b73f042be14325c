"""A streaming query over a trace, run to its end: the process that tests kill and start again.

    python driver.py FOLDER ROWS FAULT MASTER

The checkpoint and the sink, Parquet files, are in the folder. FAULT is `none`; `after`: at random a
task raises when it has updated its state; `slow`: at random a task waits then, and Spark starts a
copy of it elsewhere, which leaves a file `copy ...` in the folder.
"""

import os
import sys
from pathlib import Path
from time import sleep

import pyspark
from pyspark.sql import SparkSession

from muntin.spark import local_session
from spark_support.faults.faulty_processors import inject_fault
from spark_support.faults.query import start

SPECULATION = {
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.minTaskRuntime": "1s",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.quantile": "0.5",
    "spark.locality.wait": "0s",
    "spark.driver.host": "127.0.0.1",
}


def use_own_home(folder: Path) -> None:
    """Have a cluster write its logs into the folder, and not where Spark is installed."""
    home, installed = folder / "spark", Path(pyspark.__file__).parent
    home.mkdir(exist_ok=True)
    for path in installed.iterdir():
        if path.name != "work" and not (home / path.name).exists():
            (home / path.name).symlink_to(path)
    os.environ["SPARK_HOME"] = str(home)


def session(folder: Path, fault: str, master: str) -> SparkSession:
    """A session in which a task may fail often."""
    use_own_home(folder)
    settings = {
        "spark.task.maxFailures": "16",
        "spark.executor.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "1g",
        "spark.local.dir": str(folder / "local"),
        "spark.log.level": "OFF",
    }
    settings |= SPECULATION if fault == "slow" else {}
    return local_session("faults", master, settings)


def run(folder: Path, rows: int, fault: str, master: str) -> None:
    """Run the query to the end of its trace, and print each batch."""
    spark = session(folder, fault, master)
    inject_fault(fault, folder)
    query = start(spark, folder, rows)
    last = -1
    while query.isActive:
        sleep(0.2)
        progress = query.lastProgress
        if progress and progress.batchId != last:
            last = progress.batchId
            print("batch", last, flush=True)  # noqa: T201 - the tests read it
    if failed := query.exception():
        raise failed
    print("done", flush=True)  # noqa: T201 - as above
    spark.stop()


if __name__ == "__main__":
    run(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
