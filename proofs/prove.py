"""Proves theorems: Z3 has to find no counterexample, and to refute every control.

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
    """A module of theorems."""
    spec = spec_from_file_location(f"smt.{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no module")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def requested_theorems(arguments: list[str]) -> Iterator[tuple[str, Callable[[], Theorem]]]:
    """Yield the theorems that are asked for."""
    for path in sorted(FOLDER.glob("*.py")):
        for name, theorem in theorems(path):
            if not arguments or {path.stem, name} & set(arguments):
                yield name, theorem


def main(arguments: list[str]) -> int:
    """Run the command."""
    failed, asked = 0, 0
    for name, theorem in requested_theorems(arguments):
        before = process_time()
        made = theorem()
        found = made.outcome()
        asked, failed = asked + 1, failed + (found != PROVED)
        sys.stdout.write(
            f"{process_time() - before:6.1f} s  {name}: {found}, {len(made.controls)} controls\n"
        )
        sys.stdout.flush()
    sys.stdout.write(f"{asked - failed} of {asked} theorems proved\n")
    return int(failed > 0 or not asked)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
