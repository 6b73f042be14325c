"""Labels: a definition is made once, and a fact that has a proof has one."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("spec", "reference", "optimized", "proofs", "tests")
MODULES = [p for folder in ("reference", "optimized") for p in (ROOT / folder).rglob("*.py")]
PROOFS = sorted((ROOT / "proofs").glob("*.md"))

DEFINITION = re.compile(r"\(definition\s+([A-Z]\d+)\)")
LABEL = re.compile(r"\b([A-Z])(\d+)(?:-\1?(\d+))?\b")
FACT = re.compile(r"(?:[A-Z]\d+(?:-[A-Z]?\d+)?(?:, | and )?)+")
HEAD = re.compile(r"^\*\*(?=[A-Z]\d)(.+?)\*\*", re.MULTILINE)
PROOF = re.compile(r"proofs/(\w+\.md)")
IN_BRACKETS = re.compile(r"\([^()]*\)")


def labels(text: str) -> list[str]:
    """Return the labels in a text; S1-S3 stands for three.

    >>> labels("S1-S3, T2 and L4-5")
    ['S1', 'S2', 'S3', 'T2', 'L4', 'L5']
    """
    return [
        f"{letter}{number}"
        for letter, first, last in LABEL.findall(text)
        for number in range(int(first), int(last or first) + 1)
    ]


def facts(source: str) -> Iterator[str]:
    r"""Yield the labels of the facts that a module yields.

    >>> list(facts("def relates():\n    yield 'S1 and S2 all is well', True"))
    ['S1', 'S2']
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple):
            texts = (n.value for n in ast.walk(node.value.elts[0]) if isinstance(n, ast.Constant))
            match = FACT.match(next((text for text in texts if isinstance(text, str)), ""))
            yield from labels(match.group()) if match else ()


def proved(text: str) -> list[str]:
    """Return the labels that a text proves: those in bold at the beginning of a paragraph.

    >>> proved("**S1 (of P7), S2 (order (T9)).** From T1.")
    ['S1', 'S2']
    """
    heads = HEAD.findall(text)
    return [label for head in heads for label in labels(IN_BRACKETS.sub("", bare(head)))]


def bare(head: str) -> str:
    """Return a head without the innermost brackets."""
    return IN_BRACKETS.sub("", head)


def test_each_definition_is_made_once() -> None:
    made = Counter(
        label
        for path in (ROOT / "spec").rglob("*.py")
        for label in DEFINITION.findall(path.read_text())
    )
    assert made
    assert {label: times for label, times in made.items() if times > 1} == {}


def test_each_label_is_proved_once_in_its_text() -> None:
    times = Counter((path.name, label) for path in PROOFS for label in proved(path.read_text()))
    assert {place: count for place, count in times.items() if count > 1} == {}


def test_each_proof_that_is_named_exists() -> None:
    sources = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    named = {name for path in sources for name in PROOF.findall(path.read_text())}
    assert named - {path.name for path in PROOFS} == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_each_fact_of_a_structure_with_a_proof_is_proved(path: Path) -> None:
    source = path.read_text()
    own = {*PROOF.findall(source), f"{path.stem}.md"}
    texts = [proof.read_text() for proof in PROOFS if proof.name in own]
    known = {label for text in texts for label in proved(text)}
    assert not texts or set(facts(source)) <= known
