"""The repository speaks the language of its field: modules and classes are nouns, no word is ours.

`docs/glossary.md` has the words; the rules of names are in CONTRIBUTING.md. What a later change
replaces as a whole is left out here, and the list of it may only shrink.
"""

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PORTIONS = ("spec", "reference", "optimized", "tools")
FOLDERS = (*PORTIONS, "proofs", "tests", "benchmarks")
LEFT_OUT = (
    "optimized/muntin/kernels/slicing/",
    "optimized/muntin/columnar/engine_group.py",
    "optimized/muntin/columnar/operator.py",
    "optimized/muntin/columnar/sharded_group.py",
    "tests/snapshot/test_forged_columns.py",
)
"""The columnar engine replaces the first; the others spell its names."""

MODULES = 15
"""How many modules a folder lists at most."""

NO_NOUNS = frozenset(
    (
        *("apart", "beside", "early", "over", "of", "with", "without", "between", "here", "there"),
        *("told", "asked", "taken", "held", "found", "given", "said", "kept", "wanted", "known"),
        *("needed", "needless", "settled", "sound", "alike", "foreign", "exact", "whole", "own"),
        *("going", "looking", "saying", "taking", "trying", "telling", "everything", "nothing"),
    )
)
PARTICIPLE = re.compile(r"(?:ing|ed)$")
NOUNS_IN_ING = frozenset(
    (
        *("defined", "drawing", "encoding", "narrowing", "sharing", "shrinking", "slicing"),
        "streaming",
    )
)
"""Nouns of the field that end as participles do."""

HOMONYMS: frozenset[str] = frozenset()
"""Classes of one name in several modules. It may only shrink."""

RETIRED = frozenset(
    (
        *("told", "tell", "tells", "telling", "untold", "retold", "retell", "asked", "asking"),
        *("taken", "settle", "settled", "settles", "settling", "needless", "beside", "apart"),
        *("gathered", "gathering", "heard", "unheard", "foreign", "alike", "births", "born"),
        *("wanted", "said", "saying", "noted", "torn", "contender", "contenders", "purse"),
        *("judge", "judged", "judging", "court", "verdict", "verdicts", "remembered", "unborn"),
    )
)
"""Parts of identifiers that the glossary replaces."""

RETIRED_PROSE = re.compile(
    r"\b(told|tells?|telling|untold|retold|settled?|settles|settling|whoever|so many|how manieth"
    r"|needless|nobody|somebody|anybody|everybody|thousand million|let go|made small|handed over"
    r"|contenders?|verdicts?|it is not so that)\b",
    re.IGNORECASE,
)
"""Words of docstrings, comments, messages and documents that the glossary replaces."""


def sources(*folders: str) -> list[Path]:
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return [path for path in paths if not name_of(path).startswith(LEFT_OUT)]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def documents() -> list[Path]:
    pages = [*ROOT.glob("*.md"), ROOT / "Makefile", ROOT / "pyproject.toml"]
    return [*pages, *(ROOT / "docs").rglob("*.md"), *(ROOT / "proofs").rglob("*.md")]


def identifiers(source: str) -> Iterator[tuple[int, str]]:
    """Every name in a source, with its line."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME:
            yield token.start[0], token.string


def prose(source: str) -> Iterator[tuple[int, str]]:
    """Every string and comment, with its line: docstrings and messages are strings."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            yield token.start[0], token.string


def retired_names(source: str) -> list[str]:
    r"""Identifiers with a retired part.

    >>> retired_names("def told_of(x):\n    return x.is_untold")
    ['1: told_of', '2: is_untold']
    """
    parts = ((line, name, set(name.lower().split("_"))) for line, name in identifiers(source))
    return [f"{line}: {name}" for line, name, words in parts if words & RETIRED]


def retired_words(source: str) -> list[str]:
    r"""Retired words of strings and comments.

    >>> retired_words("x = 1  # whoever reads\ny = 'it was told'")
    ['1: whoever', '2: told']
    """
    return [
        f"{line}: {word.group()}"
        for line, text in prose(source)
        for word in RETIRED_PROSE.finditer(text)
    ]


@pytest.mark.parametrize("folder", PORTIONS)
def test_modules_are_named_by_nouns(folder: str) -> None:
    names = {name_of(path): path.stem.strip("_").split("_") for path in sources(folder)}
    no_nouns = {name: words for name, words in names.items() if NO_NOUNS & {words[0], words[-1]}}
    assert no_nouns == {}
    ends = {name: words[-1] for name, words in names.items() if PARTICIPLE.search(words[-1])}
    assert {name: end for name, end in ends.items() if end not in NOUNS_IN_ING} == {}


def test_each_class_has_a_name_of_its_own() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in sources(*PORTIONS):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name_of(path))
    shared = {name: where for name, where in places.items() if len(where) > 1}
    assert {name: where for name, where in shared.items() if name not in HOMONYMS} == {}
    assert HOMONYMS - shared.keys() == set(), "the list of homonyms may shrink"


@pytest.mark.parametrize("folder", PORTIONS)
def test_a_folder_lists_at_most_a_chapter(folder: str) -> None:
    sizes: dict[str, int] = defaultdict(int)
    for path in sources(folder):
        sizes[name_of(path.parent)] += path.stem != "__init__"
    assert {name: size for name, size in sizes.items() if size > MODULES} == {}


@pytest.mark.parametrize("folder", PORTIONS)
def test_a_package_says_what_lives_there(folder: str) -> None:
    packages = [path for path in sources(folder) if path.stem == "__init__"]
    about = {name_of(path): ast.get_docstring(ast.parse(path.read_text())) for path in packages}
    assert about
    summaries = {name: (text or "").split("\n")[0] for name, text in about.items()}
    assert [name for name, text in summaries.items() if not text.endswith(".")] == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_retired_words_do_not_come_back_in_identifiers(folder: str) -> None:
    found = {name_of(path): retired_names(path.read_text()) for path in sources(folder)}
    assert {name: words for name, words in found.items() if words} == {}


@pytest.mark.parametrize("folder", FOLDERS)
def test_retired_words_do_not_come_back_in_docstrings_and_messages(folder: str) -> None:
    own = Path(__file__)
    paths = [path for path in sources(folder) if path != own]
    found = {name_of(path): retired_words(path.read_text()) for path in paths}
    assert {name: words for name, words in found.items() if words} == {}


def test_retired_words_do_not_come_back_in_documents() -> None:
    found = {
        name_of(path): [word.group() for word in RETIRED_PROSE.finditer(path.read_text())]
        for path in documents()
    }
    assert {name: words for name, words in found.items() if words} == {}
