"""A process that speaks the wire: a request is a line to its stdin, replies are lines of stdout.

Each request has a time limit, after which the process and its children are killed.
"""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Timer
from typing import IO

from muntin.conformance.transcript.json_reader import JsonNode, TranscriptError, load
from muntin.spec.errors import MuntinError
from muntin.wire.messages import Json

MAX_REPLY = 64 * 2**20
"""How many characters a reply may have."""
SHOWN_LINES, SHOWN_CHARACTERS = 5, 300
"""How much of stderr, and of a malformed reply, a message shows."""


class AdapterError(MuntinError):
    """An adapter that breaks the rules of the wire."""


class LostAdapterError(AdapterError):
    """An adapter that ended, or did not reply in time: the process is gone."""


class AdapterProcess:
    """A process, started at once, that replies to one request at a time."""

    def __init__(self, name: str, command: Sequence[str], folder: Path) -> None:
        """Start a command in a folder; its Python finds `muntin.wire`, and no other module of ours.

        An error names a command that cannot be started.
        """
        self._name, self._expired, self._seconds = name, False, 0.0
        self._modules = TemporaryDirectory(prefix="muntin-wire-")
        self._stderr: IO[str] = TemporaryFile(  # noqa: SIM115 - `discard` closes it
            "a+", encoding="utf-8", errors="replace"
        )
        program = shutil.which((folder / command[0]).absolute()) or command[0]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the command is the user's
                [program, *command[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                cwd=folder,
                env=_environment(Path(self._modules.name)),
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,  # its children are killed with it
            )
        except OSError as error:
            self._stderr.close()
            self._modules.cleanup()
            raise AdapterError(f"the engine {name} cannot be started: {error}") from error

    def replies(
        self, request: Mapping[str, Json], seconds: float, is_last: Callable[[JsonNode], bool]
    ) -> list[JsonNode]:
        """Send a request, and read replies until the last; LostAdapterError if there is none."""
        timer = Timer(seconds, self._expire)
        self._seconds = seconds
        timer.start()
        replies: list[JsonNode] = []
        try:
            self._send(json.dumps(request))
            while not replies or not is_last(replies[-1]):
                replies.append(self._reply())
        finally:
            timer.cancel()
        return replies

    def close(self) -> str:
        """End the input, wait for the process, and return what it still wrote to stdout."""
        stdin, stdout = self._pipes()
        timer = Timer(10, self.kill)
        timer.start()
        try:
            with suppress(OSError):
                stdin.close()
            rest = stdout.read(MAX_REPLY)
            self._process.wait()
        finally:
            timer.cancel()
            self.kill()
        return rest

    def kill(self) -> None:
        """End the process and its children at once."""
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def discard(self) -> None:
        """Kill the process, and free what it used."""
        self.kill()
        for pipe in (*self._pipes(), self._stderr):
            with suppress(OSError):  # a request that was not read is still in the buffer
                pipe.close()
        self._modules.cleanup()

    def error(self, what: str) -> AdapterError:
        """The error that a reply breaks the rules."""
        return AdapterError(f"the adapter of {self._name} {what}{self._last_words()}")

    def _pipes(self) -> tuple[IO[str], IO[str]]:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise TypeError("the process was started without pipes")
        return stdin, stdout

    def _expire(self) -> None:
        self._expired = True
        self.kill()

    def _send(self, line: str) -> None:
        stdin, _ = self._pipes()
        try:
            stdin.write(line + "\n")
            stdin.flush()
        except OSError as error:
            raise self._lost() from error

    def _reply(self) -> JsonNode:
        _, stdout = self._pipes()
        line = stdout.readline(MAX_REPLY)
        if not line.endswith("\n"):
            raise self._lost()
        try:
            reply = JsonNode(load(line).value, "the reply")
            _ = reply.members()["type"]
        except (TranscriptError, KeyError) as error:
            shown = line.strip()[:SHOWN_CHARACTERS]
            what = f"must reply with JSON objects that have a type, but wrote {shown!r}"
            raise self.error(what) from error
        return reply

    def _lost(self) -> LostAdapterError:
        if self._expired:
            what = f"did not reply within {self._seconds:g} s, and was killed"
        else:
            what = f"ended with status {self._process.wait()} instead of a reply"
        return LostAdapterError(f"the adapter of {self._name} {what}{self._last_words()}")

    def _last_words(self) -> str:
        self._stderr.seek(0)
        lines = [line.rstrip()[:SHOWN_CHARACTERS] for line in self._stderr.readlines()]
        shown = "\n  ".join(line for line in lines[-SHOWN_LINES:] if line)
        return f"; the end of its stderr:\n  {shown}" if shown else ""


def _environment(folder: Path) -> dict[str, str]:
    """The environment of an adapter: a folder with `muntin.wire` comes first on its path.

    The package is copied, for the folder of the installed one has all modules of this process.
    """
    with as_file(files("muntin.wire")) as package:
        shutil.copytree(
            package, folder / "muntin" / "wire", ignore=shutil.ignore_patterns("__pycache__")
        )
    others = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {**others, "PYTHONPATH": str(folder)}
