"""The theorems in Coq as text: without Coq, what `make coq` checks must be all that is claimed."""

import re
from collections import Counter
from pathlib import Path

import pytest

from coq.document import DOCUMENT, page
from coq.theorem_files import (
    FOLDER,
    ROOT,
    Check,
    ProofFile,
    Theorem,
    checks,
    listed_theorems,
    proof_files,
    theorems,
    without_comments,
)
from evidence.labels import labels, proved_labels, stated_facts

FILES = proof_files()
NAMES = [theorem.full_name for theorem in theorems()]
LINES, WIDTH, PROOF = 400, 100, 60
FORBIDDEN = re.compile(
    r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjectures?|Abort|Fail|Declare Module"
    r"|Module Type|bypass_check|Unset (Guard|Positivity|Universe) Checking)\b"
)
IN_SECTIONS_ONLY = re.compile(r"\b(Hypothes[ie]s|Variables?|Context|Let)\b")
SECTION = re.compile(r"\b(Section|End) (\w+)\.")
PROVED_STATEMENT = re.compile(r"\b(?:Theorem|Lemma|Corollary|Example) (\w+)")
DEFINITION = re.compile(r"\(definition\s+([A-Z]\d+)\)")


def broken_rules(source: str) -> list[str]:
    """Words that admit something without proof, and assumptions that stand outside a section."""
    code = without_comments(source)
    broken = [match.group() for match in FORBIDDEN.finditer(code)]
    sections: list[str] = []
    for line in code.splitlines():
        for kind, name in SECTION.findall(line):
            if kind == "Section":
                sections.append(name)
            elif name in sections:
                sections.remove(name)
        if not sections and (match := IN_SECTIONS_ONLY.search(line)):
            broken.append(match.group())
    return broken


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.path.stem)
def test_a_file_admits_nothing(file: ProofFile) -> None:
    assert broken_rules(file.source) == []


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("Lemma a : P. Admitted.", ["Admitted"]),
        ("Lemma a : P. Proof. admit. Qed.", ["admit"]),
        ("Axiom a : P.", ["Axiom"]),
        ("Parameter a : nat.", ["Parameter"]),
        ("Section S.\nEnd S.\nHypothesis a : P.", ["Hypothesis"]),
        ("Module M.\nVariable a : nat.\nEnd M.", ["Variable"]),
        ("Unset Guard Checking.", ["Unset Guard Checking"]),
        ("Section S.\nHypothesis a : P.\nEnd S. (* no Axiom *)", []),
    ],
)
def test_what_a_file_must_not_have_is_noticed(text: str, broken: list[str]) -> None:
    assert broken_rules(text) == broken


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.path.stem)
def test_a_file_and_its_proofs_are_short(file: ProofFile) -> None:
    lines = file.source.splitlines()
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= WIDTH
    assert file.longest_proof() <= PROOF


def test_each_file_is_compiled() -> None:
    listed = Counter(file.path.name for file in FILES)
    assert listed == Counter(path.name for path in FOLDER.glob("*.v") if path.stem != "Theorems")


def test_the_list_has_each_theorem_once() -> None:
    assert Counter(listed_theorems()) == Counter(NAMES)
    code = [name for file in FILES for name in re.findall(r"\bTheorem (\w+)", file.code)]
    assert len(code) == len(NAMES)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.path.stem)
def test_each_name_of_a_theorem_stands_once_in_its_file(file: ProofFile) -> None:
    times = Counter(PROVED_STATEMENT.findall(file.code))
    assert [theorem.name for theorem in file.theorems() if times[theorem.name] != 1] == []


def test_the_list_has_nothing_else() -> None:
    code = without_comments((FOLDER / "Theorems.v").read_text())
    rest = re.sub(r"Print Assumptions [\w.]+\.", "", code)
    assert re.fullmatch(r"\s*From Muntin Require[\s\w]+\.\s*", rest)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.path.stem)
def test_the_code_and_the_text_that_a_file_names_exist(file: ProofFile) -> None:
    named = [*file.field("Code"), *file.field("Text")]
    assert [name for name in named if not (ROOT / name).is_file()] == []
    is_control = file.path.stem.startswith("Controls")
    fields = bool(file.field("Code")), bool(file.field("Text")), bool(file.field("Idealised"))
    assert fields == ((False,) * 3 if is_control else (True,) * 3)


def known_labels(path: Path) -> set[str]:
    """The labels that a proof text proves, or that code states or defines."""
    text = path.read_text()
    if path.suffix == ".md":
        return set(proved_labels(text))
    return {label for label, _ in stated_facts(text)} | set(DEFINITION.findall(text))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.path.stem)
