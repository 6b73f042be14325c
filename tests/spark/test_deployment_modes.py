"""Other ways to run: a Spark Connect server, and spark-submit to executors, which may be lost."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import SparkSession

from muntin.spark.session import SETTINGS
from spark_support import user_job as driven
from spark_support.faults.query import sink_errors

TESTS, DRIVER = Path(__file__).parents[1], Path(driven.__file__)
SUBMIT = Path(sys.executable).with_name("spark-submit")


class Told(NamedTuple):
    """What a driver was told: by batch and by a stream, late rows, its session, its workers."""

    batch: dict[str, list[str]]
    news: list[str]
    late: int
    session: str
    workers: list[str]


def run(command: Sequence[str | Path], folder: Path, env: Mapping[str, str]) -> Told:
    """Run a driver, and return what it was told."""
    done = subprocess.run(  # noqa: S603 - our own words
        list(map(str, command)),
        check=False,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(TESTS), **env},
    )
    assert done.returncode == 0, done.stderr.decode()[-4000:]
    return Told(**json.loads((folder / "told.json").read_text()))


def held_to_the_classic_mode(spark: SparkSession, told: Told) -> None:
    """Hold what was told against what this session says: of a stream, each window once."""
    found, news = told.batch, told.news
    batch = driven.answers(spark, [name for name in found if name != "own"])
    batch |= {"own": batch["slices"]} if "own" in found else {}  # both are sums
    assert found == batch
    assert told.late == 0
    assert len(set(news)) == len(news) > len(batch["slices"]) / 2
    assert set(news) < set(batch["slices"])


def test_with_a_connect_server(spark: SparkSession, tmp_path: Path) -> None:
    told = run([sys.executable, DRIVER, tmp_path, "connect"], tmp_path, {})
    assert told.session == "pyspark.sql.connect.session"
    held_to_the_classic_mode(spark, told)


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
    told = run(command, tmp_path, env)
    held_to_the_classic_mode(spark, told)
    assert len(told.workers) == 2
    assert all(sys.executable in one for one in told.workers)
    assert list(cache.rglob("*.nbi"))
    assert {one.name for one in (tmp_path / "lost").glob("* death")} == {
        "first death",
        "second death",
    }
    assert sink_errors(tmp_path / "lost" / "sink", driven.ROWS) == ""
