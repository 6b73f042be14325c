"""A file is read in one sitting, a function at a glance, the specification in an hour."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("spec", "reference", "optimized", "tools", "proofs", "tests", "benchmarks")
FILE, FUNCTION = 500, 40
SPECIFICATION_FILE, SPECIFICATION = 300, 1400


def lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def functions(source: str) -> Iterator[tuple[str, int]]:
    r"""Yield each function with its length, docstring included, decorators not.

    >>> list(functions("@cache\ndef f():\n    return 1\n"))
    [('f', 2)]
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


@pytest.mark.parametrize("folder", FOLDERS)
def test_files_are_short(folder: str) -> None:
    sizes = {str(path.relative_to(ROOT)): lines(path) for path in (ROOT / folder).rglob("*.py")}
    assert {name: size for name, size in sizes.items() if size > FILE} == {}


@pytest.mark.parametrize("folder", FOLDERS)
def test_functions_are_short(folder: str) -> None:
    sizes = {
        f"{path.relative_to(ROOT)}: {name}": size
        for path in (ROOT / folder).rglob("*.py")
        for name, size in functions(path.read_text())
    }
    assert {name: size for name, size in sizes.items() if size > FUNCTION} == {}


def code_lines(path: Path) -> int:
    """The number of lines without imports and blank lines."""
    source = path.read_text()
    imports = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Import | ast.ImportFrom)]
    of_imports = sum((n.end_lineno or n.lineno) - n.lineno + 1 for n in imports)
    return sum(bool(line.strip()) for line in source.splitlines()) - of_imports


def test_the_specification_is_short() -> None:
    paths = list((ROOT / "spec").rglob("*.py"))
    assert max(map(lines, paths)) < SPECIFICATION_FILE
    assert sum(map(code_lines, paths)) < SPECIFICATION
