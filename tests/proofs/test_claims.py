"""Claims and checks: no claim without a check, no check without a claim, no stale document."""

import ast
import re
from pathlib import Path

import pytest

from evidence.checks import ROOT, Place, functions, required_checks
from evidence.claim import Claim, ClaimError, Subject, claims, read_subject, subjects
from evidence.document import anchor, readme, stale_documents, table
from evidence.labels import proved_labels, stated_facts

CLAIMS = list(claims())
IDS = [f"{claim.subject} {claim.label}" for claim in CLAIMS]
SOURCES = [p for folder in ("reference", "optimized") for p in (ROOT / folder).rglob("*.py")]
TEXTS = [p for p in sorted((ROOT / "proofs").glob("*.md")) if proved_labels(p.read_text())]
ERRATA = [*(ROOT / "tests" / "errata").glob("*.py"), *ROOT.glob("tests/*/test_errata_*.py")]

PAPERS = {
    "[Tangwongsan15]": (
        *("Theorem 4.1", "Theorem 4.2 (i)", "Theorem 4.2 (ii)", "Theorem 4.2 (iii)", "Claim 4.3"),
        *("Corollary 4.4 (i)", "Corollary 4.4 (ii)", "Corollary 4.4 (iii)"),
        *("equation 4.1", "equation 4.2", "section 5.1.1", "section 5.1.2", "Table 1", "Table 2"),
    ),
    "[Tangwongsan19]": (
        *(f"Theorem {number}" for number in range(1, 8)),
        *("Lemma 8", "Lemma 9", "section 3.1, size invariants", "section 4, window sharing"),
        *("section 3.1, up-aggregation invariant", "section 3.3, aggregation invariants"),
    ),
    "[Carbone16]": (
        *("section 2.1, FIFO windows", "section 3.2, deterministic windows"),
        *(
            "section 5.2, storage costs",
            "sections 3.1 and 5.2",
            "section 5.4",
            "Table 1",
            "Figure 7",
        ),
    ),
    "[Traub20]": (
        *("Figures 4, 5 and 6", "section 5.3", "section 5.3, minimum number of slices"),
        *(f"Algorithm {number}" for number in range(1, 7)),
        *("session cases 1.1 to 3", "section 8.4.1", "section 3.4"),
    ),
}
"""The claims of the papers that must have a row."""
LABELS = ("Rules forgetting", "Sessions equality", "The free monoid universal")
RULES = 16


@pytest.mark.parametrize("claim", CLAIMS, ids=IDS)
def test_each_check_of_a_claim_exists_and_has_its_level(claim: Claim) -> None:
    for check in claim.checks:
        assert [str(place) for place in check.places if not place.exists()] == []
        assert [str(place) for place in check.places if not place.can_have(check.level)] == []


def test_each_theorem_in_coq_is_linked_to_its_statement() -> None:
    headings = re.findall(r"^## (.*)$", (ROOT / "docs" / "proved.md").read_text(), re.MULTILINE)
    linked = re.findall(r"\(proved\.md#([^)]*)\)", (ROOT / "docs" / "invariants.md").read_text())
    assert linked
    assert {*linked} - {anchor(heading) for heading in headings} == set()


def test_what_is_proved_of_a_model_in_coq_names_coq() -> None:
    checks = {check for claim in CLAIMS for check in claim.checks}
    in_coq = [check for check in checks if any(p.path.endswith(".v") for p in check.places)]
    assert [check.scope for check in in_coq if not re.search("Coq|same model", check.scope)] == []


def test_no_label_is_given_twice() -> None:
    assert len(set(IDS)) == len(IDS)


def test_each_check_has_a_claim() -> None:
    assert required_checks() - {str(place) for claim in CLAIMS for place in claim.places} == set()


def subjects_of(path: Path) -> list[Subject]:
    return [subject for subject in subjects() if str(path.relative_to(ROOT)) in subject.code]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_each_fact_that_the_code_states_is_claimed(path: Path) -> None:
    claimed = {claim.label for subject in subjects_of(path) for claim in subject.claims}
    assert {label for label, _ in stated_facts(path.read_text())} - claimed == set()


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_each_label_that_a_text_proves_is_claimed(path: Path) -> None:
    texts = [subject for subject in subjects() if subject.text == str(path.relative_to(ROOT))]
    claimed = {claim.label for subject in texts for claim in subject.claims}
    assert set(proved_labels(path.read_text())) - claimed == set()


