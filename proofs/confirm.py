"""Confirms lemmas: CrossHair must report that each one holds on all paths.

    python proofs/confirm.py [module or module.lemma] ...

A lemma is a typed function: hypotheses, a blank line, a conclusion. CrossHair by itself exits with
0 also when it does not know, when no input meets the hypotheses, and when nothing is to be checked;
and it treats every assert but the last as a hypothesis where there is no other statement. So each
lemma is checked twice, in copies that mark the blank line: as it is, which CrossHair must confirm,
and with a false conclusion, which it must refute. Without names: all of proofs/contracts.
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
"""CPU seconds after which CrossHair gives up on a lemma. All lemmas together take about that."""
PATHS = [ROOT / name for name in ("spec", "reference", "optimized", "tools", "proofs")]


def lemma_modules() -> list[Path]:
    """The modules of lemmas, in order of name."""
    return sorted(FOLDER.glob("*.py"))


def marked_source(source: str, lemma: str, mark: str) -> str:
    r"""The source with a statement in place of the blank line of a lemma.

    >>> lemma = "def f(a: int) -> None:\n    assert a\n\n    assert a * a"
    >>> print(marked_source(lemma, "f", "pass"))
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
    first, last = body[0].lineno - 2, node.end_lineno or 0
    blank = [index for index in range(first, last) if not lines[index].strip()]
    if not blank:
        raise ValueError(
            f"{lemma} has no blank line between its hypotheses and its conclusion: add one"
        )
    if not all(isinstance(n, ast.Assert) for n in body if n.lineno <= blank[0]):
        raise ValueError(f"{lemma} has more than asserts before its blank line: move the rest down")
    lines[blank[0]] = f"    assert True; {mark}"
    return "\n".join(lines)


def outcomes(path: Path, names: Sequence[str]) -> dict[str, str]:
    """CrossHair's result for each lemma of a module; `Confirmed over all paths.` is success.

    Starting CrossHair takes longer than most lemmas, so one run checks all of them. A lemma that
    is not both confirmed and refuted as it should be is checked again alone, for its message.
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
    """CrossHair's result for one lemma, run alone."""
    stated, falsified = (
        "; ".join(chain(*messages.values())) for messages in messages_with_control(path, [lemma])
    )
    if not falsified.startswith(f"error: {REACHED}"):
        return f"no input meets the hypotheses: {falsified}"
    return stated.removeprefix("info: ")


MessagesByLemma = dict[str, list[str]]
"""CrossHair's messages by the lemma whose lines they name; under "" if they name none."""


def messages_with_control(
    path: Path, names: Sequence[str]
) -> tuple[MessagesByLemma, MessagesByLemma]:
    """CrossHair's messages on the lemmas as they are, and with false conclusions."""
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
    """What CrossHair prints about functions of a module, without the place."""
    command = [sys.executable, "-m", "crosshair", "check", "--analysis_kind=asserts"]
    options = ["--report_all", f"--per_condition_timeout={SECONDS}"]
    process = subprocess.run(  # noqa: S603 - our own words
        [*command, *options, *(f"{module}.{name}" for name in names)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([folder, *map(str, PATHS)])},
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )
    file, messages = Path(folder) / f"{module}.py", defaultdict[str, list[str]](list)
    lemma_at = {line: name for name, lines in line_ranges(file) for line in lines}
    for line in process.stdout.splitlines():
        place, _, message = line.partition(": ")
        source, _, number = place.rpartition(":")
        is_own = Path(source).name == file.name and number.isdecimal()
        messages[lemma_at.get(int(number), "") if is_own else ""].append(message)
    return dict(messages) or {"": [process.stderr.strip()[-300:] or "nothing was checked"]}


def line_ranges(file: Path) -> Iterator[tuple[str, range]]:
    """Yield each function of a module with its lines."""
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, range(node.lineno, (node.end_lineno or node.lineno) + 1)


def requested_lemmas(arguments: list[str]) -> Iterator[tuple[Path, list[str]]]:
    """Yield the lemmas that the arguments name, by module; all, if there are none."""
    for path in lemma_modules():
        requested = {path.stem, *(f"{path.stem}.{lemma}" for lemma in lemmas(path))} & set(
            arguments
        )
        every = not arguments or path.stem in requested
        if names := [name for name in lemmas(path) if every or f"{path.stem}.{name}" in requested]:
            yield path, names


def main(arguments: list[str]) -> int:
    """Run the command."""
    failed, checked, begun = 0, 0, child_cpu_seconds()
    for path, names in requested_lemmas(arguments):
        before = child_cpu_seconds()
        results = outcomes(path, names)
        failed += sum(result != CONFIRMED for result in results.values())
        checked += len(results)
        sys.stdout.write(f"{child_cpu_seconds() - before:6.1f} s  {path.stem}\n")
        sys.stdout.writelines(f"          {name}: {result}\n" for name, result in results.items())
        sys.stdout.flush()
    sys.stdout.write(
        f"{child_cpu_seconds() - begun:6.1f} s  {checked - failed} of {checked} lemmas confirmed\n"
    )
    return int(failed > 0 or not checked)


def child_cpu_seconds() -> float:
    """CPU seconds of the child processes that have ended."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
