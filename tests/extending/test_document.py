"""The page on extending shows the files that are tested, and keeps its promise on their length."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text()
SHOWN = re.compile(r"<!-- (tests/\S+) -->\n(.*?)<!-- end -->", re.DOTALL)
PROMISED = 30


def test_the_page_shows_each_example_as_it_is() -> None:
    shown = dict[str, str](SHOWN.findall(PAGE))
    files = {f"tests/extending/{path.name}" for path in Path(__file__).parent.glob("test_new_*.py")}
    assert set(shown) == files
    for path, text in shown.items():
        assert text == f"```python\n{(ROOT / path).read_text()}```\n", f"copy {path} into the page"


@pytest.mark.parametrize("path", sorted(Path(__file__).parent.glob("test_new_*.py")))
def test_an_extension_is_short(path: Path) -> None:
    """Count what is written for the extension: neither imports, nor tests, nor blank lines."""
    tree = ast.parse(path.read_text())
    own = [
        node
        for node in tree.body[1:]
        if not isinstance(node, ast.Import | ast.ImportFrom)
        and not ast.unparse(node).lower().startswith(("test", "def test"))
    ]
    lines = {line for node in own for line in range(node.lineno, (node.end_lineno or 0) + 1)}
    text = path.read_text().splitlines()
    written = [line for line in sorted(lines) if text[line - 1].strip()]
    assert 0 < len(written) < PROMISED
