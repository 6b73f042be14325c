"""The law checker finds each false declaration, with the smallest refutation, and no true one."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muntin.optimized.common.aggregate_facts import without_refuted_facts
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.catalogue import NAMES, named, named_keeping_nulls
from muntin.spec.algebra.laws import (
    Counterexample,
    counterexample,
    counterexamples,
)
from muntin.spec.algebra.monoid import FREE, Monoid, Word

A = TypeVar("A")
SUM, MAX, FIRST, MEAN, GEOMEAN, ARGMAX, COLLECT, M4 = map(
    named_keeping_nulls, ["sum", "max", "first", "mean", "geomean", "argmax", "collect", "m4"]
)
INTS = [0, 1, 2]


def the_left(left: A, _: A) -> A:
    return left


def the_right(_: A, right: A) -> A:
    return right


def over(monoid: Monoid[int], *, commutative: bool = False) -> Aggregate[int, int, int]:
    return Aggregate("mine", int, monoid, int, commutative, kind="distributive")


def test_a_false_commutativity_is_refuted() -> None:
    refutation = counterexample(replace(FIRST, commutative=True), INTS)
    law = "combine(x, y) = combine(y, x)"
    zero, one = FIRST.lift(0), FIRST.lift(1)
    assert refutation == Counterexample(law, ((0,), (1,)), zero, one)
    assert str(refutation) == f"{law} fails for x = (0,), y = (1,): {zero} is not {one}"


def test_a_false_inverse_is_refuted() -> None:
    false = replace(MAX, monoid=replace(MAX.monoid, invert=the_left))
    refutation = counterexample(false, INTS)
    assert refutation == Counterexample(
        "invert(combine(x, y), y) = x", ((), (0,)), MAX.lift(0), None
    )


def test_a_false_inverse_of_the_first_is_refuted() -> None:
    monoid = replace(COLLECT.monoid, invert_first=COLLECT.monoid.invert)
    refutation = counterexample(replace(COLLECT, monoid=monoid), INTS)
    law = "invert_first(combine(x, y), x) = y"
    assert refutation == Counterexample(law, ((0,), (1,)), (0,), (1,))


def test_a_false_identity_is_refuted() -> None:
    one = (1, 0, 0, 1)
    refutation = counterexample(replace(GEOMEAN, monoid=replace(GEOMEAN.monoid, identity=one)), [2])
    assert refutation == Counterexample(
        "combine(identity, x) = x", ((),), (2, 0, 0, 1), (1, 0, 0, 1)
    )


def test_a_false_identity_on_the_right_is_refuted() -> None:
    refutation = counterexample(over(Monoid(7, lambda _, y: y)), [1])
    assert refutation == Counterexample("combine(x, identity) = x", ((1,),), 7, 1)


def test_a_false_associativity_is_refuted() -> None:
    refutation = counterexample(over(Monoid(0, lambda x, y: x + y + x * x * y)), [1])
    law = "combine(combine(x, y), z) = combine(x, combine(y, z))"
    assert refutation == Counterexample(law, ((1,), (1,), (1,)), 13, 7)


def test_a_combine_that_changes_its_arguments_is_refuted() -> None:
    def extend(left: list[int], right: list[int]) -> list[int]:
        left.extend(right)
        return left

    monoid: Monoid[list[int]] = Monoid([], extend)
    false = Aggregate[int, list[int], int](
        "length", lambda v: [v], monoid, len, commutative=False, kind="holistic"
    )
    refutation = counterexample(false, [5])
    law = "x, y after combine(x, y) = x, y"
    left, right, empty = [5], [5], list[int]()
    assert refutation == Counterexample(law, ((), (5,)), (left, right), (empty, right))
    assert monoid.identity == []


def test_a_lower_that_sees_the_splitting_is_refuted() -> None:
    def pair(left: list[int], right: list[int]) -> list[int]:
        return [*left, sum(right)] if right else left

    monoid: Monoid[list[int]] = Monoid([], pair)
    false = Aggregate[int, list[int], int](
        "splits", lambda v: [v], monoid, len, commutative=False, kind="holistic"
    )

    def whatever_the_partials(left: object, right: object) -> bool:
        return isinstance(left, list) or left == right

    refutation = counterexample(false, [5], equal=whatever_the_partials)
    law = "lower(combine(x, y)) = lower(of xy)"
    assert refutation == Counterexample(law, ((), (5, 5)), 1, 2)


def test_an_argmax_of_the_last_is_lawful_but_another_aggregate() -> None:
    def combine(a: object, b: object) -> object:
        return ARGMAX.monoid.combine(b, a)

    last = replace(ARGMAX, monoid=replace(ARGMAX.monoid, combine=combine))
    ties = [(1, "a"), (1, "b"), (0, "c")]
    assert counterexample(last, ties, 4) is None
    assert last.of(ties) == "b"
    assert ARGMAX.of(ties) == "a"


def test_what_is_refuted_is_dropped_and_only_that() -> None:
    assert without_refuted_facts(SUM, INTS) == SUM
    assert without_refuted_facts(M4, INTS) == M4
    half = replace(
        COLLECT,
        commutative=True,
        monoid=replace(COLLECT.monoid, invert_first=COLLECT.monoid.invert),
    )
    kept = without_refuted_facts(half, INTS)
    assert kept.commutative is False
    assert kept.monoid.invert is COLLECT.monoid.invert
    assert kept.monoid.invert_first is None
    wrong = replace(SUM, monoid=replace(SUM.monoid, invert=the_left))
    assert without_refuted_facts(wrong, INTS).monoid.invert is None
    assert without_refuted_facts(wrong, INTS).commutative


def test_floats_are_checked_within_a_bound() -> None:
    floats = [0.1, 0.2, 0.3]
    assert counterexample(SUM, floats) is not None

    def near(left: object, right: object) -> bool:
        return left == pytest.approx(right, rel=1e-12)

    assert counterexample(SUM, floats, equal=near) is None
    assert without_refuted_facts(SUM, floats, equal=near) == SUM
    assert without_refuted_facts(SUM, floats).monoid.invert is None


def test_nan_refutes_nothing_by_being_unequal_to_itself() -> None:
    assert (
        counterexample(
            replace(SUM, monoid=Monoid(SUM.monoid.identity, SUM.monoid.combine)), [float("nan"), 1]
        )
        is None
    )


@given(st.lists(st.sampled_from(["commutative", "invert", "invert_first", "identity"]), max_size=3))
def test_refutations_come_smallest_first(lies: list[str]) -> None:
    monoid = replace(
        FREE,
        identity=(9,) if "identity" in lies else (),
        invert=the_left if "invert" in lies else FREE.invert,
        invert_first=the_right if "invert_first" in lies else FREE.invert_first,
    )
    false = Aggregate[int, Word, Word](
        "free", lambda v: (v,), monoid, tuple, "commutative" in lies, "holistic"
    )
    sizes = [sum(map(len, refutation.words)) for refutation in counterexamples(false, INTS)]
    assert sizes == sorted(sizes)
    assert bool(sizes) is bool(lies)


def test_a_combine_that_forgets_is_refuted() -> None:
    false = replace(MEAN, monoid=replace(MEAN.monoid, combine=the_left))
    refutation = counterexample(false, INTS)
    assert refutation == Counterexample("combine(identity, x) = x", ((0,),), (0, 0), (1, 0))


NAN = float("nan")
exact = st.integers(-9, 9) | st.fractions(-9, 9, max_denominator=4)
PAIRS = [(1, "a"), (1, "b"), (NAN, "c")]
LETTERS: dict[str, list[object]] = {
    "argmax": [*PAIRS],
    "argmin": [*PAIRS],
    "concat": ["a", "b", ""],
    "geomean": [0, 2, 3, Fraction(1, 3)],
    "min": [0, 1, NAN],
    "max": [0, 1, NAN],
    "percentile(95)": [0, 1, NAN],
    "maxcount": [0, 1, NAN],
    "mincount": [0, 1, NAN],
    "m4": [0, 1, NAN],
    "collect": [0, 1, None],
    "first": [0, 1, None],
    "last": [0, 1, None],
}


@pytest.mark.parametrize("name", [*NAMES, "percentile(95)"])
def test_every_declared_fact_survives_the_checker(name: str) -> None:
    letters = LETTERS.get(name, [0, 1, -2])
    assert counterexample(named_keeping_nulls(name), letters, 4) is None
    assert counterexample(named(name), [*(v for v in letters if v is not None), None], 3) is None


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_every_declared_fact_survives_larger_values(name: str, data: st.DataObject) -> None:
    kind = st.text() if name == "concat" else exact.map(abs) if name == "geomean" else exact
    letter = st.tuples(kind, kind) if name.startswith("arg") else kind
    letters = data.draw(st.lists(letter, min_size=1, max_size=2))
    assert counterexample(named(name), [*letters, None]) is None


TABLE_2 = {  # [Tangwongsan15]: invertible, commutative
    "count": (True, True),
    "sum": (True, True),
    "max": (False, True),
    "min": (False, True),
    "mean": (True, True),
    "geomean": (True, True),
    "maxcount": (False, True),
    "mincount": (False, True),
    "std_sample": (True, True),
    "std_pop": (True, True),
    "argmax": (False, False),
    "argmin": (False, False),
    "collect": (True, False),
}
BEYOND = {  # the paper has none of these; its introduction names the facts of first to concat
    "first": (False, False),
    "last": (False, False),
    "distinct": (False, True),
    # "Sum<String>" is not commutative there, and Table 1 of [Tangwongsan19] has it invertible
    "concat": (True, False),
    "var_sample": (True, True),
    "var_pop": (True, True),
    "median": (True, True),
    "range": (False, True),
    # [Tangwongsan19] leaves the commutativity of M4 open; first and last decide it
    "m4": (False, False),
}


@pytest.mark.parametrize("wrap", [named_keeping_nulls, named])
@pytest.mark.parametrize("name", NAMES)
def test_declared_facts_are_those_of_table_2(name: str, wrap: Callable[[str], object]) -> None:
    aggregate = named_keeping_nulls(name) if wrap is named_keeping_nulls else named(name)
    invertible, commutative = (TABLE_2 | BEYOND)[name]
    assert aggregate.commutative is commutative
    assert (aggregate.monoid.invert is not None) is invertible
    assert (aggregate.monoid.invert_first is not None) is invertible


def test_the_table_is_complete() -> None:
    assert set(TABLE_2 | BEYOND) == set(NAMES)
