"""Other deployments: a Spark Connect server, and spark-submit to executors, which may be lost."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import SparkSession

from muntin.spark.spark_session import SETTINGS
from spark_support import user_job
from spark_support.faults.query import sink_errors

TESTS, DRIVER = Path(__file__).parents[1], Path(user_job.__file__)
SUBMIT = Path(sys.executable).with_name("spark-submit")


class JobReport(NamedTuple):
    """The report of a driver: rows of batch and of a stream, late rows, session and workers."""

    batch: dict[str, list[str]]
    stream: list[str]
    late: int
    session: str
    workers: list[str]


def run(command: Sequence[str | Path], folder: Path, env: Mapping[str, str]) -> JobReport:
    """Run a driver, and read its report."""
    done = subprocess.run(  # noqa: S603 - our own words
        list(map(str, command)),
        check=False,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(TESTS), **env},
    )
    assert done.returncode == 0, done.stderr.decode()[-4000:]
    return JobReport(**json.loads((folder / "report.json").read_text()))


def assert_same_as_classic_mode(spark: SparkSession, report: JobReport) -> None:
    """Compare a report with the results of this session; a stream emits each window once."""
    batch = user_job.batch_results(spark, [name for name in report.batch if name != "own"])
    batch |= {"own": batch["slices"]} if "own" in report.batch else {}  # both are sums
    assert report.batch == batch
    assert report.late == 0
    assert len(set(report.stream)) == len(report.stream) > len(batch["slices"]) / 2
    assert set(report.stream) < set(batch["slices"])


def test_with_a_connect_server(spark: SparkSession, tmp_path: Path) -> None:
    report = run([sys.executable, DRIVER, tmp_path, "connect"], tmp_path, {})
    assert report.session == "pyspark.sql.connect.session"
    assert_same_as_classic_mode(spark, report)


def test_by_spark_submit_to_executors_of_their_own(spark: SparkSession, tmp_path: Path) -> None:
    """Two executors: a task kills its own, and Spark starts another, twice."""
    cache, unused = tmp_path / "cache of executors", tmp_path / "cache of the driver"
    settings = {
        **SETTINGS,
        "spark.sql.shuffle.partitions": "2",
        "spark.pyspark.python": sys.executable,
        "spark.executorEnv.MUNTIN_KERNELS": str(cache),
        "spark.executorEnv.PYTHONPATH": str(TESTS),
        "spark.local.dir": str(tmp_path / "local"),
    }
    each = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    command: list[str | Path] = [
        SUBMIT,
        "--master",
        "local-cluster[2,1,1024]",
        *each,
        DRIVER,
        tmp_path,
        "submit",
    ]
    env = {
        "MUNTIN_KERNELS": str(unused),
        "PYSPARK_PYTHON": "",
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }
    report = run(command, tmp_path, env)
    assert_same_as_classic_mode(spark, report)
    assert len(report.workers) == 2
    assert all(sys.executable in worker for worker in report.workers)
    assert list(cache.rglob("*.nbi"))
    assert {one.name for one in (tmp_path / "lost").glob("* death")} == {
        "first death",
        "second death",
    }
    assert sink_errors(tmp_path / "lost" / "sink", user_job.ROWS) == ""
