"""Engines by the words that `muntin verify` takes: a folder, a command, an operator."""

import shutil
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from muntin.conformance.engines.engine import AdapterEngine, OperatorEngine, TracedEngine
from muntin.conformance.engines.engine_folder import FILE, EngineFolder, EngineRules, read_folder
from muntin.conformance.engines.process_engine import EngineCommand, ProcessEngine
from muntin.registry.lookup import operators
from muntin.spec.errors import InvalidInputError
from muntin.wire.step_adapter import StepAdapter

ENGINES = Path("engines")
"""Where the folders of engines lie, in the current folder."""


def open_engine(words: Sequence[str], seconds: float) -> tuple[TracedEngine, EngineRules]:
    """The engine that words stand for, and the rules that it is said to have."""
    name = words[0]
    if len(words) > 1:
        return _process(EngineFolder(EngineCommand(Path(name).name, tuple(words))), seconds)
    for folder in (ENGINES / name, Path(name)):
        if (folder / FILE).is_file():
            return _process(read_folder(folder), seconds)
    if ":" in name:
        return _own(name), EngineRules()
    if entries := operators(name):
        return OperatorEngine(name, entries[0].build), EngineRules()
    if shutil.which(name):
        return _process(EngineFolder(EngineCommand(Path(name).name, (name,))), seconds)
    known = ", ".join(sorted(path.parent.name for path in ENGINES.glob(f"*/{FILE}"))) or "none"
    raise InvalidInputError(
        f"{name!r} is no engine: neither a folder with {FILE} (in {ENGINES}: {known}), "
        "nor MODULE:NAME, an operator of `muntin list`, or a command"
    )


def _process(folder: EngineFolder, seconds: float) -> tuple[TracedEngine, EngineRules]:
    return ProcessEngine(folder.command, seconds), folder.rules


def _own(name: str) -> TracedEngine:
    """An adapter or an operator of the user's, in a module of the current folder too."""
    if "" not in sys.path:
        sys.path.insert(0, "")
    module, _, member = name.partition(":")
    try:
        adapter = getattr(import_module(module), member)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidInputError(f"{name!r} is no engine: {error}") from error
    if isinstance(adapter, type) and issubclass(adapter, StepAdapter):
        return AdapterEngine(adapter())
    return OperatorEngine(name, operators(name)[0].build)
