"""What was judged so far, chunk by chunk in a file: a run that was stopped goes on from there."""

import os
from pathlib import Path

from muntin.differential.noted import is_truncated_line, line
from muntin.differential.noted import read as noted
from muntin.differential.tally import Tally, read
from muntin.spec.errors import InvalidInputError, MuntinError


class Journal:
    """Lines about the chunks of runs; a run is known by all that its answers follow from."""

    def __init__(self, path: Path, run: str) -> None:
        """Read what is there of this run; a line that was cut short is what was not finished."""
        self._path, self._run = path, run
        self._known: dict[int, Tally] = {}
        whole, end, rest = self._held().rpartition(b"\n")
        for nth, one in enumerate(whole.split(b"\n") if end else (), 1):
            self._recall(nth, one)
        if not is_truncated_line(rest.decode(errors="replace")):
            raise self._foreign("its last line is no beginning of a line of ours")
        if rest:
            os.truncate(path, len(whole + end))

    def _held(self) -> bytes:
        """Return what is there, or say before anything is judged that nothing can be noted."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._append("")
            return self._path.read_bytes()
        except OSError as error:
            raise InvalidInputError(
                f"the journal {self._path} can't be written: {error.strerror}"
            ) from error

    def _recall(self, nth: int, text: bytes) -> None:
        try:
            record = noted(text)
            if record.run == self._run:
                self._known[record.chunk] = read(record.tally)
        except InvalidInputError as error:
            raise self._foreign(f"line {nth}: {error}") from error

    def _foreign(self, why: str) -> InvalidInputError:
        return InvalidInputError(
            f"{self._path} is no journal of muntin diff, and is left as it is: {why}; "
            "name a new file, or one that such a run began"
        )

    def known(self, chunk: int) -> Tally | None:
        """Return the tally of a chunk that was judged before."""
        return self._known.get(chunk)

    def note(self, chunk: int, tally: Tally) -> None:
        """Write the tally of a chunk down."""
        try:
            self._append(line(self._run, chunk, tally))
        except OSError as error:
            raise MuntinError(
                f"chunk {chunk} can't be noted in {self._path}: {error.strerror}; what was judged "
                "before it is there, and the same command goes on from there"
            ) from error

    def _append(self, text: str) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(text)
