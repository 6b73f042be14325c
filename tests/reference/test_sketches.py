"""Sketches: within their own stated errors, in any order of merging, and without mutation."""

import importlib
import random
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from fractions import Fraction

import pytest

from muntin.optimized.common.aggregate_facts import without_refuted_facts
from muntin.reference import sketches
from muntin.reference.sketches import named, sketch
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.laws import counterexample
from muntin.spec.errors import InvalidInputError, UnsupportedError

pytest.importorskip("datasketches")
RANDOM = random.Random(7)  # noqa: S311 - no secret
VALUES = [RANDOM.randrange(3000) for _ in range(8000)]
NAMES = ["hll", "theta", "kll(95)", "countmin(7)"]


def merged(aggregate: Aggregate[object, object, object], chunks: list[list[int]]) -> object:
    return aggregate.lower(aggregate.monoid.fold(map(aggregate.partial, chunks)))


def truth(name: str, answer: object) -> bool:
    assert isinstance(answer, int | float)
    if name in ("hll", "theta"):
        return abs(answer / len(set(VALUES)) - 1) <= 0.05
    if name == "countmin(7)":
        return 0 <= answer - VALUES.count(7) <= 0.01 * len(VALUES)
    ranks = sorted(VALUES)
    low, high = bisect_left(ranks, answer), bisect_right(ranks, answer)
    return low - 0.03 * len(ranks) <= 0.95 * len(ranks) <= high + 0.03 * len(ranks)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_is_within_its_error_in_any_order_of_merging(name: str, seed: int) -> None:
    chunks = [VALUES[i : i + 500] for i in range(0, len(VALUES), 500)]
    random.Random(seed).shuffle(chunks)  # noqa: S311 - no secret
    assert truth(name, merged(sketch(name), chunks))


@pytest.mark.parametrize("name", NAMES)
def test_keeps_the_laws_in_its_answers(name: str) -> None:
    aggregate = sketch(name)

    def agrees(left: object, right: object) -> bool:
        x, y = (aggregate.lower(a) if isinstance(a, bytes) else a for a in (left, right))
        return x == pytest.approx(y, abs=1e-3)

    assert counterexample(aggregate, [7, 8, 2.5], equal=agrees) is None
    assert without_refuted_facts(aggregate, [7, 8, 2.5], equal=agrees) == aggregate
    assert isinstance(aggregate.partial([7, 7]), bytes)


def test_equal_items_are_one_item() -> None:
    assert sketch("theta").of([1, 1.0, Fraction(1), 10**30, 1e30, "1", True, None]) == 6
    assert sketch("countmin(7)").of([7, 7.0, "7"]) == 2
    assert sketch("countmin(a)").of(["a", "b"]) == 1


def test_of_nothing() -> None:
    assert [sketch(name).of([]) for name in NAMES] == [0.0, 0.0, None, 0]
    assert [named(name).of([None]) for name in NAMES] == [0.0, 0.0, None, 0]
    assert named("hll").of([None, 3, 3]) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("value", ["x", float("nan"), True])
def test_a_value_without_a_rank_is_refused(value: object) -> None:
    with pytest.raises(InvalidInputError, match="a value of kll"):
        sketch("kll(50)").lift(value)


def test_a_fraction_of_one_is_no_percentage() -> None:
    with pytest.raises(InvalidInputError, match=r"write kll\(95\), or kll\(0.95%\)"):
        sketch("kll(0.95)")
    with pytest.raises(InvalidInputError, match=r"write kll\(0.5%\), or kll\(0.005%\)"):
        sketch("kll(0.005)")
    assert sketch("kll(1%)").of(range(100)) == sketch("kll(1)").of(range(100)) == 1


UNKNOWN = ["sum", "", "kll", "kll()", "kll(101)", "kll(-1)", "kll(x)", "countmin()", "hll(1)"]


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_name_is_refused_with_those_that_are_known(name: str) -> None:
    with pytest.raises(
        InvalidInputError, match=r"is not a sketch; known are hll, theta"
    ) as refusal:
        named(name)
    assert repr(name) in str(refusal.value)


@pytest.mark.parametrize("name", NAMES)
def test_bears_its_name(name: str) -> None:
    assert sketch(name).name == named(name).name == name


@pytest.mark.parametrize("make", [sketch, named])
@pytest.mark.parametrize("name", NAMES)
def test_a_missing_package_is_named(
    make: Callable[[str], object], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "datasketches", None)
    importlib.reload(sketches)
    with pytest.raises(UnsupportedError, match=r"pip install muntin\[sketches\]"):
        make(name)
