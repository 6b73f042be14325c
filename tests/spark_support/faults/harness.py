"""Kill a streaming query many times, start it again each time, and check its sink.

    python tests/spark_support/faults/harness.py --kills 500 --journal kills.jsonl

A kill is a SIGKILL to the driver and its descendants, to one of its Python workers, or, on a
cluster of two executors, to one of these. Only processes that this one started are killed. With a
journal, finished runs are not repeated.
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
from spark_support.faults.query import sink_errors

TESTS = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("driver.py")


def descendants(root: int) -> Iterator[tuple[int, str]]:
    """A process and its descendants, each with its command."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    waiting = [root]
    while waiting:
        process = waiting.pop()
        with suppress(OSError):
            yield process, Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
        waiting += children.get(process, [])


def kill_with_descendants(process: subprocess.Popen[str]) -> None:
    """Kill a process and its descendants."""
    pids = [pid for pid, _ in descendants(process.pid)]
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
    if process.stdout:
        process.stdout.close()


COMMAND_TEXTS = {"worker": "daemon pyspark.worker", "executor": "CoarseGrainedExecutorBackend"}
"""Text in the command of each kind of process that is killed, but the driver, whose id is known."""
KILLS_PER_BATCH = {"worker": 3, "executor": 1}
"""How many of them are killed, one after the other, after a micro-batch."""

LOCAL_MASTER, CLUSTER_MASTER = "local[2,16]", "local-cluster[2,1,1024]"
"""One process, in which a task may fail often; and a cluster of two executors with a core each."""


@dataclass
class FaultRun:
    """A run of one query to its end, with the planned number of kills of each kind."""

    folder: Path
    rows: int
    planned: Mapping[str, int]
    fault: str
    chance: Random
    kills: Counter[str] = field(default_factory=Counter[str])
    starts: int = 0

    def run(self) -> str:
        """Run, and return the errors in the sink; empty if there are none."""
        while not self._attempt():
            if self.starts > sum(self.planned.values()) + 5:
                log = (self.folder / "log").read_text()[-2000:]
                return f"the query did not end after {self.starts} starts: {log}"
        return sink_errors(self.folder / "sink", self.rows)

    def _attempt(self) -> bool:
        """Start the driver, kill processes, and return whether the query came to its end."""
        self.starts += 1
        master = CLUSTER_MASTER if self.planned.get("executor") else LOCAL_MASTER
        command = [sys.executable, str(DRIVER), str(self.folder), str(self.rows), self.fault]
        with (self.folder / "log").open("a") as log:
            process = subprocess.Popen(  # noqa: S603 - our own command
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
            kill_with_descendants(process)

    def _watch(self, process: subprocess.Popen[str]) -> bool:
        """Kill processes after micro-batches, each after a random time."""
        batches = 0
        for line in process.stdout or ():
            if line.startswith("done"):
                return True
            batches += line.startswith("batch")
            for kind, most in KILLS_PER_BATCH.items():
                for _ in range(min(most, self._remaining(kind))):
                    time.sleep(self.chance.random())
                    self.kills[kind] += self._kill(process.pid, kind)
            time.sleep(self.chance.random())
            if self._remaining("driver") and batches > self.chance.randint(0, 1):
                self.kills["driver"] += 1
                return False
        return False

    def _remaining(self, kind: str) -> int:
        return self.planned.get(kind, 0) - self.kills[kind]

    def _kill(self, driver: int, kind: str) -> bool:
        """Kill one of the processes of a kind that the driver started."""
        command = COMMAND_TEXTS[kind]
        pids = [pid for pid, text in descendants(driver) if command in text]
        if not pids:
            return False
        with suppress(ProcessLookupError):
            os.kill(self.chance.choice(pids), signal.SIGKILL)
            return True
        return False


def finished_runs(journal: Path | None) -> list[Counter[str]]:
    """The kills of each correct run in the journal."""
    lines = journal.read_text().splitlines() if journal and journal.exists() else []
    return [Counter(json.loads(line)) for line in lines]


def planned_kills(run: int) -> Mapping[str, int]:
    """The number of kills of each kind in a run: each fifth loses executors."""
    return {"driver": 4, "executor": 4} if run % 5 == 4 else {"driver": 10, "worker": 15}


def main() -> int:
    """Kill processes of one query after the other, up to the requested number."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--rows", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--journal", type=Path)
    options = parser.parse_args()
    optimise_little()
    runs = finished_runs(options.journal)
    while (killed := sum(runs, Counter[str]())).total() < options.kills:
        run = len(runs)
        with tempfile.TemporaryDirectory() as folder:
            fault = ("none", "after")[run % 2]
            chance = Random(f"{options.seed} {run}")  # noqa: S311 - it need not be secret
            fault_run = FaultRun(Path(folder), options.rows, planned_kills(run), fault, chance)
            errors = fault_run.run()
        kills, starts = dict(fault_run.kills), fault_run.starts
        print(f"run {run}: {kills}, {starts} starts: {errors or 'correct'}", flush=True)  # noqa: T201 - a command
        if errors:
            return 1
        runs.append(fault_run.kills)
        if options.journal:
            options.journal.parent.mkdir(parents=True, exist_ok=True)
            with options.journal.open("a") as file:
                file.write(json.dumps(fault_run.kills) + "\n")
    print(f"{killed.total()} kills in {len(runs)} runs, no error: {dict(killed)}")  # noqa: T201 - the same
    return 0


if __name__ == "__main__":
    sys.exit(main())
