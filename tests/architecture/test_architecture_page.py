"""docs/architecture.md leads somewhere: its links, the names that it gives, and its ten stages."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "architecture.md"
TEXT = PAGE.read_text()
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#[\w-]+)?\)")
NAMED = re.compile(r"`([\w.]+)`(?: in| of a)? \[[^\]]*\]\(([^)]+\.py)\)|\]\(([^)]+\.py)\) `(\w+)`")
STAGES = 10


def defined(path: Path) -> set[str]:
    """The classes of a module, its functions, and `Class.method`."""
    tree = ast.parse(path.read_text())
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    methods = {
        f"{owner.name}.{node.name}"
        for owner in classes
        for node in owner.body
        if isinstance(node, ast.FunctionDef)
    }
    return names | methods | {owner.name for owner in classes}


@pytest.mark.parametrize("link", sorted(set(LINK.findall(TEXT))))
def test_each_link_leads_to_a_file(link: str) -> None:
    assert (PAGE.parent / link).exists()


def test_each_function_stands_where_the_page_says() -> None:
    named = [(one or other, path or file) for one, path, file, other in NAMED.findall(TEXT)]
    assert len(named) > STAGES
    wrong = [
        (name, file) for name, file in named if name not in defined((PAGE.parent / file).resolve())
    ]
    assert wrong == []


def test_each_path_has_at_most_ten_stages() -> None:
    paths = [part for part in TEXT.split("\n## ")[1:] if "| stage |" in part]
    assert len(paths) == 3
    for part in paths:
        stages = re.findall(r"^\| (\d+) ", part, re.MULTILINE)
        assert [*map(int, stages)] == [*range(1, len(stages) + 1)]
        assert len(stages) <= STAGES
        assert {f'"{row}' for row in stages} <= {f'"{n}' for n in re.findall(r'\["(\d+) ', part)}
