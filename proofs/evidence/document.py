"""What is written from the claims: docs/invariants.md, and the table in README.md."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from evidence.checks import LEVELS, MEANINGS, ROOT, commands
from evidence.claim import PARTS, Check, Claim, Subject, claims, subjects

DOCUMENT, README = "docs/invariants.md", "README.md"
BEGIN, END = "<!-- claims: made by proofs/claims.py -->", "<!-- end of claims -->"

HEAD = """\
# Invariants

Made by `python proofs/claims.py --write` from `proofs/CLAIMS`; a test fails when it is stale.

What is always true of each structure, why, and what was done to make sure. You need no proof
assistant to read it: an invariant is a sentence about values that you can print between two calls,
and its reason is a few lines of English, in full in the proof text that is named.

S1, S2 and so on are the facts that the method `invariants` of the code checks between two calls, P
are lemmas and T theorems; other letters are explained where they stand. n is how many items a
window holds, d how many lie between a time and the nearer end of it, mu the smallest arity of a
tree. [How to read each kind of proof](../proofs/README.md) says what is behind the words.

Run the commands in the top folder: `make check` once, which makes the environment, then
`source .venv/bin/activate`. `export MUNTIN_PROFILE=ci` draws as many random runs as CI does.

What a machine has checked is called by one of five words. They are never mixed: a claim may have
evidence at several levels, each with its own scope, and counts in the tables at the strongest.
"""
TAIL = "## Where the claims of the papers are\n"


def stale_documents() -> Iterator[tuple[str, str]]:
    """Yield each document that is not up to date, with what it should be."""
    for name, text in ((DOCUMENT, page()), (README, readme())):
        path = ROOT / name
        if not path.is_file() or path.read_text() != text:
            yield name, text


def readme() -> str:
    """Return README.md with the table as it should be."""
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    return pattern.sub(lambda _: f"{BEGIN}\n\n{table()}\n{END}", (ROOT / README).read_text())


def table() -> str:
    """Return how many claims each subject has, each counted once, at its strongest level."""
    rows = [
        [f"[{subject.title}]({DOCUMENT}#{anchor(subject.title)})", *counts_by_level(subject.claims)]
        for subject in subjects()
    ]
    return "".join(
        table_lines(["claims about", *LEVELS], [*rows, ["all", *counts_by_level(claims())]])
    )


def counts_by_level(some: Iterable[Claim]) -> list[str]:
    """Return how many claims there are at each level."""
    levels = Counter(claim.level for claim in some)
    return [str(levels[level] or "") for level in LEVELS]


def table_lines(head: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    r"""Yield the lines of a table.

    >>> "".join(rows_of(["a", ""], [["1", ""]]))
    '| a | |\n| --- | --- |\n| 1 | |\n'
    """
    for cells in [head, ["---"] * len(head), *rows]:
        yield f"|{''.join(f' {cell} |' if cell else ' |' for cell in cells)}\n"


def anchor(title: str) -> str:
    """The name by which a heading is linked to.

    >>> anchor("Two-Stacks, Lite")
    'two-stacks-lite'
    """
    return re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")


def page() -> str:
    """Return docs/invariants.md."""
    meanings = table_lines(
        ["level", "what a machine has done"], [list(m) for m in MEANINGS.items()]
    )
    parts = "\n".join(text for part in PARTS for text in section(part))
    return f"{HEAD}\n{''.join(meanings)}\n{parts}\n{TAIL}\n{''.join(index())}"


def section(part: str) -> Iterator[str]:
    """Yield the subjects of one part."""
    if own := [subject for subject in subjects() if subject.part == part]:
        yield f"## {part}\n"
        yield from map(subject_section, own)


def subject_section(subject: Subject) -> str:
    """Return what is claimed of one subject, and then what was run."""
    code = ", ".join(map(link, subject.code))
    text = f" Proof: {link(subject.text)}." if subject.text else ""
    numbers = {check: str(i) for i, check in enumerate(distinct_checks(subject), 1)}
    rows = (
        [claim.label, sentence(claim), claim.why, ", ".join(numbers[c] for c in claim.checks)]
        for claim in subject.claims
    )
    lines = [f"### {subject.title}\n\n{subject.about} Code: {code}.{text}\n\n"]
    lines += table_lines(["", "what is always true", "why", "how checked"], rows)
    lines += ["\n", *(f"{number}. {check_line(check)}\n" for check, number in numbers.items())]
    return "".join(lines)


def distinct_checks(subject: Subject) -> list[Check]:
    """Return what is run for a subject, each once."""
    return list(dict.fromkeys(check for claim in subject.claims for check in claim.checks))


def check_line(check: Check) -> str:
    """Return what a check is, and the commands that run it."""
    return f"**{check.level}**, {check.scope}: `{'; '.join(commands(check.places))}`"


def sentence(claim: Claim) -> str:
    """Return what a claim states, as a sentence, and where it was first said."""
    return f"{sentence_case(claim.states)}. {'; '.join(claim.papers)}".strip()


def sentence_case(text: str) -> str:
    """A text with a capital letter, unless it begins with a formula or a name in the code.

    >>> [capital(text) for text in ("a tree folds", "n + 2 are kept", "pane(t) is a start")]
    ['A tree folds', 'n + 2 are kept', 'pane(t) is a start']
    """
    word = text.split(maxsplit=1)[0]
    is_code = "(" in word or "_" in word or (len(word) == 1 and word != "a")
    return text if is_code else text[0].upper() + text[1:]


def link(path: str) -> str:
    """A link from the document to a file."""
    return f"[{path.rpartition('/')[2]}](../{path})"


def index() -> Iterator[str]:
    """Yield a table of what the papers claim, and where to find it above."""
    titles = {subject.name: subject.title for subject in subjects()}
    places: dict[str, list[str]] = defaultdict(list)
    for claim in claims():
        for paper in claim.papers:
            title = titles[claim.subject]
            places[paper].append(f"[{title} {claim.label}](#{anchor(title)}), {claim.level}")
    rows = ([paper, "; ".join(found)] for paper, found in sorted(places.items()))
    yield from table_lines(["in the paper", "here"], rows)
