"""Citations, rules and definitions as links, in Markdown and in docstrings.

`[Traub20, section 6]`, "rule 8" and "definition W2" are written everywhere as plain text; here each
becomes a link to the paper, the rule or the definition, except within code and within links.
"""

import re
from collections.abc import Callable, Iterator
from os.path import relpath
from pathlib import PurePosixPath

PAPERS, RULES, DEFINITIONS = "reference/papers", "reference/rules", "reference/definitions"

KEY = r"[A-Z][a-z]+\d\d[a-z]?"
PATTERN = re.compile(
    rf"(?P<papers>\[{KEY}[^\[\]]*\](?![(:\[]))"
    r"|\b(?P<rules>[Rr]ules \d+(?:(?:,| to| and|, and) \d+)+)"
    r"|\b(?P<rule>[Rr]ule (?P<number>\d+))\b"
    r"|\b(?P<definition>definition (?P<label>[A-Z]+\d+))\b"
)
PROTECTED = re.compile(r"(`+[^`]*`+|!?\[[^\[\]]*\]\([^)]*\)|<[^>]*>)")
"""Code, links and tags: what stays as it is within a line."""
FENCE = re.compile(r"^\s*(`{3,}|~{3,})")

Link = Callable[[str, str], str]
"""The text of a link, from its label and its target."""


def link_text(text: str, link: Link, known: frozenset[str]) -> str:
    """A text with its citations as links, those whose anchors exist.

    >>> known = frozenset({"reference/papers#li05", "reference/rules#rule-3"})
    >>> link_text("[Li05, Li05a] and rules 2, 3", lambda label, _: f"<{label}>", known)
    '[<Li05>, Li05a] and rules 2, <3>'
    """

    def known_link(label: str, target: str) -> str:
        return link(label, target) if target in known else label

    def replacement(match: re.Match[str]) -> str:
        if match["papers"]:
            paper = rf"\b{KEY}\b"
            return re.sub(paper, lambda k: known_link(k[0], f"{PAPERS}#{k[0].lower()}"), match[0])
        if match["rules"]:
            return re.sub(r"\d+", lambda n: known_link(n[0], f"{RULES}#rule-{n[0]}"), match[0])
        if match["rule"]:
            return known_link(match[0], f"{RULES}#rule-{match['number']}")
        return known_link(match[0], f"{DEFINITIONS}#{match['label'].lower()}")

    return PATTERN.sub(replacement, text)


def link_markdown(text: str, page: str, known: frozenset[str]) -> str:
    r"""Markdown of a page with its citations as links.

    >>> known = frozenset({"reference/rules#rule-8"})
    >>> link_markdown("By rule 8, not `rule 8`.", "understand/sessions", known)
    'By [rule 8](../reference/rules.md#rule-8), not `rule 8`.'
    """

    def link(label: str, target: str) -> str:
        name, _, anchor = target.partition("#")
        return f"[{label}]({relative(name, page)}.md#{anchor})"

    return "".join(_linked_lines(text, link, known))


def _linked_lines(text: str, link: Link, known: frozenset[str]) -> Iterator[str]:
    fence = ""
    for line in text.splitlines(keepends=True):
        marker = FENCE.match(line)
        if marker and not fence:
            fence = marker[1]
        elif marker and line.strip() == fence:
            fence = ""
            yield line
            continue
        if fence or line.startswith(("#", "    ")):
            yield line
            continue
        parts = PROTECTED.split(line)
        yield "".join(
            part if n % 2 else link_text(part, link, known) for n, part in enumerate(parts)
        )


def link_docstring(lines: list[str], page: str, known: frozenset[str]) -> None:
    """Make links of the citations in a docstring, in place; doctests stay as they are.

    >>> lines = ["By rule 8.", ">>> 'rule 8'", "'rule 8'"]
    >>> link_docstring(lines, "reference/api/a", frozenset({"reference/rules#rule-8"}))
    >>> lines
    ['By `rule 8 <../rules.html#rule-8>`__.', ">>> 'rule 8'", "'rule 8'"]
    """

    def link(label: str, target: str) -> str:
        name, _, anchor = target.partition("#")
        return f"`{label} <{relative(name, page)}.html#{anchor}>`__"

    in_doctest = False
    for number, line in enumerate(lines):
        in_doctest = line.lstrip().startswith(">>>") or (in_doctest and bool(line.strip()))
        if not in_doctest:
            parts = PROTECTED.split(line)
            lines[number] = "".join(
                part if n % 2 else link_text(part, link, known) for n, part in enumerate(parts)
            )


def relative(target: str, page: str) -> str:
    """The way from one page to another.

    >>> relative("reference/rules", "understand/sessions")
    '../reference/rules'
    """
    return relpath(target, PurePosixPath(page).parent)
