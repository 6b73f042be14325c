"""Build the site: `make site`. Sources are assembled in build/site-source, pages in build/site.

Pages are written by hand (website/pages), taken from the repository, or generated; all become one
tree of MyST Markdown for Sphinx. Nothing is fetched, and nothing in the pages is remote.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from cross_references import link_markdown
from generated_pages import (
    ARCHIVE,
    VECTORS,
    anchor_file,
    anchors,
    figure,
    pages,
    theme_style,
    trace_named,
    vector_entries,
)
from repository_pages import FILES, PAGES, ROOT, page_text

HERE = Path(__file__).parent
SOURCE, SITE = ROOT / "build" / "site-source", ROOT / "build" / "site"
TRACE = re.compile(
    r"^```\{trace\} (?P<name>\S+)\n(?P<caption>.*?)\n?```$", re.MULTILINE | re.DOTALL
)
INDEXED = {
    "understand/engines": "Flink, Beam, Kafka, Kafka Streams, Spark, Bytewax, Pathway, Polars",
    "understand/updates": "retract, retraction, update, changelog",
    "understand/disorder": "late, lateness, watermark, out of order",
}
"""Words that a search shall find on a page before all others."""


def assemble(folder: Path) -> None:
    """Write the sources of all pages into a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    known, files = frozenset(anchors()), set[str]()
    texts = {page: page_text(path, page, files) for path, page in PAGES.items()}
    for path in sorted((HERE / "pages").rglob("*.md")):
        page = path.relative_to(HERE / "pages").with_suffix("").as_posix()
        texts[page] = TRACE.sub(_figure, path.read_text("utf-8"))
    for page, words in INDEXED.items():
        texts[page] = f"```{{index}} {words}\n```\n\n{texts[page]}"
    generated = dict(pages())
    texts |= {name.removesuffix(".md"): text for name, text in generated.items() if ".md" in name}
    for page, text in texts.items():
        _write(folder / f"{page}.md", link_markdown(text, page, known))
    for name, text in generated.items():
        if name.endswith(".rst"):
            _write(folder / name, text)
    for name in sorted(files):
        (folder / FILES / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / FILES / name)
    with ZipFile(folder / FILES / ARCHIVE, "w", ZIP_DEFLATED) as archive:
        for entry in vector_entries():
            archive.write(entry.path, entry.path.relative_to(VECTORS))
    shutil.copytree(HERE / "_static", folder / "_static")
    with (folder / "_static" / "site.css").open("a", encoding="utf-8") as style:
        style.write(theme_style())
    for module in ("conf.py", "cross_references.py"):
        shutil.copy(HERE / module, folder / module)
    _write(folder / "anchors.json", anchor_file())


def _figure(match: re.Match[str]) -> str:
    return figure(trace_named(match["name"]), " ".join(match["caption"].split()))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def build(source: Path = SOURCE, site: Path = SITE) -> int:
    """Assemble the sources and run Sphinx; the status is that of Sphinx, warnings being errors."""
    assemble(source)
    shutil.rmtree(site, ignore_errors=True)
    options = ["-b", "html", "-W", "--keep-going", "-q", "-d", str(source.parent / "doctrees")]
    command = [sys.executable, "-m", "sphinx", *options, str(source), str(site)]
    return subprocess.run(command, check=False).returncode  # noqa: S603 - our own words


if __name__ == "__main__":
    sys.exit(build())
