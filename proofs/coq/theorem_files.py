"""The files of Coq as text: what they model, their theorems, and the controls of these.

Nothing here runs Coq; `make coq` does. A theorem has a comment with its labels, its English and
perhaps what it does not say; a control or a witness has one that names theorems.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from textwrap import dedent

from evidence.labels import labels

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "proofs" / "coq"
LISTED = re.compile(r"^Print Assumptions (\w+\.\w+)\.$", re.MULTILINE)
FIELD = re.compile(r"^ {4}(Code|Text|Idealised): ", re.MULTILINE)
THEOREM = re.compile(
    r"\(\*\* \[([^]]*)\] ((?:(?!\*\)).)*?)\s*\*\)\s*?\n( *Theorem (\w+).*?)\n *Proof\b", re.DOTALL
)
CHECK = re.compile(
    r"\(\*\* (Control|Witness) of ([\w., \n]+?): ((?:(?!\*\)).)*?)\s*\*\).*?Example (\w+)",
    re.DOTALL,
)
OPENING = re.compile(
    r"^ *(Section|End) (\w+)\.|^ *((?:Context|Variables?|Hypothes[ie]s) .*?)\.$",
    re.MULTILINE | re.DOTALL,
)
DEFINITION = re.compile(
    r"^( *(?:Definition|Fixpoint|Record|Inductive) (\w+)\b.*?\.(?: *\(\*.*?\*\))?)$",
    re.MULTILINE | re.DOTALL,
)
RELATIONS = ("invariants", "totals_hold")
NOT_CLAIMED = "Not claimed: "


@dataclass(frozen=True)
class Theorem:
    """A theorem that is claimed: its place, its labels, its English and its statement."""

    module: str
    name: str
    labels: tuple[str, ...]
    english: str
    not_claimed: str
    given: tuple[str, ...]
    statement: str

    @property
    def full_name(self) -> str:
        """The name with its module."""
        return f"{self.module}.{self.name}"


@dataclass(frozen=True)
class Check:
    """A control, which refutes a false variant, or a witness, which meets hypotheses."""

    kind: str
    theorems: tuple[str, ...]
    english: str
    module: str
    name: str


@dataclass(frozen=True)
class ProofFile:
    """One file of Coq."""

    path: Path

    @cached_property
    def source(self) -> str:
        """Its text."""
        return self.path.read_text()

    @cached_property
    def code(self) -> str:
        """Its text with comments blanked out, line by line."""
        return without_comments(self.source)

    @property
    def title(self) -> str:
        """The first line of the first comment."""
        return self.source.removeprefix("(** ").splitlines()[0]

    def field(self, name: str) -> list[str]:
        """The values of a field of the first comment: Code, Text or Idealised."""
        head = self.source[: self.source.index("*)")]
        parts = FIELD.split(head)[1:]
        values = zip(parts[::2], parts[1::2], strict=True)
        return [one_line(value) for key, value in values if key == name]

    def theorems(self) -> Iterator[Theorem]:
        """Yield the theorems that have a comment with labels."""
        for match in THEOREM.finditer(self.source):
            english, _, not_claimed = one_line(match[2]).partition(NOT_CLAIMED)
            yield Theorem(
                self.path.stem,
                match[4],
                tuple(labels(match[1])),
                english.strip(),
                not_claimed,
                tuple(self._given(match.start())),
                dedent(match[3]),
            )

    def _given(self, position: int) -> list[str]:
        """What the sections that are open at a position assume."""
        given: list[tuple[int, str]] = []
        depth = 0
        for match in OPENING.finditer(self.code[:position]):
            if match[1] == "Section":
                depth += 1
            elif match[1] == "End":
                depth -= 1
                given = [(level, text) for level, text in given if level <= depth]
            else:
                given.append((depth, one_line(match[3])))
        return [text for _, text in given]

    def checks(self) -> Iterator[Check]:
        """Yield the controls and the witnesses."""
        for match in CHECK.finditer(self.source):
            theorems = tuple(one_line(match[2]).split(", "))
            yield Check(match[1], theorems, one_line(match[3]), self.path.stem, match[4])

    def definitions(self) -> dict[str, str]:
        """The definitions by name: each ends where a line ends with a full stop."""
        return {match[2]: dedent(match[1]) for match in DEFINITION.finditer(self.source)}

    def stated_definitions(self) -> list[str]:
        """Those that the statements name, and those that the relation of these names."""
        known = self.definitions()
        texts = [" ".join((theorem.statement, *theorem.given)) for theorem in self.theorems()]
        named = words(" ".join(texts)) & known.keys()
        related = {name for name in named if "relates" in name or name in RELATIONS}
        named |= words(" ".join(known[name] for name in related)) & known.keys()
        return [text for name, text in known.items() if name in named]

    def longest_proof(self) -> int:
        """The number of lines of its longest proof."""
        proofs = re.findall(r"\bProof\b.*?\b(?:Qed|Defined)\.", self.code, re.DOTALL)
        return max((len(proof.splitlines()) for proof in proofs), default=0)


def words(text: str) -> set[str]:
    """The names in a text.

    >>> sorted(words("relates s (x :: held)"))
    ['held', 'relates', 's', 'x']
    """
    return set(re.findall(r"\w+", text))


def one_line(text: str) -> str:
    r"""The text with single spaces.

    >>> one_line("a\n   b")
    'a b'
    """
    return " ".join(text.split())


def without_comments(text: str) -> str:
    r"""The text with its comments, which may be nested, blanked out; lines stay where they are.

    >>> without_comments("a (* b (* c *)\n d *) e")
    'a             \n      e'
    """
    kept: list[str] = []
    depth = 0
    for token in re.split(r"(\(\*|\*\))", text):
        depth += token == "(*"  # noqa: S105 it opens a comment
        outside = not depth and token != "*)"  # noqa: S105 it closes one
        kept.append(token if outside else re.sub(r"[^\n]", " ", token))
        depth -= token == "*)"  # noqa: S105 it closes one
    return "".join(kept)


def proof_files() -> list[ProofFile]:
    """The files in the order in which they build on each other."""
    lines = (FOLDER / "_CoqProject").read_text().splitlines()
    return [ProofFile(FOLDER / line) for line in lines if line.endswith(".v")]


def listed_theorems() -> list[str]:
    """The names in Theorems.v."""
    return LISTED.findall((FOLDER / "Theorems.v").read_text())


def theorems() -> list[Theorem]:
    """All theorems, file by file."""
    return [theorem for file in proof_files() for theorem in file.theorems()]


def checks() -> list[Check]:
    """All controls and witnesses."""
    return [check for file in proof_files() for check in file.checks()]
