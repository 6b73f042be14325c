"""docs/verify.md: every command prints what the page says, and the mended operator passes."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "verify.md").read_text()
EXAMPLE = ROOT / "examples" / "verify-my-operator"
PROGRAMS = {
    "muntin": [sys.executable, "-m", "muntin.cli"],
    "pytest": [sys.executable, "-m", "pytest", "-p", "no:xdist", "-p", "no:cacheprovider"],
}
PLUGIN = ["-p", "muntin.conformance.pytest_plugin"]


def blocks() -> Iterator[tuple[str, str]]:
    """Each block of the page with its language, in order."""
    yield from re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def output(command: str, folder: Path) -> str:
    """What a command of the page prints."""
    program, *words = shlex.split(command)
    folders = [str(ROOT / name) for name in ("spec", "reference", "optimized", "tools")]
    path = os.pathsep.join([str(folder), *folders])
    process = subprocess.run(  # noqa: S603 - our own words
        [*PROGRAMS[program], *(PLUGIN if program == "pytest" else []), *words],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert process.stderr == ""
    return process.stdout


def test_the_page_is_what_happens(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    operator = folder / "my_operator.py"
    ran = 0
    for language, text in blocks():
        if language == "console":
            command, expected = text.removeprefix("$ ").split("\n", 1)
            printed = output(command, folder)
            assert expected in printed, printed
            ran += 1
        elif language == "diff":
            old, new = re.findall(r"^[-+](.*)\n", text, re.MULTILINE)
            assert operator.read_text().count(old) == 1
            operator.write_text(operator.read_text().replace(old, new))
    assert ran == 6


@pytest.mark.parametrize("code", [text for language, text in blocks() if language == "python"])
def test_the_code_is_that_of_the_example(code: str) -> None:
    assert any(code in path.read_text() for path in EXAMPLE.glob("*.py"))


def test_the_operator_is_short_and_knows_nothing_of_muntin() -> None:
    source = (EXAMPLE / "my_operator.py").read_text()
    assert len(source.splitlines()) <= 60
    assert "import muntin" not in source
    assert "from muntin" not in source
