"""docs/audit.md: the command prints what the page says, of the files of the example."""

import re
import shlex
from pathlib import Path

import pytest

from muntin.cli.main import main

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "audit.md"


def test_the_page_is_what_happens(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pattern = re.compile(r"^```console\n\$ muntin (.*?)^```", re.MULTILINE | re.DOTALL)
    (block,) = pattern.findall(PAGE.read_text())
    command, expected = block.split("\n", 1)
    monkeypatch.chdir(ROOT / "examples" / "audit-a-job")
    assert main(shlex.split(command)) == 1
    assert capsys.readouterr().out == expected
