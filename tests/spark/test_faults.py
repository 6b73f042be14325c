"""Real processes that die: SIGKILL to the driver and to Python workers, exceptions in tasks."""

import os
import subprocess
import sys
from pathlib import Path
from random import Random

from spark_support.faults.harness import DRIVER, TESTS, Ordeal

SCALE = {"dev": (1, 3, 1000), "ci": (4, 16, 3000), "nightly": (10, 15, 8000)}
"""How often the driver and its workers are killed, and the rows of the trace."""


def test_nothing_is_lost_or_doubled_when_processes_die(tmp_path: Path) -> None:
    drivers, workers, rows = SCALE[os.environ.get("MUNTIN_PROFILE", "dev")]
    ordeal = Ordeal(tmp_path, rows, drivers, workers, "after", Random(1))  # noqa: S311 - no secret
    assert ordeal.run() == ""
    assert ordeal.kills == {"driver": drivers, "worker": workers}
    assert ordeal.starts > drivers
    damaged_state_is_refused(tmp_path, rows)


def damaged_state_is_refused(folder: Path, rows: int) -> None:
    """Change a byte in the middle of each file of the state, and go on."""
    files = [one for one in (folder / "checkpoint" / "state").rglob("*.*") if one.is_file()]
    damaged = [one for one in files if one.suffix in {".changelog", ".zip"}]
    assert damaged
    for one in damaged:
        data = bytearray(one.read_bytes())
        data[len(data) // 2] ^= 255
        one.write_bytes(bytes(data))
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, str(DRIVER), str(folder), str(rows + 500), "none"],
        check=False,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )
    assert done.returncode != 0
    assert b"done" not in done.stdout
