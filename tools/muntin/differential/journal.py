"""A journal: the tally of each chunk as a line of a file, from which an interrupted run resumes.

An entry is the run, the number of the chunk, and its tally, which is JSON in a string.
"""

import json
import os
import re
from pathlib import Path

from muntin.conformance.transcript.json_reader import JsonNode, load
from muntin.differential.tally import Tally, tally_from_json
from muntin.spec.errors import InvalidInputError, MuntinError

EMPTY_LINE = '{"run": "", "chunk": 0, "tally": ""}'
"""A line whose texts are empty, and whose number is 0."""


def is_truncated_line(text: str) -> bool:
    r"""Whether this can be the beginning of a line, or a line without its newline.

    >>> lines = '{"r', '{"run": "r\\', '{"run": "r", "chunk": 1', "a,b", '{"a": 1}'
    >>> [is_truncated_line(line) for line in lines]
    [True, True, True, False, False]
    """
    emptied = re.sub(r': "(?:[^"\\]|\\.)*+\\?', ': "', text)
    return EMPTY_LINE.startswith(re.sub("[0-9]+", "0", emptied))


class Journal:
    """The entries of one run in a file; `run` names all that its answers depend on."""

    def __init__(self, path: Path, run: str) -> None:
        """Read the entries of this run and cut off a truncated last line."""
        self._path, self._run = path, run
        self._tallies: dict[int, Tally] = {}
        complete, newline, last = self._read().rpartition(b"\n")
        for number, line in enumerate(complete.split(b"\n") if newline else (), 1):
            self._load(number, line)
        if not is_truncated_line(last.decode(errors="replace")):
            raise self._invalid("its last line is not the beginning of a journal entry")
        if last:
            os.truncate(path, len(complete + newline))

    def _read(self) -> bytes:
        """The content of the file; one that cannot be written is an error before the run starts."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._write("")
            return self._path.read_bytes()
        except OSError as error:
            message = f"the journal {self._path} can't be written: {error.strerror}"
            raise InvalidInputError(message) from error

    def _load(self, number: int, line: bytes) -> None:
        try:
            entry = JsonNode(load(line).value, "the line").fields(["run", "chunk", "tally"])
            chunk, tally = entry["chunk"].integer(0), entry["tally"].text()
            if entry["run"].text() == self._run:
                self._tallies[chunk] = tally_from_json(tally)
        except InvalidInputError as error:
            raise self._invalid(f"line {number}: {error}") from error

    def _invalid(self, why: str) -> InvalidInputError:
        return InvalidInputError(
            f"{self._path} is no journal of muntin diff, and is left as it is: {why}; "
            "name a new file, or one that such a run began"
        )

    def tally_of(self, chunk: int) -> Tally | None:
        """The tally of a chunk that an earlier run completed."""
        return self._tallies.get(chunk)

    def append(self, chunk: int, tally: Tally) -> None:
        """Write the entry of a chunk."""
        try:
            entry = {"run": self._run, "chunk": chunk, "tally": tally.to_json()}
            self._write(json.dumps(entry) + "\n")
        except OSError as error:
            raise MuntinError(
                f"chunk {chunk} can't be written to {self._path}: {error.strerror}; chunks before "
                "it are there, and the same command resumes after them"
            ) from error

    def _write(self, text: str) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(text)