def modules_with_bounds() -> set[str]:
    """The modules with a class that bounds the cost of its calls."""
    defines = {path: ast.parse(path.read_text()) for path in SOURCES}
    return {
        path.stem
        for path, tree in defines.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name == "bound"
    }


def test_each_bound_is_claimed() -> None:
    """FiBA inherits its bound, and so claims one without a `bound` of its own."""
    claimed = {name for claim in CLAIMS for name in claim.bounds}
    assert modules_with_bounds() - claimed == set()
    assert claimed - {path.stem for path in SOURCES} == set()


def test_each_rule_is_claimed_and_each_vector_of_a_rule_shows_a_claim() -> None:
    rules = {claim.label for claim in CLAIMS if claim.label.startswith("rule ")}
    assert rules == {f"rule {number}" for number in range(1, RULES + 1)}
    shown = {path for claim in CLAIMS for place in claim.places for path in ROOT.glob(place.path)}
    assert set(ROOT.glob("tests/vectors/rules/*.json")) - shown == set()


def test_each_claim_of_the_papers_has_a_row() -> None:
    claimed = {paper for claim in CLAIMS for paper in claim.papers}
    required = {f"{key} {place}" for key, places in PAPERS.items() for place in places}
    assert required - claimed == set()
    titles = {subject.name: subject.title for subject in subjects()}
    assert set(LABELS) - {f"{titles[claim.subject]} {claim.label}" for claim in CLAIMS} == set()


def test_each_erratum_has_its_test_and_each_test_of_an_erratum_its_entry() -> None:
    """An entry may shorten a name: `test_figure_7_line_61_...`."""
    entries = set(re.findall(r"`(test_\w+?)(?:\.{3})?`", (ROOT / "proofs/ERRATA.md").read_text()))
    every = {name for path in (ROOT / "tests").rglob("*.py") for name in functions(path)}
    tests = {name for path in ERRATA for name in functions(path) if name.startswith("test_")}
    assert tests
    assert {
        entry for entry in entries if not any(name.startswith(entry) for name in every)
    } == set()
    assert {name for name in tests if not any(name.startswith(entry) for entry in entries)} == set()


def errata() -> list[str]:
    """The entries: paragraphs that begin with a number in bold, and rows of tables."""
    parts = (ROOT / "proofs/ERRATA.md").read_text().split("\n\n")
    lines = [line for part in parts if part.startswith("| where") for line in part.splitlines()[2:]]
    return [*(part for part in parts if re.match(r"\*\*\d", part)), *lines]


@pytest.mark.parametrize("entry", errata(), ids=lambda entry: entry[:40])
def test_no_erratum_is_without_a_test(entry: str) -> None:
    assert re.search(r"`test_\w+|\| the same \|$", entry)


def test_documents_are_up_to_date() -> None:
    assert [name for name, _ in stale_documents()] == [], "run `make claims`"
    assert table() in readme()


HEALTHY = """
title = "A"
part = "Operators"
about = "B."
code = ["reference/muntin/reference/recompute.py"]
[checks.one]
level = "tested"
scope = "small"
at = ["tests/proofs/test_claims.py::test_no_label_is_given_twice"]
[claims.S1]
why = "Because."
checks = ["one"]
"""


