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
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

from evidence.checks import ROOT, lemmas

FOLDER = ROOT / "proofs" / "contracts"
CONFIRMED, REACHED = "Confirmed over all paths.", "AssertionError: reached"
SECONDS = 60
"""CPU seconds after which CrossHair gives up on a lemma. All together take about as many."""
PATHS = [ROOT / name for name in ("spec", "reference", "optimized", "tools", "proofs")]


def lemma_modules() -> list[Path]:
    """The modules of lemmas."""
    return sorted(FOLDER.glob("*.py"))


def marked_source(source: str, lemma: str, mark: str) -> str:
    r"""A module where a statement takes the place of the blank line in a lemma.

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


def outcomes(path: Path, names: Sequence[str]) -> dict[str, str]:
    """Return what CrossHair says of lemmas of a module, `Confirmed over all paths.` if all is well.

    To start the tool takes longer than most lemmas, so it is asked of all at once. What it says of
    one that is not confirmed and refuted as it should be is found out by asking of that one alone.
    """
    stated, falsified = messages_with_control(path, names)
    return {
        name: CONFIRMED
        if stated.get(name) == [f"info: {CONFIRMED}"]
        and [line.startswith(f"error: {REACHED}") for line in falsified.get(name, [])] == [True]
        else outcome(path, name)
        for name in names
    }


def outcome(path: Path, lemma: str) -> str:
    """Return what CrossHair says of one lemma."""
    stated, falsified = (
        "; ".join(chain(*found.values())) for found in messages_with_control(path, [lemma])
    )
    if not falsified.startswith(f"error: {REACHED}"):
        return f"no input meets the hypotheses: {falsified}"
    return stated.removeprefix("info: ")


MessagesByLemma = dict[str, list[str]]
"""What the tool says, by the lemma within which it is; or by nothing."""


def messages_with_control(
    path: Path, names: Sequence[str]
) -> tuple[MessagesByLemma, MessagesByLemma]:
    """Return what CrossHair says of lemmas as they are, and with conclusions that are false."""
    with TemporaryDirectory() as folder:
        for name, mark in (("stated", "pass"), ("falsified", "raise AssertionError('reached')")):
            source = path.read_text()
            for lemma in names:
                source = marked_source(source, lemma, mark)
            (Path(folder) / f"{name}.py").write_text(source)
        return crosshair_messages(folder, "stated", names), crosshair_messages(
            folder, "falsified", names
        )


def crosshair_messages(folder: str, module: str, names: Sequence[str]) -> MessagesByLemma:
    """The lines that CrossHair prints on functions of a module."""
    command = [sys.executable, "-m", "crosshair", "check", "--analysis_kind=asserts"]
    options = ["--report_all", f"--per_condition_timeout={SECONDS}"]
    done = subprocess.run(  # noqa: S603 - our own words
        [*command, *options, *(f"{module}.{name}" for name in names)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([folder, *map(str, PATHS)])},
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )
    file, found = Path(folder) / f"{module}.py", defaultdict[str, list[str]](list)
    within = {at: name for name, lines in line_ranges(file) for at in lines}
    for line in done.stdout.splitlines():
        place, _, message = line.partition(": ")
        where, _, number = place.rpartition(":")
        own = Path(where).name == file.name and number.isdecimal()
        found[within.get(int(number), "") if own else ""].append(message)
    return dict(found) or {"": [done.stderr.strip()[-300:] or "nothing was checked"]}


def line_ranges(file: Path) -> Iterator[tuple[str, range]]:
    """Yield each function of a module, and its lines."""
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, range(node.lineno, (node.end_lineno or node.lineno) + 1)


def requested_lemmas(arguments: list[str]) -> Iterator[tuple[Path, list[str]]]:
    """Yield the lemmas that are asked for, by module."""
    for path in lemma_modules():
        asked = {path.stem, *(f"{path.stem}.{lemma}" for lemma in lemmas(path))} & set(arguments)
        every = not arguments or path.stem in asked
        if names := [one for one in lemmas(path) if every or f"{path.stem}.{one}" in asked]:
            yield path, names


def main(arguments: list[str]) -> int:
    """Run the command."""
    failed, asked, begun = 0, 0, child_cpu_seconds()
    for path, names in requested_lemmas(arguments):
        before = child_cpu_seconds()
        found = outcomes(path, names)
        failed += sum(one != CONFIRMED for one in found.values())
        asked += len(found)
        sys.stdout.write(f"{child_cpu_seconds() - before:6.1f} s  {path.stem}\n")
        sys.stdout.writelines(f"          {name}: {one}\n" for name, one in found.items())
        sys.stdout.flush()
    sys.stdout.write(
        f"{child_cpu_seconds() - begun:6.1f} s  {asked - failed} of {asked} lemmas confirmed\n"
    )
    return int(failed > 0 or not asked)


def child_cpu_seconds() -> float:
    """The CPU seconds of the processes that were run."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
