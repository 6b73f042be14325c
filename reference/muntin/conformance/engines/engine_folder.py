"""The folder of an engine: `engine.toml` says how it is started, and which dialect it has.

name = "bytewax"
command = [".venv/bin/python", "adapter.py"]

[dialect]
session_merge = "le"
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from muntin.conformance.engines.process_engine import EngineCommand
from muntin.conformance.transcript.json_reader import JsonNode, TranscriptError
from muntin.conformance.transcript.model import read_dialect
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.errors import InvalidInputError

FILE = "engine.toml"


@dataclass(frozen=True)
class EngineFolder:
    """What starts an engine, and the dialect that it is said to have."""

    command: EngineCommand
    dialect: Dialect = OURS


def read_folder(folder: Path) -> EngineFolder:
    """Read `engine.toml`; an error names the file and the field."""
    path = folder / FILE
    try:
        document = JsonNode(tomllib.loads(path.read_text("utf-8")), str(path))
        members = document.fields(("name", "command"), ("dialect",))
        words = tuple(word.text() for word in members["command"].items())
        if not words:
            raise members["command"].type_error("a list of words, the program first")
        dialect = read_dialect(members["dialect"]) if "dialect" in members else OURS
    except (OSError, tomllib.TOMLDecodeError, TranscriptError) as error:
        raise InvalidInputError(f"the engine in {folder} cannot be read: {error}") from error
    return EngineFolder(EngineCommand(members["name"].text(), words, folder), dialect)
