"""A streaming query over a trace, run to its end: what the tests kill and start again.

    python driver.py FOLDER ROWS FAULT MASTER

The checkpoint and the sink, files of Parquet, lie in the folder. FAULT is `none`; `after`: now
and then a task raises when it has updated its state; `slow`: now and then a task takes long then,
and Spark starts a copy of it elsewhere, which leaves a file `copy ...` in the folder.
"""

import os
import sys
from pathlib import Path
from time import sleep

import pyspark
from pyspark.sql import SparkSession

from muntin.spark import local_session
from spark_support.faults.here import started
from spark_support.faults.faulty_processors import planted

SPECULATION = {
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.minTaskRuntime": "1s",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.quantile": "0.5",
    "spark.locality.wait": "0s",
    "spark.driver.host": "127.0.0.1",
}


def own_home(folder: Path) -> None:
    """Let what a cluster leaves behind lie in the folder, and not where Spark is installed."""
    home, installed = folder / "spark", Path(pyspark.__file__).parent
    home.mkdir(exist_ok=True)
    for one in installed.iterdir():
        if one.name != "work" and not (home / one.name).exists():
            (home / one.name).symlink_to(one)
    os.environ["SPARK_HOME"] = str(home)


def session(folder: Path, fault: str, master: str) -> SparkSession:
    """Return a session in which a task may fail often."""
    own_home(folder)
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
    """Read the trace to its end."""
    spark = session(folder, fault, master)
    planted(fault, folder)
    query = started(spark, folder, rows)
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
