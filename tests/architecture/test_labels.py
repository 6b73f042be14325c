"""Labels: each definition stands once, and each fact of a structure with a proof has one proof."""

import re
from collections import Counter
from pathlib import Path

import pytest

from evidence.labels import proved_labels, stated_facts

ROOT = Path(__file__).parents[2]
FOLDERS = ("spec", "reference", "optimized", "tools", "proofs", "tests")
MODULES = [p for folder in ("reference", "optimized") for p in (ROOT / folder).rglob("*.py")]
PROOFS = sorted((ROOT / "proofs").glob("*.md"))

DEFINITION = re.compile(r"\(definition\s+([A-Z]\d+)\)")
PROOF = re.compile(r"proofs/(\w+\.md)")


def test_each_definition_is_made_once() -> None:
    made = Counter(
        label
        for path in (ROOT / "spec").rglob("*.py")
        for label in DEFINITION.findall(path.read_text())
    )
    assert made
    assert {label: times for label, times in made.items() if times > 1} == {}


def test_each_label_is_proved_once_in_its_text() -> None:
    times = Counter(
        (path.name, label) for path in PROOFS for label in proved_labels(path.read_text())
    )
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
    proved = {label for text in texts for label in proved_labels(text)}
    assert not texts or {label for label, _ in stated_facts(source)} <= proved
