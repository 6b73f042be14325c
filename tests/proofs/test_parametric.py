"""Algorithms combine values and compare times, and do nothing else with them."""

from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from itertools import count as count_from
from pathlib import Path
from typing import TypeGuard

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.conformance.machines.random_choices import WORDS, Letter
from muntin.conformance.output_comparison import response_difference
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
from parametric.lint import EXCEPTIONS, unexplained_uses, unexplained_uses_by_module
from parametric.opaque import OPAQUE, LeakError, OpaqueWord
from parametric.running import Interpretation, answers

Drawn = tuple[list[int], int | None]

PICKS = st.lists(st.integers(0, 10**6), max_size=40)

Affine = tuple[int, int]
"""The map x -> a x + b modulo a prime."""

PRIME = 10007


def compose(first: Affine, second: Affine) -> Affine:
    """Compose two maps: associative, and not commutative."""
    return first[0] * second[0] % PRIME, (first[1] * second[0] + second[1]) % PRIME


def letter_box(letter: str) -> OpaqueWord:
    """Hide a letter in a box."""
    return OpaqueWord((ord(letter),))


def letter_map(letter: str) -> Affine:
    """A map that differs from that of almost every other letter."""
    return ord(letter) % 91 + 2, ord(letter) % 89


def spread(time: int) -> int:
    """Spread times, in the same order."""
    return time**3 - 7


IN_BOXES = Interpretation(OPAQUE, letter_box)
OF_MAPS = Interpretation(Monoid((1, 0), compose), letter_map)
SPREAD_TIMES = Interpretation(Monoid("", str.__add__), str, spread)

each_structure = pytest.mark.parametrize(
    "entry",
    [entry for entry in STRUCTURES if entry.needs == "monoid"],
    ids=lambda entry: entry.name,
)


@each_structure
@given(picks=PICKS)
def test_a_structure_does_nothing_but_combine(entry: StructureEntry, picks: list[int]) -> None:
    for word, box in answers(entry, IN_BOXES, picks):
        assert OpaqueWord.reveal(box) == tuple(map(ord, word))


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
    for word, answer in answers(entry, SPREAD_TIMES, picks):
        assert answer == word


def lift(value: object) -> object:
    """Hide the letter of an event in a box; a planner's sample value becomes a word."""
    return OpaqueWord((value.letter,)) if isinstance(value, Letter) else (value,)


def combine_any(left: object, right: object) -> object:
    """Combine boxes, or words, or a box and a word; the identity is the empty word."""
    if is_word(left) and is_word(right):
        return left + right
    return box(left).combine(box(right))


def box(value: object) -> OpaqueWord:
    """The value in a box."""
    assert is_word(value) or isinstance(value, OpaqueWord)
    return value if isinstance(value, OpaqueWord) else OpaqueWord(value)


def is_word(value: object) -> TypeGuard[Word]:
    """Whether a value is a word without a box."""
    return isinstance(value, tuple)


BOXES = Aggregate(
    "boxes",
    lift,
    Monoid[object]((), combine_any),
    lambda box: box,
    commutative=False,
    kind="holistic",
).erase_types()
STEPS = st.lists(
    st.tuples(st.lists(st.integers(0, 12), max_size=3), st.one_of(st.none(), st.integers(0, 14))),
    max_size=12,
)
WINDOWS = {"s": Sliding(4, 2), "t": Sliding(3, 3, 1), "g": Session(3), "c": count(3, 2)}


def register_windows(operator: Operator) -> list[str]:
    """Add a query for every window that the operator supports; their names."""
    accepted: list[str] = []
    for name, window in WINDOWS.items():
        with suppress(UnsupportedError):
            operator.add(Query(name, window, BOXES))
            accepted.append(name)
    return accepted


def reveal(value: object) -> object:
    """The word in a box, or the value itself."""
    return OpaqueWord.reveal(value) if isinstance(value, OpaqueWord) else value


ORDERED = [entry for entry in OPERATORS if register_windows(entry.build(Settings(in_order=True)))]
UNORDERED = [entry for entry in OPERATORS if register_windows(entry.build(Settings(1)))]


def check_lockstep(entry: OperatorEntry, settings: Settings, steps: list[Drawn]) -> None:
    target, oracle = entry.build(settings), SpecificationOperator(settings)
    for name in register_windows(target):
        oracle.add(Query(name, WINDOWS[name], WORDS))
    letters, latest = count_from(1), 0
    for times, watermark in [*steps, ([], END)]:
        ordered = [latest := max(latest, time) for time in sorted(times)]
        stream = ordered if settings.in_order else times
        events = [Event(time, Letter(time % 2, next(letters))) for time in stream]
        got, expected = target.step(events, watermark), oracle.step(events, watermark)
        revealed = tuple(result._replace(value=reveal(result.value)) for result in got.results)
        assert not response_difference(expected, got._replace(results=revealed))


@pytest.mark.parametrize("entry", UNORDERED, ids=lambda entry: entry.name)
@given(steps=STEPS)
def test_an_operator_does_nothing_but_combine(entry: OperatorEntry, steps: list[Drawn]) -> None:
    check_lockstep(entry, Settings(1), steps)


@pytest.mark.parametrize("entry", ORDERED, ids=lambda entry: entry.name)
@given(steps=STEPS)
def test_an_operator_in_order_does_nothing_but_combine(
    entry: OperatorEntry, steps: list[Drawn]
) -> None:
    check_lockstep(entry, Settings(in_order=True), steps)


def test_every_operator_that_supports_a_non_commutative_aggregate_takes_part() -> None:
    parts = {entry.name for entry in [*ORDERED, *UNORDERED]}
    assert parts == {entry.name for entry in OPERATORS}


INSPECTIONS: list[Callable[[OpaqueWord], object]] = [
    lambda box: box == OpaqueWord(()),
    OpaqueWord.__bool__,
    lambda box: box < OpaqueWord(()),
    lambda box: box + box,
    lambda box: f"{box}",
    lambda box: {box: 1},
    OpaqueWord.__len__,
    OpaqueWord.__iter__,
    hash,
    str,
    repr,
    deepcopy,
]


@pytest.mark.parametrize("look", INSPECTIONS)
def test_every_inspection_of_a_box_raises(look: Callable[[OpaqueWord], object]) -> None:
    with pytest.raises(LeakError):
        look(OpaqueWord((1,)))


def test_the_algorithms_distinguish_no_values() -> None:
    unexplained = {use for uses in unexplained_uses_by_module().values() for use in uses}
    assert unexplained == set(EXCEPTIONS)


def test_the_lint_finds_what_a_box_does_not_notice(tmp_path: Path) -> None:
    uses = {"x is y", "isinstance(x, int)", "type(x)", "id(x)"}
    source = "def leak(x, y, node, root):\n" + "".join(f"    {use}\n" for use in sorted(uses))
    (tmp_path / "bad.py").write_text(source + "    node is root\n")
    assert unexplained_uses(tmp_path / "bad.py") == uses
