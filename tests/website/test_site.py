"""The site: every page builds, every link leads somewhere, nothing is remote, search lands right.

What is generated is made when the site is built, so it cannot be stale; what is not found in the
repository any more (a vector, a rule, a trace that a page names) fails the build.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from builder import INDEXED, TRACE, build
from generated_pages import (
    anchors,
    api_sources,
    definition_labels,
    figure,
    rule_code,
    theme_style,
    trace_named,
    vector_entries,
)
from muntin.drawing.svg import TRACE_STYLE
from repository_pages import PAGES, ROOT, broken_links

HERE = ROOT / "website"
HAND_WRITTEN = sorted((HERE / "pages").rglob("*.md"))
RULES = 16
SECTIONS = ("learn", "understand", "how-to", "reference", "evidence", "project")
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
"""What a browser loads by itself, and the attribute that names it."""
SEARCHES = {
    "flink": "understand/engines",
    "beam": "understand/engines",
    "kafka": "understand/engines",
    "late": "understand/disorder",
    "retract": "understand/updates",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site, built as `make site` builds it: a warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    assert build(folder / "source", folder / "site") == 0
    return folder / "site"


class Links(HTMLParser):
    """The links of a page, what it loads, and its anchors."""

    def __init__(self, text: str) -> None:
        """Read a page."""
        super().__init__()
        self.links, self.loaded, self.anchors = list[str](), list[str](), set[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag leads to, loads, or is called."""
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag in LOADED and LOADED[tag] in values:
            self.loaded.append(values[LOADED[tag]])


def pages_of(site: Path) -> dict[Path, Links]:
    return {path: Links(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}


def test_every_link_leads_to_a_page_and_to_its_anchor(site: Path) -> None:
    pages = pages_of(site)
    broken = list[str]()
    for page, found in pages.items():
        for link in found.links:
            target, _, anchor = unquote(link).partition("#")
            if re.match(r"[a-z]+:", target) or target == "#":
                continue
            path = (page.parent / target).resolve() if target else page
            known = pages[path].anchors if path in pages else {anchor}
            if not path.is_file() or (anchor and anchor not in known):
                broken.append(f"{page.relative_to(site)}: {link}")
    assert broken == []
    assert len(pages) > len(PAGES)


def test_no_page_loads_anything_remote(site: Path) -> None:
    for page, found in pages_of(site).items():
        for name in found.loaded:
            assert not re.match(r"([a-z]+:)?//", name), (page, name)
            place = page.parent / re.split(r"[?#]", name)[0]
            assert name.startswith("data:") or place.exists(), (page, name)
    for path in [*site.rglob("*.css"), *site.rglob("*.svg")]:
        remote = re.findall(
            r"(?:url\(|@import )['\"]?(?:https?:)?//[^)'\"]*", path.read_text("utf-8")
        )
        assert remote == [], path


def test_citations_rules_and_definitions_are_links_in_docstrings_and_pages(site: Path) -> None:
    stream = (site / "reference" / "api" / "muntin.spec.stream.html").read_text("utf-8")
    for target in ("papers.html#traub20", "rules.html#rule-5", "definitions.html#e1"):
        assert target in stream
    disorder = (site / "understand" / "disorder.html").read_text("utf-8")
    assert "../reference/rules.html#rule-12" in disorder
    for anchor in anchors():
        name, _, label = anchor.partition("#")
        assert f'id="{label}"' in (site / f"{name}.html").read_text("utf-8")


def test_a_search_lands_on_the_right_page(site: Path) -> None:
    text = (site / "searchindex.js").read_text("utf-8")
    index = json.loads(text[text.index("{") : text.rindex("}") + 1])
    for word, page in SEARCHES.items():
        number = index["docnames"].index(page)
        entries = [
            number
            for name, hits in index["indexentries"].items()
            if word in name.lower()
            for number, *_ in hits
        ]
        titles = index["titleterms"].get(word, [])
        assert number in [*entries, *(titles if isinstance(titles, list) else [titles])], word


def test_doctests_are_code_on_the_page(site: Path) -> None:
    page = (site / "reference" / "api" / "muntin.spec.stream.html").read_text("utf-8")
    assert '<span class="gp">&gt;&gt;&gt; </span>' in page
    assert "<blockquote" not in page


def test_each_section_has_pages() -> None:
    pages = [*PAGES.values(), *(p.relative_to(HERE / "pages").as_posix() for p in HAND_WRITTEN)]
    assert {page.partition("/")[0] for page in pages if "/" in page} == set(SECTIONS)


@pytest.mark.parametrize("path", sorted(PAGES))
def test_links_of_the_repository_lead_to_files(path: str) -> None:
    assert list(broken_links(path)) == []


def test_every_vector_is_on_a_page() -> None:
    files = set((ROOT / "tests" / "vectors").rglob("*.json"))
    assert {entry.path for entry in vector_entries()} == files


def traces() -> Iterator[tuple[str, str]]:
    for page in HAND_WRITTEN:
        for match in TRACE.finditer(page.read_text("utf-8")):
            yield page.stem, match["name"]


@pytest.mark.parametrize(("page", "name"), [*traces()])
def test_each_trace_of_a_page_can_be_drawn(page: str, name: str) -> None:
    text = figure(trace_named(name), "caption")
    assert "<svg" in text, page
    assert "<style" not in text


def test_each_rule_has_code_or_vectors_and_each_label_one_definition() -> None:
    rules = [anchor for anchor in anchors() if anchor.startswith("reference/rules#")]
    assert len(rules) == RULES
    named = {number for _, numbers in rule_code() for number in numbers}
    assert {4, 8, 9, 11, 12} <= named
    assert {"E1", "W1", "X1"} <= set(definition_labels())


def test_public_modules_exist_and_are_few() -> None:
    names = [name for name, _ in api_sources()]
    assert len(names) == len(set(names))
    assert "muntin.spec.denotation" in names
    assert "muntin.conformance.inspection" in names


def test_pictures_follow_the_theme_of_the_page() -> None:
    style = theme_style()
    assert style.count("--paper:") == 3
    assert "data-theme=dark" in style
    assert all(line in style for line in TRACE_STYLE.splitlines()[-3:])


def test_what_is_indexed_are_pages() -> None:
    by_hand = {path.relative_to(HERE / "pages").with_suffix("").as_posix() for path in HAND_WRITTEN}
    assert set(INDEXED) <= {*PAGES.values(), *by_hand}


def test_the_citation_is_of_this_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    text = (ROOT / "CITATION.cff").read_text()
    assert f"version: {project['version']}\n" in text
    assert f"license: {project['license']}\n" in text


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "images").glob("*.svg")), ids=str)
def test_charts_follow_the_theme(path: Path) -> None:
    assert "prefers-color-scheme: dark" in path.read_text("utf-8")
