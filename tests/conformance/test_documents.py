"""The examples of docs/transcripts.md are valid, and come out as they say."""

import re
from pathlib import Path

import pytest

from muntin.cli.main import main
from muntin.conformance.transcript.model import OperatorTranscript, parse
from muntin.conformance.transcript.windows import WINDOW_CODECS
from muntin.spec.algebra.catalogue import NAMES
from muntin.spec.dialect import Dialect

PAGE = (Path(__file__).parents[2] / "docs" / "transcripts.md").read_text()
EXAMPLES = re.findall(r"^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("example", EXAMPLES)
def test_each_example_has_the_output_that_it_expects(
    example: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "example.json"
    path.write_text(example)
    assert main(["replay", str(path), "--check", "--with", "all"]) == 0
    assert "ok: " in capsys.readouterr().out


def test_there_are_examples_of_both_forms() -> None:
    forms = [isinstance(parse(example), OperatorTranscript) for example in EXAMPLES]
    assert len(forms) > 3
    assert len(set(forms)) == 2


def test_the_page_names_everything_there_is() -> None:
    for name in (*WINDOW_CODECS, *NAMES, *Dialect.__dataclass_fields__):
        assert f"`{name}`" in PAGE, name


def test_the_lines_that_the_page_shows_are_printed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    shown = re.findall(r"^    (\{.*\})$", PAGE, re.MULTILINE)
    printed = ""
    for nth, example in enumerate(EXAMPLES):
        path = tmp_path / f"{nth}.json"
        path.write_text(example)
        assert main(["replay", str(path)]) == 0
        printed += capsys.readouterr().out
    assert len(shown) == 2
    assert all(f"{line}\n" in printed for line in shown)
