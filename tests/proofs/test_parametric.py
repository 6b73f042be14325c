"""Algorithms combine values and compare times, and do nothing else with either."""

from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from itertools import count as count_from
from pathlib import Path
from typing import TypeGuard

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.conformance.machines.strategies import WORDS, Letter
from muntin.reference.specification import SpecificationOperator
from muntin.registry.implementations import OPERATORS, STRUCTURES, OperatorEntry, StructureEntry
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import Monoid, Word
from muntin.spec.errors import UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding, count
from parametric.lint import EXCEPTIONS, places, suspicious
from parametric.opaque import OPAQUE, LeakError, Opaque
from parametric.running import World, answers

Drawn = tuple[list[int], int | None]

PICKS = st.lists(st.integers(0, 10**6), max_size=40)

Affine = tuple[int, int]
"""The map x -> a x + b modulo a prime."""

PRIME = 10007


def then(first: Affine, second: Affine) -> Affine:
    """Apply one map after another: this is associative and not commutative."""
    return first[0] * second[0] % PRIME, (first[1] * second[0] + second[1]) % PRIME


def box_of(letter: str) -> Opaque:
    """Put a letter into a box."""
    return Opaque((ord(letter),))


def map_of(letter: str) -> Affine:
    """Return a map that hardly any other letter has."""
    return ord(letter) % 91 + 2, ord(letter) % 89


def apart(time: int) -> int:
    """Move times apart, and keep their order."""
    return time**3 - 7


IN_BOXES = World(OPAQUE, box_of)
OF_MAPS = World(Monoid((1, 0), then), map_of)
APART = World(Monoid("", str.__add__), str, apart)

each_structure = pytest.mark.parametrize(
    "entry", [one for one in STRUCTURES if one.needs == "monoid"], ids=lambda entry: entry.name
)


@each_structure
@given(picks=PICKS)
def test_a_structure_does_nothing_but_combine(entry: StructureEntry, picks: list[int]) -> None:
    for word, box in answers(entry, IN_BOXES, picks):
        assert Opaque.revealed(box) == tuple(map(ord, word))


@each_structure
@given(picks=PICKS)
def test_a_structure_answers_the_image_of_the_word(entry: StructureEntry, picks: list[int]) -> None:
    for word, value in answers(entry, OF_MAPS, picks):
        assert value == OF_MAPS.image(word)


@each_structure
@given(picks=PICKS)
def test_a_structure_does_nothing_but_compare_times(
    entry: StructureEntry, picks: list[int]
) -> None:
    for word, answer in answers(entry, APART, picks):
        assert answer == word


def lift(value: object) -> object:
    """Put the letter of an event into a box; what a planner tries an aggregate on, is a word."""
    return Opaque((value.letter,)) if isinstance(value, Letter) else (value,)


def both(left: object, right: object) -> object:
    """Combine boxes, or words, or a box and a word; the identity is the empty word."""
    if is_word(left) and is_word(right):
        return left + right
    return boxed(left).combined(boxed(right))


def boxed(value: object) -> Opaque:
    """Return a value in a box."""
    assert is_word(value) or isinstance(value, Opaque)
    return value if isinstance(value, Opaque) else Opaque(value)


def is_word(value: object) -> TypeGuard[Word]:
    """Whether it is a word out of its box."""
    return isinstance(value, tuple)


BOXES = Aggregate(
    "boxes", lift, Monoid[object]((), both), lambda box: box, commutative=False, kind="holistic"
).erase_types()
STEPS = st.lists(
    st.tuples(st.lists(st.integers(0, 12), max_size=3), st.one_of(st.none(), st.integers(0, 14))),
    max_size=12,
)
WINDOWS = {"s": Sliding(4, 2), "t": Sliding(3, 3, 1), "g": Session(3), "c": count(3, 2)}


def served(operator: Operator) -> list[str]:
    """Ask an operator all windows that it accepts, and return their names."""
    accepted: list[str] = []
    for name, window in WINDOWS.items():
        with suppress(UnsupportedError):
            operator.add(Query(name, window, BOXES))
            accepted.append(name)
    return accepted


def revealed(value: object) -> object:
    """Return the word in a box."""
    return Opaque.revealed(value) if isinstance(value, Opaque) else value


ORDERED = [entry for entry in OPERATORS if served(entry.build(Settings(in_order=True)))]
UNORDERED = [entry for entry in OPERATORS if served(entry.build(Settings(1)))]


def run_both(entry: OperatorEntry, settings: Settings, steps: list[Drawn]) -> None:
    target, oracle = entry.build(settings), SpecificationOperator(settings)
    for name in served(target):
        oracle.add(Query(name, WINDOWS[name], WORDS))
    letters, seen = count_from(1), 0
    for times, watermark in [*steps, ([], END)]:
        ordered = [seen := max(seen, time) for time in sorted(times)]
        taken = ordered if settings.in_order else times
        events = [Event(time, Letter(time % 2, next(letters))) for time in taken]
        got, wanted = target.step(events, watermark), oracle.step(events, watermark)
        opened = [one._replace(value=revealed(one.value)) for one in got.results]
        assert (opened, got.late) == (list(wanted.results), wanted.late)


@pytest.mark.parametrize("entry", UNORDERED, ids=lambda entry: entry.name)
@given(steps=STEPS)
def test_an_operator_does_nothing_but_combine(entry: OperatorEntry, steps: list[Drawn]) -> None:
    run_both(entry, Settings(1), steps)


@pytest.mark.parametrize("entry", ORDERED, ids=lambda entry: entry.name)
@given(steps=STEPS)
def test_nor_does_it_in_order(entry: OperatorEntry, steps: list[Drawn]) -> None:
    run_both(entry, Settings(in_order=True), steps)


def test_each_operator_takes_part_that_accepts_an_aggregate_in_which_order_matters() -> None:
    parts = {entry.name for entry in [*ORDERED, *UNORDERED]}
    assert parts == {entry.name for entry in OPERATORS}


LOOKS: list[Callable[[Opaque], object]] = [
    lambda box: box == Opaque(()),
    Opaque.__bool__,
    lambda box: box < Opaque(()),
    lambda box: box + box,
    lambda box: f"{box}",
    lambda box: {box: 1},
    Opaque.__len__,
    Opaque.__iter__,
    hash,
    str,
    repr,
    deepcopy,
]


@pytest.mark.parametrize("look", LOOKS)
def test_a_look_into_a_box_is_noticed(look: Callable[[Opaque], object]) -> None:
    with pytest.raises(LeakError):
        look(Opaque((1,)))


def test_the_algorithms_tell_nothing_apart_but_what_is_no_value() -> None:
    found = {use for uses in places().values() for use in uses}
    assert found == set(EXCEPTIONS)


def test_the_lint_finds_what_a_box_does_not_notice(tmp_path: Path) -> None:
    uses = {"x is y", "isinstance(x, int)", "type(x)", "id(x)"}
    source = "def leak(x, y, node, root):\n" + "".join(f"    {use}\n" for use in sorted(uses))
    (tmp_path / "bad.py").write_text(source + "    node is root\n")
    assert suspicious(tmp_path / "bad.py") == uses
