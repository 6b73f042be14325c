"""What was judged so far, chunk by chunk in a file: a run that was stopped goes on from there."""

import json
from pathlib import Path

from muntin.cli.differential.plan import Plan
from muntin.cli.differential.tally import Tally, read
from muntin.spec.errors import InvalidInputError, MuntinError


class Journal:
    """Lines of JSON: the run, the number of the chunk, and its tally."""

    def __init__(self, path: Path, plan: Plan, source: str) -> None:
        """Read what is there of this run; a line that was cut short is what was not finished."""
        self._path, self._run = path, f"{plan} {source}"
        self._known: dict[int, Tally] = {}
        self._open()
        lines = path.read_text("utf-8").split("\n")
        for line in lines[:-1]:
            self._recall(line)
        if lines[-1]:
            path.write_text("".join(f"{line}\n" for line in lines[:-1]), "utf-8")

    def _open(self) -> None:
        """Say so before anything is judged if nothing can be written down."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._append("")
        except OSError as error:
            raise InvalidInputError(
                f"the journal {self._path} can't be written: {error.strerror}"
            ) from error

    def _recall(self, line: str) -> None:
        try:
            members = json.loads(line)
            if members["run"] == self._run:
                self._known[members["chunk"]] = read(members["tally"])
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInputError(
                f"{self._path} is no journal of muntin diff: {error}"
            ) from error

    def known(self, chunk: int) -> Tally | None:
        """Return the tally of a chunk that was judged before."""
        return self._known.get(chunk)

    def note(self, chunk: int, tally: Tally) -> None:
        """Write the tally of a chunk down."""
        members = {"run": self._run, "chunk": chunk, "tally": tally.written()}
        try:
            self._append(json.dumps(members) + "\n")
        except OSError as error:
            raise MuntinError(
                f"chunk {chunk} can't be noted in {self._path}: {error.strerror}; what was judged "
                "before it is there, and the same command goes on from there"
            ) from error

    def _append(self, text: str) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(text)
