"""Documents of the repository as pages of the site: where each lies, and its links rewritten."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from posixpath import normpath

from cross_references import relative

ROOT = Path(__file__).parents[1]
FILES = "_files"
"""Where files that are no pages lie in the source of the site: pictures, code, transcripts."""

PAGES = {
    "docs/install.md": "learn/install",
    "docs/spark.md": "learn/spark-in-ten-minutes",
    "docs/verify.md": "learn/hold-an-engine",
    "docs/extending.md": "learn/write-a-window",
    "docs/engines.md": "understand/engines",
    "docs/interruptions.md": "understand/interruptions",
    "proofs/README.md": "understand/trust",
    "docs/audit.md": "how-to/audit-a-job",
    "docs/columns.md": "how-to/windows-over-arrow",
    "docs/wire.md": "how-to/adapter",
    "docs/diff.md": "how-to/diff-your-data",
    "docs/snapshots.md": "how-to/snapshots",
    "docs/spark-operations.md": "how-to/run-on-a-cluster",
    "docs/transcripts.md": "reference/transcripts",
    "docs/structures.md": "reference/structures",
    "docs/spark-reference.md": "reference/spark",
    "docs/spark-internals.md": "reference/spark-internals",
    "docs/diff-reference.md": "reference/diff",
    "docs/glossary.md": "reference/glossary",
    "docs/invariants.md": "evidence/claims",
    "docs/proved.md": "evidence/proved",
    "proofs/ERRATA.md": "evidence/errata",
    "proofs/mutants/README.md": "evidence/mutants",
    "CHANGELOG.md": "project/changelog",
    "CONTRIBUTING.md": "project/contributing",
    "docs/architecture.md": "project/architecture",
    "REFERENCES.md": "reference/papers",
    "tests/vectors/README.md": "reference/vectors/index",
    "README.md": "project/readme",
    "docs/examples/README.md": "reference/transcripts-to-draw",
    **{
        path.relative_to(ROOT).as_posix(): f"evidence/{path.stem}"
        for path in sorted((ROOT / "docs").glob("benchmarks-*.md"))
    },
    **{
        path.relative_to(ROOT).as_posix(): f"evidence/proofs/{path.stem}"
        for path in sorted((ROOT / "proofs").glob("*.md"))
        if path.stem not in ("README", "ERRATA")
    },
}
"""Each document of the repository that is a page, and its place in the site."""

VECTORS = "tests/vectors/README.md"
"""Its sections are pages of their own."""
LINK = re.compile(r"(?P<mark>!?)\[(?P<label>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")
REMOTE = re.compile(r"^[a-z]+:")


def page_text(path: str, page: str, files: set[str]) -> str:
    """The text of a document as a page; files that it links to are added to the set."""
    text = (ROOT / path).read_text("utf-8")
    text = text.replace("```mermaid", "```text").replace("```console", "```text")
    folder = PurePosixPath(path).parent

    def replacement(match: re.Match[str]) -> str:
        target, _, anchor = match["target"].partition("#")
        if REMOTE.match(match["target"]) or not target:
            return match[0]
        where = normpath((folder / target).as_posix())
        label, mark = match["label"], match["mark"]
        if (where, anchor) == (VECTORS, "dialects"):
            return f"[{match['label']}]({relative('reference/vectors/dialects', page)}.md)"
        if where in PAGES:
            return (
                f"{mark}[{label}]({relative(PAGES[where], page)}.md{'#' if anchor else ''}{anchor})"
            )
        if not (ROOT / where).is_file():
            return label
        files.add(where)
        return f"{mark}[{label}]({relative(f'{FILES}/{where}', page)})"

    return LINK.sub(replacement, text)


def broken_links(path: str) -> Iterator[str]:
    """Yield the links of a document that lead to no file or folder of the repository."""
    text, folder = (ROOT / path).read_text("utf-8"), PurePosixPath(path).parent
    for match in LINK.finditer(text):
        target = match["target"].partition("#")[0]
        if target and not REMOTE.match(target):
            where = normpath((folder / target).as_posix())
            if not (ROOT / where).exists():
                yield match["target"]
