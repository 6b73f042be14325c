"""README: short, its commands run as shown, its numbers are printed by a command, links lead on.

Its Python runs as a doctest, and its Spark in tests/spark/test_document.py.
"""

import re
import shlex
from pathlib import Path

import pytest

from muntin.cli.main import main

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text("utf-8")
INSTALL = (ROOT / "docs" / "install.md").read_text("utf-8")
LINES, LONGEST = 80, 400
COMMANDS = re.findall(r"^(muntin [^#\n]*?)\s*(?:#.*)?$", TEXT, re.MULTILINE)
FACTOR = re.compile(r"(\d+\.\d+) times")


def test_it_is_short() -> None:
    assert len(TEXT.splitlines()) <= LINES
    assert max(map(len, TEXT.splitlines())) <= LONGEST


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_runs_as_shown(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("docs", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command)[1:]) == 0


def test_the_commands_are_all_found() -> None:
    assert [command.split()[1] for command in COMMANDS] == ["replay", "draw", "explain", "fuzz"]


def test_each_factor_is_printed_by_the_benchmark() -> None:
    printed = (ROOT / "docs" / "benchmarks-spark.md").read_text("utf-8")
    factors = re.findall(r"\d+\.\d\d", TEXT.partition("overlapping windows")[2].partition("(")[0])
    factors += FACTOR.findall(TEXT)
    assert factors
    assert all(f"{factor} times" in printed for factor in factors)


def test_what_needs_java_says_so() -> None:
    for text in (TEXT, INSTALL):
        assert "Java 17 or 21" in text
    assert "no Java" in TEXT


def test_the_picture_is_in_the_repository() -> None:
    (name,) = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", TEXT)
    assert (ROOT / name).is_file()
