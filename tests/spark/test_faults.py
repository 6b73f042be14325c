"""Real processes that die: SIGKILL to the driver and to Python workers, exceptions in tasks.

Executors die in test_modes.py, which has a cluster of them.
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

from spark_support.faults.harness import DRIVER, TESTS, Ordeal
from spark_support.faults.here import REFUSED, run
from spark_support.faults.query import committed, wrong
from spark_support.faults.two_hosts import two_hosts

SCALE = {"dev": (1, 3, 1000), "ci": (4, 16, 2250), "nightly": (10, 15, 8000)}
"""How often the driver and its workers are killed, and the rows of the trace."""


def test_nothing_is_lost_or_doubled_when_processes_die(spark: SparkSession, tmp_path: Path) -> None:
    drivers, workers, rows = SCALE[os.environ.get("MUNTIN_PROFILE", "dev")]
    killed, folder = Counter[str](), tmp_path
    for nth in range(4):  # a query may end before so many workers were there to be killed
        folder = tmp_path / str(nth)
        folder.mkdir()
        left = {"driver": drivers - killed["driver"], "worker": workers - killed["worker"]}
        ordeal = Ordeal(folder, rows, left, "after", Random(nth))  # noqa: S311 - no secret
        assert ordeal.run() == ""
        assert ordeal.starts > ordeal.kills["driver"]
        killed += ordeal.kills
        if killed.total() == drivers + workers:
            break
    assert killed == {"driver": drivers, "worker": workers}
    damaged_state_is_refused(spark, folder, rows)


def damaged_state_is_refused(spark: SparkSession, folder: Path, rows: int) -> None:
    """Change a byte in the middle of each file of the state of a kind, and go on.

    What is kept lies in tables (.sst) or in logs; which of them there are lies in archives. As it
    is, it goes on here too.
    """
    whole = Path(shutil.copytree(folder, folder.with_name("whole")))
    run(spark, whole, rows + 500)
    assert wrong(whole / "sink", rows + 500) == ""
    for kinds in ({".sst", ".changelog"}, {".zip"}):
        copy = Path(shutil.copytree(folder, folder.with_name(f"damaged{min(kinds)}")))
        files = [one for one in (copy / "checkpoint" / "state").rglob("*.*") if one.is_file()]
        damaged = [one for one in files if one.suffix in kinds]
        assert damaged
        for one in damaged:
            data = bytearray(one.read_bytes())
            data[len(data) // 2] ^= 255
            one.write_bytes(bytes(data))
            one.with_name(f".{one.name}.crc").unlink(missing_ok=True)
        before = sorted(committed(copy / "sink"))
        with pytest.raises(REFUSED):
            run(spark, copy, rows + 500)
        assert sorted(committed(copy / "sink")) == before


def test_copies_of_slow_tasks_do_no_harm(tmp_path: Path) -> None:
    """Spark starts a copy of a slow task on the other host: either may update the state."""
    with two_hosts(tmp_path) as master:
        done = subprocess.run(  # noqa: S603 - our own words
            [sys.executable, str(DRIVER), str(tmp_path), "1000", "slow", master],
            check=False,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": str(TESTS)},
        )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    assert list(tmp_path.glob("copy *"))
    assert wrong(tmp_path / "sink", 1000) == ""
