"""Real processes that die: SIGKILL to the driver and to Python workers, exceptions in tasks.

Executors die in test_deployment_modes.py, which has a cluster of them.
"""

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from spark_support.faults.harness import DRIVER, TESTS, FaultRun
from spark_support.faults.query import QUERY_ERRORS, committed_files, run, sink_errors
from spark_support.faults.two_hosts import two_hosts

SCALE = {"dev": (1, 3, 1000), "ci": (4, 16, 2250), "nightly": (10, 15, 8000)}
"""Kills of the driver and of its workers, and the rows of the trace, by profile."""


def test_no_row_is_lost_or_duplicated_when_processes_die(
    spark: SparkSession, tmp_path: Path
) -> None:
    drivers, workers, rows = SCALE[os.environ.get("MUNTIN_PROFILE", "dev")]
    killed, folder = Counter[str](), tmp_path
    for attempt in range(4):  # a query may end before enough workers have started
        folder = tmp_path / str(attempt)
        folder.mkdir()
        remaining = {"driver": drivers - killed["driver"], "worker": workers - killed["worker"]}
        fault_run = FaultRun(folder, rows, remaining, "after", Random(attempt))  # noqa: S311 - no secret
        assert fault_run.run() == ""
        assert fault_run.starts > fault_run.kills["driver"]
        killed += fault_run.kills
        if killed.total() == drivers + workers:
            break
    assert killed == {"driver": drivers, "worker": workers}
    check_damaged_state_is_refused(spark, folder, rows)


def check_damaged_state_is_refused(spark: SparkSession, folder: Path, rows: int) -> None:
    """Resume from a state with one byte changed in each file of a kind.

    State is in tables (.sst) or change logs; archives list them. The undamaged state resumes.
    """
    intact = Path(shutil.copytree(folder, folder.with_name("intact")))
    run(spark, intact, rows + 500)
    assert sink_errors(intact / "sink", rows + 500) == ""
    for kinds in ({".sst", ".changelog"}, {".zip"}):
        copy = Path(shutil.copytree(folder, folder.with_name(f"damaged{min(kinds)}")))
        files = [path for path in (copy / "checkpoint" / "state").rglob("*.*") if path.is_file()]
        damaged = [path for path in files if path.suffix in kinds]
        assert damaged
        for path in damaged:
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 255
            path.write_bytes(bytes(data))
            path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        before = sorted(committed_files(copy / "sink"))
        with pytest.raises(QUERY_ERRORS):
            run(spark, copy, rows + 500)
        assert sorted(committed_files(copy / "sink")) == before


def test_copies_of_slow_tasks_do_no_harm(tmp_path: Path) -> None:
    """Spark starts a copy of a slow task on the other host: either may update the state."""
    with two_hosts(tmp_path) as master:
        process = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, str(DRIVER), str(tmp_path), "1000", "slow", master],
            check=False,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": str(TESTS)},
        )
    assert process.returncode == 0, process.stderr.decode()[-2000:]
    assert list(tmp_path.glob("copy *"))
    assert sink_errors(tmp_path / "sink", 1000) == ""
