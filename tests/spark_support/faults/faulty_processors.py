"""Stateful processors that fail, wait or die when they have updated their state."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from time import sleep

from pyspark import TaskContext

from muntin.spark.streaming import processor, stream_query
from muntin.spark.streaming.shuffle_payload import ShuffleEncoder

SLOW_SECONDS = 5
"""How long a slow task waits."""
KILL_SECONDS = 60
"""A task ends within this time when its executor is killed."""


class FaultyProcessor(processor.Processor):
    """A processor with a folder for files that show which faults happened."""

    def __init__(self, folder: Path, encoder: ShuffleEncoder) -> None:
        """Write such files into the folder."""
        super().__init__(encoder)
        self._folder = folder


class FailingProcessor(FaultyProcessor):
    """Raises after it has updated the state, in some first attempts."""

    def process(self, payloads: list[bytes], watermark_millis: int) -> Iterator[object]:
        """Process, then raise at random."""
        answers = list(super().process(payloads, watermark_millis))
        context = TaskContext.get()
        if context and context.attemptNumber() == 0 and Random().random() < 0.2:  # noqa: S311
            raise RuntimeError("injected after the state was updated")
        return iter(answers)


class SlowProcessor(FaultyProcessor):
    """Waits after it has updated the state, in some first attempts; copies leave a file."""

    def process(self, payloads: list[bytes], watermark_millis: int) -> Iterator[object]:
        """Process, then wait at random; a copy does not wait."""
        answers, context = list(super().process(payloads, watermark_millis)), TaskContext.get()
        if context and context.attemptNumber() > 0:
            (self._folder / f"copy {context.taskAttemptId()}").touch()
        elif Random().random() < 0.3:  # noqa: S311 - no secret
            sleep(SLOW_SECONDS)
        return iter(answers)


class KillingProcessor(FaultyProcessor):
    """Kills its executor after it has updated the state, twice in all, and leaves a file each time.

    Another file shows that the executor survived.
    """

    def process(self, payloads: list[bytes], watermark_millis: int) -> Iterator[object]:
        """Process, then kill the process that started the daemon of the Python workers."""
        answers = list(super().process(payloads, watermark_millis))
        for death in ("first", "second"):
            with suppress(FileExistsError), (self._folder / f"{death} death").open("x"):
                os.kill(parent_of(os.getppid()), signal.SIGKILL)
                sleep(KILL_SECONDS)
                (self._folder / f"no {death} death").touch()
        return iter(answers)


def parent_of(process: int) -> int:
    """The id of the process that started a process."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


PROCESSORS = {"after": FailingProcessor, "slow": SlowProcessor, "death": KillingProcessor}


def inject_fault(fault: str, folder: Path) -> None:
    """Inject a fault into all streams that start from now on; their files go into the folder."""
    kind = partial(PROCESSORS[fault], folder) if fault in PROCESSORS else processor.Processor
    setattr(stream_query, "Processor", kind)  # noqa: B010 - not ours
