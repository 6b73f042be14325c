"""Kill a streaming query again and again, start it again, and look at what is in its sink.

    python tests/spark_support/faults/harness.py --kills 500

A kill is one of SIGKILL to the driver with all that it started, or to one of its Python workers.
Only processes that this one started are killed.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from spark_support.faults.trace import wrong

TESTS = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("driver.py")


def descendants(root: int) -> Iterator[tuple[int, str]]:
    """Yield each process that a process started, with its command."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    waiting = [root]
    while waiting:
        here = waiting.pop()
        with suppress(OSError):
            yield here, Path(f"/proc/{here}/cmdline").read_text().replace("\0", " ")
        waiting += children.get(here, [])


@dataclass
class Ordeal:
    """A run of one query to its end, through so many kills."""

    folder: Path
    rows: int
    drivers: int
    workers: int
    fault: str
    chance: Random
    kills: dict[str, int] = field(default_factory=lambda: {"driver": 0, "worker": 0})
    starts: int = 0

    def run(self) -> str:
        """Run, and say what is wrong at the end; nothing, if nothing is."""
        while not self._attempt():
            if self.starts > self.drivers + self.workers + 5:
                log = (self.folder / "log").read_text()[-2000:]
                return f"the query did not end after {self.starts} starts: {log}"
        return wrong(self.folder / "sink", self.rows)

    def _attempt(self) -> bool:
        """Start the driver, kill this and that, and say whether it came to its end."""
        self.starts += 1
        command = [sys.executable, str(DRIVER), str(self.folder), str(self.rows), self.fault]
        with (self.folder / "log").open("a") as log:
            process = subprocess.Popen(  # noqa: S603 - our own words
                command,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": str(TESTS)},
            )
        try:
            return self._watch(process)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _watch(self, process: subprocess.Popen[str]) -> bool:
        """Kill when micro-batches end, after a random while."""
        batches = 0
        for line in process.stdout or ():
            if line.startswith("done"):
                return True
            batches += line.startswith("batch")
            time.sleep(self.chance.random())
            if self.kills["worker"] < self.workers and self._kill_worker(process.pid):
                self.kills["worker"] += 1
            if self.kills["driver"] < self.drivers and batches > self.chance.randint(0, 2):
                self.kills["driver"] += 1
                return False
        return False

    def _kill_worker(self, driver: int) -> bool:
        """Kill one of the Python workers."""
        found = [pid for pid, text in descendants(driver) if "pyspark.daemon" in text]
        if not found:
            return False
        with suppress(ProcessLookupError):
            os.kill(self.chance.choice(found), signal.SIGKILL)
            return True
        return False


def main() -> int:
    """Kill as often as was asked, over as many queries as that takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--rows", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    killed, nth = 0, 0
    while killed < asked.kills:
        with tempfile.TemporaryDirectory() as folder:
            fault = ("none", "after")[nth % 2]
            chance = Random(f"{asked.seed} {nth}")  # noqa: S311 - it need not be secret
            ordeal = Ordeal(Path(folder), asked.rows, 10, 15, fault, chance)
            fault_found = ordeal.run()
        killed += sum(ordeal.kills.values())
        nth += 1
        told = f"{killed} kills in {nth} runs; {ordeal.starts} starts; {fault_found or 'right'}"
        print(told, flush=True)  # noqa: T201 - a command
        if fault_found:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
