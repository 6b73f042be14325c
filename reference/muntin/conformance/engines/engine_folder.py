"""The folder of an engine: `engine.toml` says how it is started, which dialect and clock it has.

name = "bytewax"
command = [".venv/bin/python", "adapter.py"]

[dialect]
session_merge = "le"

[dialects.session] # what sessions have instead
lateness = "event"

[clock]
source = "greatest"
scope = "key"
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from muntin.conformance.engines.clock import EXPLICIT, Clock, read_clock
from muntin.conformance.engines.process_engine import EngineCommand
from muntin.conformance.transcript.json_reader import Json, JsonNode, TranscriptError
from muntin.conformance.transcript.model import read_dialect
from muntin.conformance.transcript.windows import WINDOW_NAMES
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.errors import InvalidInputError

FILE = "engine.toml"


@dataclass(frozen=True)
class EngineRules:
    """The dialect and clock that an engine is said to have; a window may have its own."""

    dialect: Dialect = OURS
    clock: Clock = EXPLICIT
    by_window: Mapping[str, Dialect] = field(default_factory=dict[str, Dialect])


def read_rules(members: Mapping[str, JsonNode]) -> EngineRules:
    """The rules in `engine.toml`; a window has the decisions of all, and its own over them."""
    shared = members.get("dialect", JsonNode({}))
    clock = read_clock(members["clock"]) if "clock" in members else EXPLICIT
    own = members["dialects"].fields((), WINDOW_NAMES) if "dialects" in members else {}
    by_window = {
        name: read_dialect(JsonNode({**values(shared), **values(node)}, node.path))
        for name, node in own.items()
    }
    return EngineRules(read_dialect(shared), clock, by_window)


def values(node: JsonNode) -> dict[str, Json]:
    """The members of an object."""
    return {name: member.value for name, member in node.members().items()}


@dataclass(frozen=True)
class EngineFolder:
    """What starts an engine, its rules, and whether its findings are published."""

    command: EngineCommand
    rules: EngineRules = EngineRules()
    published: bool = False


def read_folder(folder: Path) -> EngineFolder:
    """Read `engine.toml`; an error names the file and the field."""
    path = folder / FILE
    try:
        document = JsonNode(tomllib.loads(path.read_text("utf-8")), str(path))
        members = document.fields(
            ("name", "command"), ("dialect", "dialects", "clock", "published")
        )
        words = tuple(word.text() for word in members["command"].items())
        if not words:
            raise members["command"].type_error("a list of words, the program first")
        rules = read_rules(members)
        published = "published" in members and members["published"].flag()
    except (OSError, tomllib.TOMLDecodeError, TranscriptError) as error:
        raise InvalidInputError(f"the engine in {folder} cannot be read: {error}") from error
    command = EngineCommand(members["name"].text(), words, folder)
    return EngineFolder(command, rules, published)
