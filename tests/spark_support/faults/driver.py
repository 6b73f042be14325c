"""A streaming query over a trace, run to its end: what the tests kill and start again.

    python driver.py FOLDER ROWS FAULT MASTER

The checkpoint and the sink, files of Parquet, lie in the folder. FAULT is `none`; `after`: now
and then a task raises when it has updated its state; `slow`: now and then a task takes long then,
and Spark starts a copy of it elsewhere, which leaves a file in the folder `copies`; or `death`:
twice a task kills its executor then, and leaves a file in the folder `deaths`.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from time import sleep

import pyspark
from pyspark import TaskContext
from pyspark.sql import SparkSession

from muntin.spark import ReplaySource, local_session, processor, streaming
from spark_support.faults.trace import OPTIONS, answer_of


class Raising(processor.Processor):
    """A processor that fails after it has updated the state: in some first attempts."""

    def turn(self, payloads: list[bytes], reached: int) -> Iterator[object]:
        """Do as ever, then perhaps fail."""
        answers = list(super().turn(payloads, reached))
        context = TaskContext.get()
        if context and context.attemptNumber() == 0 and Random().random() < 0.2:  # noqa: S311
            raise RuntimeError("injected after the state was updated")
        return iter(answers)


class Straggling(processor.Processor):
    """A processor that is slow when it has updated the state, in some first attempts."""

    copies: Path

    def turn(self, payloads: list[bytes], reached: int) -> Iterator[object]:
        """Do as ever, then perhaps wait; a copy waits for nothing."""
        answers, context = list(super().turn(payloads, reached)), TaskContext.get()
        if context and context.attemptNumber() > 0:
            (self.copies / str(context.taskAttemptId())).touch()
        elif Random().random() < 0.3:  # noqa: S311 - no secret
            sleep(SLOW)
        return iter(answers)


class Deadly(processor.Processor):
    """A processor that kills its executor when it has updated the state, twice in all."""

    deaths: Path

    def turn(self, payloads: list[bytes], reached: int) -> Iterator[object]:
        """Do as ever, then perhaps end the process that the worker's daemon belongs to."""
        answers = list(super().turn(payloads, reached))
        for death in ("first", "second"):
            with suppress(FileExistsError):
                (self.deaths / death).touch(exist_ok=False)
                os.kill(parent(os.getppid()), signal.SIGKILL)
        return iter(answers)


def parent(process: int) -> int:
    """Return what started a process."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


SLOW = 5
"""Seconds that a slow task waits."""
SPECULATION = {
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.minTaskRuntime": "1s",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.quantile": "0.5",
    "spark.locality.wait": "0s",
    "spark.driver.host": "127.0.0.1",
}


def planted(fault: str, folder: Path) -> None:
    """Plant a fault."""
    if fault == "slow":
        Straggling.copies = folder / "copies"
        Straggling.copies.mkdir(exist_ok=True)
    if fault == "death":
        Deadly.deaths = folder / "deaths"
        Deadly.deaths.mkdir(exist_ok=True)
    kinds = {"after": Raising, "slow": Straggling, "death": Deadly}
    setattr(streaming, "Processor", kinds.get(fault, processor.Processor))  # noqa: B010 - not ours


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
    spark.dataSource.register(ReplaySource)
    options = {**OPTIONS, "rows": str(rows)}
    answer = answer_of(spark.readStream.format("muntin-replay").options(**options).load())
    writer = answer.writeStream.format("parquet").option("path", str(folder / "sink"))
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    query = writer.outputMode("append").trigger(availableNow=True).start()
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
