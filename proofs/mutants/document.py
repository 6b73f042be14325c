"""The list of mutants: `python proofs/mutants/document.py` writes proofs/mutants/README.md."""

import sys
from itertools import groupby

from evidence.checks import ROOT
from mutants.mutant import FOLDER, mutants

DOCUMENT = FOLDER / "README.md"

HEAD = """# Mutants

A verification that does not kill its mutants is not a verification. Each line is a fault in a file
of the code, with the verifications that must notice it. `tests/proofs/test_mutants.py` patches a
copy of the code with one fault at a time, runs each killer on it, and fails if a killer notices no
fault within a minute of CPU. It also fails if a patch does not fit exactly once, if the patched
code cannot be loaded, or if a killer fails on the code as it is. The `.toml` files here hold the
faults.

Killers (`killers.py`): `states` explores all small states of a structure, `finger` those of the
finger B+-tree, `traces` runs an operator on all small traces (of one mix of windows, if one is
named: `exhaustive/traces/operators.py`), `steps` makes every step of rebalancing, `laws` checks the
laws of the catalogue, `tests` runs a file of the test suite, or a test, `uncompiled` does so with
kernels that Python interprets, `vectors` replays the handwritten transcripts on an operator,
`lemmas` runs CrossHair. Killers in brackets run by night only (`MUNTIN_PROFILE=nightly`).

`make mutants` generates small faults in every module (`generated.py`), and prints those that none
of the killers of a file notices (`survivors.py`). It is meant for every week.

Written by `python proofs/mutants/document.py`.
"""


def document() -> str:
    """The text of proofs/mutants/README.md."""
    lines = [HEAD]
    by_file = sorted(mutants(), key=lambda mutant: mutant.file)
    for file, group in groupby(by_file, lambda mutant: mutant.file):
        lines += [f"## {file}", "", "| mutant | fault | killed by |", "| --- | --- | --- |"]
        for mutant in group:
            killers = [*mutant.killers, *(f"({killer})" for killer in mutant.nightly)]
            lines.append(f"| {mutant.name} | {mutant.fault} | {', '.join(killers)} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    DOCUMENT.write_text(document())
    sys.stdout.write(f"wrote {DOCUMENT.relative_to(ROOT)}\n")
