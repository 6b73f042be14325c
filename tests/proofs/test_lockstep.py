"""The lockstep as far as it needs no Coq: its words, its comparison, what it says without Coq."""

import re
from collections.abc import Sequence
from hashlib import md5
from itertools import product
from random import Random

import pytest

from coq import gate
from coq.theorem_files import ROOT, theorems
from lockstep.comparison import Comparison, Difference
from lockstep.run import RUNS
from lockstep.sensitivity import lockstep_mutants
from lockstep.words import (
    IDENTITY,
    LINES,
    PRIME,
    CountedWords,
    compose,
    compose_lines,
    letter,
    suffix_after,
)
from muntin.registry.model_process import ModelMissingError, ModelProcess

LETTERS = [letter(Random(seed)) for seed in range(4)]  # noqa: S311 reproducible, not secret
MODEL = (ROOT / "proofs" / "lockstep" / "main.ml").read_text()


def test_words_are_a_monoid_with_inverses_that_does_not_commute() -> None:
    for x, y, z in product([IDENTITY, *LETTERS], repeat=3):
        assert compose(x, compose(y, z)) == compose(compose(x, y), z)
        assert compose(x, IDENTITY) == x == compose(IDENTITY, x)
        assert suffix_after(compose(x, y), x) == y
    assert compose(LETTERS[0], LETTERS[1]) != compose(LETTERS[1], LETTERS[0])


def test_both_forms_of_a_word_agree() -> None:
    for x, y in product(LETTERS, repeat=2):
        lines = compose_lines(divmod(x, PRIME), divmod(y, PRIME))
        assert lines[0] * PRIME + lines[1] == compose(x, y)
    assert LINES.identity == divmod(IDENTITY, PRIME)
    assert max(LETTERS) < PRIME**2 < 2**62, "a word must fit into a number of OCaml"


def test_combines_are_counted() -> None:
    words = CountedWords()
    words.monoid.fold(LETTERS)
    assert (words.reset(), words.reset()) == (len(LETTERS), 0)


class FixedModel(ModelProcess):
    """A model that always holds the same numbers."""

    def __init__(self, numbers: str, digest: str) -> None:
        self.sent: list[str] = []
        self._replies = {"show": numbers, "digest": digest}

    def reply(self, lines: Sequence[str]) -> str:
        self.sent += lines
        return self._replies[lines[-1]]


def test_a_run_is_compared_by_its_digest() -> None:
    model = FixedModel("1 2", md5(b"\1" + bytes(7) + b"\2" + bytes(7)).hexdigest())  # noqa: S324 no secret
    comparison = Comparison(model, "daba")
    comparison.add("new", [1])
    comparison.add("evict", [2])
    comparison.compare()
    assert comparison.states == 2
    assert model.sent == ["daba new", "daba evict", "digest"]


@pytest.mark.parametrize("each_call", [True, False])
def test_another_digest_is_a_difference(*, each_call: bool) -> None:
    comparison = Comparison(FixedModel("1 2", "?"), "daba", each_call=each_call)

    def compare() -> None:
        comparison.add("new", [1, 3])
        comparison.compare()

    with pytest.raises(Difference, match=r"daba new\n  code:  1 3\n  model: 1 2"):
        compare()


def test_a_model_that_is_missing_names_the_remedy() -> None:
    with pytest.raises(ModelMissingError, match="make lockstep"):
        ModelProcess(ROOT / "no_model")


def test_each_run_has_its_model_and_a_share_of_the_states() -> None:
    listed = {*re.findall(r'^\s*[\[(]? ?\( ?"([a-z-]+)",', MODEL, re.MULTILINE)}
    assert listed | {"slicing"} == {*RUNS}
    assert '| "slicing" :: call -> append' in MODEL
    assert sum(share for _, share in RUNS.values()) == pytest.approx(1)


@pytest.mark.parametrize("mutant", lockstep_mutants(), ids=lambda mutant: mutant.name)
def test_each_mutant_of_the_lockstep_fits_and_survives_other_killers(mutant: object) -> None:
    (chosen,) = [other for other in lockstep_mutants() if other == mutant]
    source = (ROOT / chosen.file).read_text()
    assert chosen.patch(source) != source
    structure, *others = chosen.killers
    assert structure in RUNS
    assert others


@pytest.mark.parametrize(("setting", "status"), [("", 0), ("required", 1)])
def test_without_coq_the_theorems_are_counted_and_ci_fails(
    setting: str,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("MUNTIN_COQ", setting)
    assert gate.main() == status
    assert (
        f"{len(theorems())} theorems and the lockstep were not checked" in capsys.readouterr().out
    )


def test_ci_requires_coq() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    assert f"MUNTIN_COQ={gate.REQUIRED}" in script
    assert all(package in script for package in ("coq", "ocaml-nox", "ocaml-findlib"))
