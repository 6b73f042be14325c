"""Mutants that only the lockstep notices: `PYTHONPATH=proofs python -m lockstep.sensitivity`.

Each must be noticed by the lockstep, and by none of the other killers that it names.
"""

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from evidence.checks import ROOT
from muntin.registry.model_process import EXECUTABLE
from mutants.mutant import PATHS, Mutant, copy_code, parse_mutant, plant, run_killer

FILE = ROOT / "proofs" / "lockstep" / "mutants.toml"
STATES = 20_000


def lockstep_mutants() -> list[Mutant]:
    """The mutants: their first killer is the structure, the others are those that they survive."""
    return [
        parse_mutant({**entry, "killers": (entry["structure"], *entry["others"])})
        for entry in tomllib.loads(FILE.read_text())["mutant"]
    ]


def difference(folder: Path, structure: str) -> str:
    """What the lockstep says of a structure in a copy of the code; empty if it finds nothing."""
    command = [sys.executable, "-B", "-m", "lockstep.run", "--only", structure]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(folder / path) for path in PATHS),
        "MUNTIN_MODEL": str(EXECUTABLE),
    }
    process = subprocess.run(  # noqa: S603 our own words
        [*command, "--states", str(STATES)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode and "Difference" not in process.stderr:
        raise RuntimeError(process.stderr)
    return process.stderr.strip().splitlines()[-3] if process.returncode else ""


def failures(folder: Path, mutant: Mutant) -> Iterator[str]:
    """Yield what is wrong with a mutant: not noticed, or noticed by others too."""
    structure, *others = mutant.killers
    with plant(folder / mutant.file, mutant):
        if not difference(folder, structure):
            yield f"{mutant.name}: the lockstep does not notice it"
    for killer in others:
        if error := run_killer(folder, killer, mutant):
            yield f"{mutant.name}: {killer} notices it too: {error}"


def main() -> int:
    """Run the command."""
    with TemporaryDirectory() as name:
        folder = copy_code(Path(name) / "code")
        wrong = [line for mutant in lockstep_mutants() for line in failures(folder, mutant)]
    sys.stdout.write("".join(f"{line}\n" for line in wrong))
    sys.stdout.write(f"{len(lockstep_mutants())} mutants, {len(wrong)} failures\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
