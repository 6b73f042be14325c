"""Confirms lemmas: CrossHair has to say of each one that it holds on all paths.

    python proofs/confirm.py [module or module.lemma] ...

A lemma is a typed function: hypotheses, a blank line, a conclusion. The tool by itself exits with 0
also when it does not know, when no input meets the hypotheses, and when it finds nothing to check;
and it takes every assert but the last for a hypothesis where there is no other statement. So each
lemma is given to it twice, in copies that mark the blank line: as it is, which it has to confirm,
and with a conclusion that is false, which it has to refute. Without names: all of proofs/contracts.
"""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

from evidence.checks import ROOT, lemmas

FOLDER = ROOT / "proofs" / "contracts"
CONFIRMED, REACHED = "Confirmed over all paths.", "AssertionError: reached"
SECONDS = 60
"""CPU seconds after which CrossHair gives up on a lemma. All together take about as many."""
PATHS = [ROOT / name for name in ("spec", "reference", "optimized", "proofs")]


def modules() -> list[Path]:
    """Return the modules of lemmas."""
    return sorted(FOLDER.glob("*.py"))


def divided(source: str, lemma: str, mark: str) -> str:
    r"""Return a module where a statement takes the place of the blank line in a lemma.

    >>> print(divided("def f(a: int) -> None:\n    assert a\n\n    assert a * a", "f", "pass"))
    def f(a: int) -> None:
        assert a
        assert True; pass
        assert a * a
    """
    lines = source.splitlines()
    node = next(
        n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef) and n.name == lemma
    )
    body = [n for n in node.body if not isinstance(n, ast.Expr) or n is not node.body[0]]
    blank = [at for at in range(body[0].lineno - 2, node.end_lineno or 0) if not lines[at].strip()]
    if not blank:
        raise ValueError(f"{lemma} has no blank line between its hypotheses and its conclusion")
    if not all(isinstance(n, ast.Assert) for n in body if n.lineno <= blank[0]):
        raise ValueError(f"{lemma} does more than to assert before its blank line")
    lines[blank[0]] = f"    assert True; {mark}"
    return "\n".join(lines)


def verdict(path: Path, lemma: str) -> str:
    """Return what CrossHair says of a lemma, `Confirmed over all paths.` if all is well."""
    source = path.read_text()
    with TemporaryDirectory() as folder:
        for name, mark in (("stated", "pass"), ("falsified", "raise AssertionError('reached')")):
            (Path(folder) / f"{name}.py").write_text(divided(source, lemma, mark))
        stated, falsified = (said(folder, f"{name}.{lemma}") for name in ("stated", "falsified"))
    if not falsified.startswith(f"error: {REACHED}"):
        return f"no input meets the hypotheses: {falsified}"
    return stated.removeprefix("info: ")


def said(folder: str, target: str) -> str:
    """Return the line that CrossHair prints on a function."""
    command = [sys.executable, "-m", "crosshair", "check", "--analysis_kind=asserts"]
    options = ["--report_all", f"--per_condition_timeout={SECONDS}", target]
    done = subprocess.run(  # noqa: S603 - our own words
        [*command, *options],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([folder, *map(str, PATHS)])},
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )
    lines = [line.partition(": ")[2] for line in done.stdout.splitlines()]
    return "; ".join(lines) or done.stderr.strip()[-300:] or "nothing was checked"


def named(arguments: list[str]) -> Iterator[tuple[Path, str]]:
    """Yield the lemmas that are asked for."""
    for path in modules():
        for lemma in lemmas(path):
            if not arguments or {path.stem, f"{path.stem}.{lemma}"} & set(arguments):
                yield path, lemma


def main(arguments: list[str]) -> int:
    """Run the command."""
    failed, asked, begun = 0, list(named(arguments)), spent()
    for path, lemma in asked:
        before = spent()
        found = verdict(path, lemma)
        failed += found != CONFIRMED
        sys.stdout.write(f"{spent() - before:6.1f} s  {path.stem}.{lemma}: {found}\n")
        sys.stdout.flush()
    total = f"{len(asked) - failed} of {len(asked)} lemmas confirmed"
    sys.stdout.write(f"{spent() - begun:6.1f} s  {total}\n")
    return int(failed > 0 or not asked)


def spent() -> float:
    """Return the CPU seconds of the processes that were run."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
