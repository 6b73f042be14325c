"""What `make proofs` does with Coq: check all theorems and the lockstep, or say what it did not.

    PYTHONPATH=proofs python -m coq.gate

Without Coq it passes, unless MUNTIN_COQ=required, which CI sets. With Coq it also plants faults in
a copy of the theorems, each of which the check must refuse.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from coq.theorem_files import FOLDER, ROOT, theorems

PROGRAMS = ("coqc", "ocamlfind")
REQUIRED = "required"
FAULTS = {
    "an admitted theorem": "Theorem planted : 1 = 2. Admitted.",
    "an axiom": "Axiom granted : 1 = 2.\nTheorem planted : 1 = 2. Proof. exact granted. Qed.",
    "an assumption of a section that is left open": (
        "Section S.\nHypothesis granted : 1 = 2.\nTheorem planted : 1 = 2. exact granted. Qed."
    ),
    "a statement that does not follow": "Theorem planted : 1 = 2. Proof. reflexivity. Qed.",
}
"""Text at the end of Monoid.v, with a theorem `planted` that Theorems.v then names."""


def missing_programs() -> list[str]:
    """The programs that the check needs and that are not installed."""
    return [name for name in PROGRAMS if not shutil.which(name)]


def unchecked(missing: list[str]) -> str:
    """What to say where the theorems cannot be checked."""
    return (
        f"Coq: {', '.join(missing)} not installed, so {len(theorems())} theorems and the lockstep"
        " were not checked (apt-get install coq ocaml-nox ocaml-findlib)"
    )


def accepts(text: str) -> bool:
    """Whether the check accepts a theorem `planted` at the end of a file."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(FOLDER / "Makefile", folder)
        (folder / "_CoqProject").write_text("-Q . Muntin\nMonoid.v\n")
        (folder / "Monoid.v").write_text((FOLDER / "Monoid.v").read_text() + text)
        (folder / "Theorems.v").write_text(
            "From Muntin Require Monoid.\nPrint Assumptions Monoid.planted.\n"
        )
        command = ["make", "-C", str(folder), "check"]
        return not subprocess.run(command, check=False, capture_output=True).returncode  # noqa: S603 our own words


def accepted_faults() -> Iterator[str]:
    """Yield the faults that the check lets pass; what it must let pass is one if it does not."""
    if not accepts("Theorem planted : 1 = 1. Proof. reflexivity. Qed."):
        yield "a true theorem, which is refused"
    yield from (fault for fault, text in FAULTS.items() if accepts(text))


def main() -> int:
    """Run the command."""
    if missing := missing_programs():
        sys.stdout.write(unchecked(missing) + "\n")
        return int(os.environ.get("MUNTIN_COQ") == REQUIRED)
    status = subprocess.run(["make", "--no-print-directory", "lockstep"], cwd=ROOT, check=False)  # noqa: S607 the make of the user
    faults = list(accepted_faults())
    sys.stdout.write("".join(f"make coq lets pass: {fault}\n" for fault in faults))
    sys.stdout.write(f"make coq refuses {len(FAULTS)} planted faults\n" if not faults else "")
    return status.returncode or len(faults)


if __name__ == "__main__":
    raise SystemExit(main())
