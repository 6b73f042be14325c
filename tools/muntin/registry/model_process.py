"""The process that runs what Coq has extracted from proofs/coq: `make lockstep` compiles it.

It reads calls, one a line, and replies to some of them with a line.
"""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from muntin.spec.errors import InvalidInputError

EXECUTABLE = Path(
    os.environ.get("MUNTIN_MODEL", Path(__file__).parents[3] / "build" / "lockstep" / "model")
)
"""Where `make lockstep` writes it, unless the environment names another."""


class ModelMissingError(InvalidInputError):
    """The models have not been extracted and compiled."""


class ModelEndedError(Exception):
    """The process has ended before it replied."""


class ModelProcess:
    """A running model; it ends with the context."""

    def __init__(self, executable: Path = EXECUTABLE) -> None:
        """Start the executable."""
        if not executable.is_file():
            raise ModelMissingError(
                f"{executable} does not exist: run `make lockstep` in a clone, where Coq is"
            )
        self._process = subprocess.Popen(  # noqa: S603 our own executable
            [str(executable)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        """Enter the context."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the process."""
        self.end()

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()

    def send(self, lines: Sequence[str]) -> None:
        """Make calls, and wait for no reply."""
        stream = _open_stream(self._process.stdin)
        stream.write("".join(f"{line}\n" for line in lines))
        stream.flush()

    def reply(self, lines: Sequence[str]) -> str:
        """Make calls, of which the last has a reply."""
        self.send(lines)
        if text := _open_stream(self._process.stdout).readline():
            return text.rstrip("\n")
        raise ModelEndedError(f"the model ended at {lines[-1]!r}")


def _open_stream(stream: IO[str] | None) -> IO[str]:
    assert stream is not None, "both streams of the model are pipes"  # noqa: S101 Popen was given PIPE
    return stream