def test_each_label_of_a_theorem_is_one_of_its_proof_text(file: ProofFile) -> None:
    known = {label for name in file.field("Text") for label in known_labels(ROOT / name)}
    used = {label for theorem in file.theorems() for label in theorem.labels}
    assert used - known == set()
    assert all(theorem.labels for theorem in file.theorems())


def has_hypotheses(theorem: Theorem) -> bool:
    """Whether a statement, or its section, assumes something."""
    classes = ("lawful", "commutative") if theorem.module == "Monoid" else ()
    assumed = [line for line in theorem.given if any(word in line for word in classes)]
    hypotheses = [line for line in theorem.given if line.startswith("Hypothesis")]
    return "->" in theorem.statement or bool(assumed or hypotheses)


def unsupported(stated: list[Theorem], supports: list[Check]) -> set[str]:
    """The theorems that lack a control, or a witness for what they assume."""
    named = {
        kind: {name for check in supports if check.kind == kind for name in check.theorems}
        for kind in ("Control", "Witness")
    }
    names = {theorem.full_name for theorem in stated}
    assert named["Control"] | named["Witness"] <= names
    assumes = {theorem.full_name for theorem in stated if has_hypotheses(theorem)}
    return (names - named["Control"]) | (assumes - named["Witness"])


def test_each_theorem_has_a_control_and_each_hypothesis_a_witness() -> None:
    assert unsupported(theorems(), checks()) == set()


@pytest.mark.parametrize(
    ("section", "premise"),
    [("", "0 < x < 0 -> "), ("  Hypothesis never :\n    forall y, y < 0.\n", "")],
    ids=["of the statement", "of the section"],
)
def test_a_hypothesis_that_nobody_can_meet_is_noticed(
    tmp_path: Path, section: str, premise: str
) -> None:
    """A control is no witness, and there is no witness of what cannot be met."""
    path = tmp_path / "Sum.v"
    control = "(** Control of Sum.one: two. *)\nExample two : ~ 1 = 2.\nProof. easy. Qed.\n"
    text = f"  (** [T1] One is two. *)\n  Theorem one x : {premise}1 = 2.\n  Proof. lia. Qed.\n"
    path.write_text(f"(** Sums *)\nSection S.\n{section}{text}End S.\n{control}")
    file = ProofFile(path)
    assert unsupported(list(file.theorems()), list(file.checks())) == {"Sum.one"}


def test_each_control_refutes() -> None:
    """A control is the negation of a statement; what only fails to be proved is none."""
    controls = [check for check in checks() if check.kind == "Control"]
    sources = {file.path.stem: file.code for file in FILES}
    for check in controls:
        statement = re.search(rf"Example {check.name}\s*:\s*~", sources[check.module])
        assert statement, f"{check.module}.{check.name} is not a negation"


def test_the_page_is_up_to_date() -> None:
    assert page() == DOCUMENT.read_text(), "run: PYTHONPATH=proofs python proofs/coq/document.py"


def test_the_readers_find_the_parts_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "Sum.v"
    path.write_text(
        "(** Sums\n    Code: a.py\n    Text: b.md\n    Idealised: all. *)\n"
        "Section S.\n  Variable x : nat.\n  Hypothesis small :\n    x < 2.\n"
        "  (** [T1, S2-S3] One is one.\n"
        "      Not claimed: two. *)\n  Theorem one : 1 = 1.\n  Proof. easy. Qed.\nEnd S.\n"
        "(** Control of Sum.one: two. *)\nExample two : ~ 1 = 2.\nProof. easy. Qed.\n"
    )
    file = ProofFile(path)
    assert (file.title, file.field("Code"), file.field("Text")) == ("Sums", ["a.py"], ["b.md"])
    assert list(file.theorems()) == [
        Theorem(
            "Sum",
            "one",
            tuple(labels("T1 S2 S3")),
            "One is one.",
            "two.",
            ("Variable x : nat", "Hypothesis small : x < 2"),
            "Theorem one : 1 = 1.",
        )
    ]
    assert [(check.theorems, check.name) for check in file.checks()] == [(("Sum.one",), "two")]


def test_a_weakened_statement_is_noticed(tmp_path: Path) -> None:
    """The page shows each statement, so that a hypothesis more makes it stale."""
    strong = ProofFile(FOLDER / "Daba.v")
    statement = "relates d (x :: window) ->"
    assert strong.source.count(statement) == 1
    weak = tmp_path / "Daba.v"
    weak.write_text(strong.source.replace(statement, f"False -> {statement}"))
    shown = DOCUMENT.read_text()
    assert all(theorem.statement in shown for theorem in strong.theorems())
    missing = [t.name for t in ProofFile(weak).theorems() if t.statement not in shown]
    assert missing == ["evict_relates"]
