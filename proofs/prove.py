"""Proves theorems: Z3 must find no counterexample, and must refute every control.

    python proofs/prove.py [module or module.theorem] ...

Without names: all of proofs/smt.
"""

import sys
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from time import process_time
from types import ModuleType

from evidence.checks import ROOT, lemmas
from evidence.theorem import PROVED, Theorem

FOLDER = ROOT / "proofs" / "smt"


def theorems(path: Path) -> Iterator[tuple[str, Callable[[], Theorem]]]:
    """Yield the theorems of a module."""
    module = load_module(path)
    for name in lemmas(path):
        yield f"{path.stem}.{name}", getattr(module, name)


def load_module(path: Path) -> ModuleType:
    """The module of theorems in a file of proofs/smt, which is no package."""
    spec = spec_from_file_location(f"smt.{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded as a module of theorems")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def requested_theorems(arguments: list[str]) -> Iterator[tuple[str, Callable[[], Theorem]]]:
    """Yield the theorems that the arguments name; all, if there are none."""
    for path in sorted(FOLDER.glob("*.py")):
        for name, theorem in theorems(path):
            if not arguments or {path.stem, name} & set(arguments):
                yield name, theorem


def main(arguments: list[str]) -> int:
    """Run the command."""
    failed, checked = 0, 0
    for name, theorem in requested_theorems(arguments):
        before = process_time()
        statement = theorem()
        result = statement.outcome()
        checked, failed = checked + 1, failed + (result != PROVED)
        seconds, controls = process_time() - before, len(statement.controls)
        sys.stdout.write(f"{seconds:6.1f} s  {name}: {result}, {controls} controls\n")
        sys.stdout.flush()
    sys.stdout.write(f"{checked - failed} of {checked} theorems proved\n")
    return int(failed > 0 or not checked)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