def test_the_sentence_of_a_fact_comes_from_the_code(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(HEALTHY)
    (claim,) = read_subject(tmp_path / "a.toml").claims
    assert (claim.label, claim.states) == ("S1", "the lists are the window")
    assert all(place.exists() for place in claim.places)


PROVED = """
[checks.two]
level = "proved"
scope = "of a model"
at = ["proofs/smt/slices.py::f"]
[checks.three]
level = "exhausted"
of = "a model"
scope = "small"
at = ["tests/proofs/test_claims.py::test_no_label_is_given_twice"]
"""


@pytest.mark.parametrize(
    ("needed", "of_a_model", "of_the_code"),
    [
        ('checks = ["one"]', "", "tested"),
        ('checks = ["two"]', "proved", ""),
        ('checks = ["one", "two"]', "proved", "tested"),
        ('checks = ["two", "three"]', "proved", ""),
        ('parts = { a = ["two"], b = ["one"] }', "tested", ""),
        ('parts = { a = ["two", "one"], b = ["one"] }', "tested", "tested"),
        ('parts = { a = ["two", "one"], b = ["three"] }', "exhausted", ""),
        ('parts = { a = ["one"], b = ["one"] }', "", "tested"),
    ],
)
def test_a_claim_is_as_strong_as_the_weakest_part_that_it_needs(
    tmp_path: Path, needed: str, of_a_model: str, of_the_code: str
) -> None:
    text = HEALTHY.replace('checks = ["one"]', needed)
    (tmp_path / "a.toml").write_text(text.replace("[claims", f"{PROVED}[claims"))
    (claim,) = read_subject(tmp_path / "a.toml").claims
    assert (claim.level("a model"), claim.level("the code")) == (of_a_model, of_the_code)


def test_what_is_confirmed_of_the_code_imports_it() -> None:
    checks = {c for claim in CLAIMS for c in claim.checks if c.level == "confirmed"}
    of_the_code = {p.path for c in checks if c.side == "the code" for p in c.places}
    of_a_model = {p.path for c in checks if c.side == "a model" for p in c.places}
    imports = {path for path in of_the_code | of_a_model if "muntin." in (ROOT / path).read_text()}
    assert (of_the_code, of_a_model & imports) == (imports, set())
    assert of_a_model


@pytest.mark.parametrize(
    ("healthy", "malformed", "message"),
    [
        ('level = "tested"', 'level = "sure"', "it needs a level"),
        ('part = "Operators"', 'part = "Else"', "part must be one of"),
        ('code = ["reference/muntin/reference/recompute.py"]', "", "it needs `code`"),
        ('checks = ["one"]', 'checks = ["two"]', "there is no check"),
        ('checks = ["one"]', "checks = []", "it needs checks"),
        ('checks = ["one"]', "parts = { a = [] }", "it needs checks"),
        ('checks = ["one"]', "parts = 3", "a table `parts`"),
        ('checks = ["one"]', 'checks = ["one"]\nparts = { a = ["one"] }', "a table `parts`"),
        ('scope = "small"', 'scope = "small"\nof = "hope"', "`of` is one of"),
        ("[claims.S1]", "[claims.S9]", "a sentence in `states` or in the code"),
        ('why = "Because."', "", "why must be a string"),
        ('why = "Because."', "whence = 1", "'whence'"),
        ('scope = "small"', "scope = 3", "scope must be a string"),
        ('at = ["tests', 'at = [3, "tests', "at must be a list of strings"),
    ],
)
def test_a_malformed_file_of_claims_is_rejected(
    tmp_path: Path, healthy: str, malformed: str, message: str
) -> None:
    assert healthy in HEALTHY
    (tmp_path / "a.toml").write_text(HEALTHY.replace(healthy, malformed))
    with pytest.raises(ClaimError, match=message):
        read_subject(tmp_path / "a.toml")


@pytest.mark.parametrize(
    "text",
    [
        "tests/proofs/test_nothing.py",
        "tests/proofs/test_claims.py::test_nothing",
        "tests/vectors/rules/99_*.json",
    ],
)
def test_a_missing_check_does_not_exist(text: str) -> None:
    assert not Place.parse(text).exists()


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("proofs/smt/a.py::b", ["proved"]),
        ("proofs/coq/A.v::b", ["proved"]),
        ("proofs/lockstep/a.py::b", ["tested"]),
        ("proofs/contracts/a.py::b", ["confirmed"]),
        ("proofs/exhaustive/a.py::b", ["exhausted"]),
        ("tests/a.py::b", ["exhausted", "tested"]),
        ("tests/vectors/a.json", ["tested"]),
        ("benchmarks/a.py", ["measured"]),
        ("docs/a.md", []),
    ],
)
def test_the_place_of_a_check_determines_its_possible_levels(text: str, levels: list[str]) -> None:
    every = ("confirmed", "exhausted", "measured", "proved", "tested")
    assert [level for level in every if Place.parse(text).can_have(level)] == levels
