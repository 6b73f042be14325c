"""The process that runs the extracted models, and the comparison of the code with it.

The states of a run are compared by one digest: of what the code holds after each call, and of what
the model holds. If digests differ, the run is made again, call by call.
"""

import os
import subprocess
from array import array
from collections.abc import Sequence
from hashlib import md5
from pathlib import Path
from types import TracebackType
from typing import IO, Self

EXECUTABLE = Path(
    os.environ.get("MUNTIN_MODEL", Path(__file__).parents[2] / "build" / "lockstep" / "model")
)
"""Where `make lockstep` writes it, unless the environment names another."""


class ModelMissingError(Exception):
    """The models have not been extracted and compiled."""


class Difference(Exception):  # noqa: N818 it is what the comparison looks for
    """The code and the model do not hold the same after some call."""


class ModelProcess:
    """A running model; it ends with the context."""

    def __init__(self, executable: Path = EXECUTABLE) -> None:
        """Start the executable."""
        if not executable.is_file():
            raise ModelMissingError(f"{executable} does not exist: run `make lockstep`")
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
        raise Difference(f"the model ended at {lines[-1]!r}")


def _open_stream(stream: IO[str] | None) -> IO[str]:
    assert stream is not None, "both streams of the model are pipes"
    return stream


class Comparison:
    """Calls of a structure, and what it held after each, beside the model."""

    def __init__(self, model: ModelProcess, structure: str, *, each_call: bool = False) -> None:
        """Compare a structure, by its name in main.ml; by call, or all together."""
        self._model, self._structure, self._each_call = model, structure, each_call
        self._lines: list[str] = []
        self._numbers = array("q")
        self.states = 0

    def add(self, call: str, numbers: Sequence[int]) -> None:
        """Add a call, and what the code answered and holds."""
        self._lines.append(f"{self._structure} {call}")
        self._numbers.extend(numbers)
        if self._each_call:
            self.compare()

    def compare(self) -> None:
        """Raise Difference if the model held anything else after one of these calls."""
        lines, expected = self._lines, md5(self._numbers.tobytes()).hexdigest()  # noqa: S324 no secret
        digest = self._model.reply([*lines, "digest"])
        if digest != expected:
            code, model = " ".join(map(str, self._numbers)), self._model.reply(["show"])
            raise Difference(f"{lines[-1]}\n  code:  {code}\n  model: {model}")
        self.states += len(lines)
        self._lines, self._numbers = [], array("q")
