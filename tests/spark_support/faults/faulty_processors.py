"""Processors to which things happen when they have updated their state."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from time import sleep

from pyspark import TaskContext

from muntin.spark.streaming import processor
from muntin.spark.streaming import stream_query as streaming
from muntin.spark.streaming.shuffle_payload import ShuffleEncoder

SLOW = 5
"""Seconds that a slow task waits."""
DYING = 60
"""Seconds within which a task is gone whose executor was killed."""


class Unlucky(processor.Processor):
    """A processor that has a folder for what is left behind."""

    def __init__(self, folder: Path, packing: ShuffleEncoder) -> None:
        """Say what is asked, and which folder that is."""
        super().__init__(packing)
        self._folder = folder


class Raising(Unlucky):
    """It fails after it has updated the state: in some first attempts."""

    def process(self, payloads: list[bytes], reached: int) -> Iterator[object]:
        """Do as ever, then perhaps fail."""
        answers = list(super().process(payloads, reached))
        context = TaskContext.get()
        if context and context.attemptNumber() == 0 and Random().random() < 0.2:  # noqa: S311
            raise RuntimeError("injected after the state was updated")
        return iter(answers)


class Straggling(Unlucky):
    """It is slow when it has updated the state, in some first attempts; copies leave a file."""

    def process(self, payloads: list[bytes], reached: int) -> Iterator[object]:
        """Do as ever, then perhaps wait; a copy waits for nothing."""
        answers, context = list(super().process(payloads, reached)), TaskContext.get()
        if context and context.attemptNumber() > 0:
            (self._folder / f"copy {context.taskAttemptId()}").touch()
        elif Random().random() < 0.3:  # noqa: S311 - no secret
            sleep(SLOW)
        return iter(answers)


class Deadly(Unlucky):
    """It kills its executor when it has updated the state, twice in all, and leaves files.

    One more, if it is still there long after.
    """

    def process(self, payloads: list[bytes], reached: int) -> Iterator[object]:
        """Do as ever, then perhaps end the process that the worker's daemon belongs to."""
        answers = list(super().process(payloads, reached))
        for death in ("first", "second"):
            with suppress(FileExistsError), (self._folder / f"{death} death").open("x"):
                os.kill(parent(os.getppid()), signal.SIGKILL)
                sleep(DYING)
                (self._folder / f"no {death} death").touch()
        return iter(answers)


def parent(process: int) -> int:
    """Return what started a process."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


KINDS = {"after": Raising, "slow": Straggling, "death": Deadly}


def planted(fault: str, folder: Path) -> None:
    """Plant a fault in all streams to come; what they leave behind lies in the folder."""
    kind = partial(KINDS[fault], folder) if fault in KINDS else processor.Processor
    setattr(streaming, "Processor", kind)  # noqa: B010 - not ours
