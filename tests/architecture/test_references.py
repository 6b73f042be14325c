"""Every paper that is cited stands in REFERENCES.md."""

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("spec", "reference", "optimized", "tools", "proofs", "tests", "benchmarks", "docs")
CITATION = re.compile(r"\[([A-Z][A-Za-z]+\d{2}[a-z]?)[\],;]")
ENTRY = re.compile(r"^- \*\*\[([A-Z][A-Za-z]+\d{2}[a-z]?)\]\*\*", re.MULTILINE)
REFERENCES = ROOT / "REFERENCES.md"


def texts() -> list[Path]:
    """All code and prose except the list itself."""
    inside = [
        p for folder in FOLDERS for ext in ("py", "md") for p in (ROOT / folder).rglob(f"*.{ext}")
    ]
    return [*inside, *(p for p in ROOT.glob("*.md") if p != REFERENCES)]


def test_every_cited_paper_is_listed() -> None:
    listed = set(ENTRY.findall(REFERENCES.read_text()))
    unlisted = {
        f"{path.relative_to(ROOT)}: {key}"
        for path in texts()
        for key in CITATION.findall(path.read_text())
        if key not in listed
    }
    assert unlisted == set()


def test_no_paper_is_listed_twice() -> None:
    listed = Counter(ENTRY.findall(REFERENCES.read_text()))
    assert listed
    assert set(listed.values()) == {1}
