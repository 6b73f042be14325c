"""Kill a streaming query again and again, start it again, and look at what is in its sink.

    python tests/spark_support/faults/harness.py --kills 500 --journal kills.jsonl

A kill is one of SIGKILL to the driver with all that it started, to one of its Python workers, or,
on a cluster of two executors, to one of these. Only processes that this one started are killed.
With a journal it goes on where it was stopped.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from spark_support.brief_java import optimise_little
from spark_support.faults.query import wrong

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


def ended(process: subprocess.Popen[str]) -> None:
    """Kill a process and all that it started."""
    left = [pid for pid, _ in descendants(process.pid)]
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
    if process.stdout:
        process.stdout.close()


KINDS = {"worker": "daemon pyspark.worker", "executor": "CoarseGrainedExecutorBackend"}
"""What the commands of processes say that are killed; the driver is known."""
AT_ONCE = {"worker": 3, "executor": 1}
"""How many of them are killed, one after the other, when a micro-batch has ended."""

ONE, CLUSTER = "local[2,16]", "local-cluster[2,1,1024]"
"""One process, in which a task may fail often; and a cluster of two executors with a core each."""


@dataclass
class Ordeal:
    """A run of one query to its end, through so many kills of each kind."""

    folder: Path
    rows: int
    planned: Mapping[str, int]
    fault: str
    chance: Random
    kills: Counter[str] = field(default_factory=Counter[str])
    starts: int = 0

    def run(self) -> str:
        """Run, and say what is wrong at the end; nothing, if nothing is."""
        while not self._attempt():
            if self.starts > sum(self.planned.values()) + 5:
                log = (self.folder / "log").read_text()[-2000:]
                return f"the query did not end after {self.starts} starts: {log}"
        return wrong(self.folder / "sink", self.rows)

    def _attempt(self) -> bool:
        """Start the driver, kill this and that, and say whether it came to its end."""
        self.starts += 1
        master = CLUSTER if self.planned.get("executor") else ONE
        command = [sys.executable, str(DRIVER), str(self.folder), str(self.rows), self.fault]
        with (self.folder / "log").open("a") as log:
            process = subprocess.Popen(  # noqa: S603 - our own words
                [*command, master],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": str(TESTS)},
            )
        try:
            return self._watch(process)
        finally:
            ended(process)

    def _watch(self, process: subprocess.Popen[str]) -> bool:
        """Kill after micro-batches ended, each time after a random while."""
        batches = 0
        for line in process.stdout or ():
            if line.startswith("done"):
                return True
            batches += line.startswith("batch")
            for kind, often in AT_ONCE.items():
                for _ in range(min(often, self._due(kind))):
                    time.sleep(self.chance.random())
                    self.kills[kind] += self._kill(process.pid, kind)
            time.sleep(self.chance.random())
            if self._due("driver") and batches > self.chance.randint(0, 1):
                self.kills["driver"] += 1
                return False
        return False

    def _due(self, kind: str) -> int:
        return self.planned.get(kind, 0) - self.kills[kind]

    def _kill(self, driver: int, kind: str) -> bool:
        """Kill one of the processes of a kind that the driver started."""
        found = [pid for pid, text in descendants(driver) if KINDS[kind] in text]
        if not found:
            return False
        with suppress(ProcessLookupError):
            os.kill(self.chance.choice(found), signal.SIGKILL)
            return True
        return False


def known(journal: Path | None) -> list[Counter[str]]:
    """Return the kills of each run that was finished and right before."""
    lines = journal.read_text().splitlines() if journal and journal.exists() else []
    return [Counter(json.loads(line)) for line in lines]


def planned(nth: int) -> Mapping[str, int]:
    """Return whom a run kills how often: each fifth loses executors."""
    return {"driver": 4, "executor": 4} if nth % 5 == 4 else {"driver": 10, "worker": 15}


def main() -> int:
    """Kill as often as was asked, over as many queries as that takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--rows", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--journal", type=Path)
    asked = parser.parse_args()
    optimise_little()
    runs = known(asked.journal)
    while (killed := sum(runs, Counter[str]())).total() < asked.kills:
        nth = len(runs)
        with tempfile.TemporaryDirectory() as folder:
            fault = ("none", "after")[nth % 2]
            chance = Random(f"{asked.seed} {nth}")  # noqa: S311 - it need not be secret
            ordeal = Ordeal(Path(folder), asked.rows, planned(nth), fault, chance)
            fault_found = ordeal.run()
        told = f"run {nth}: {dict(ordeal.kills)}, {ordeal.starts} starts: {fault_found or 'right'}"
        print(told, flush=True)  # noqa: T201 - a command
        if fault_found:
            return 1
        runs.append(ordeal.kills)
        if asked.journal:
            asked.journal.parent.mkdir(parents=True, exist_ok=True)
            with asked.journal.open("a") as file:
                file.write(json.dumps(ordeal.kills) + "\n")
    print(f"{killed.total()} kills in {len(runs)} runs, nothing wrong: {dict(killed)}")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
