"""The table of window traits: a row for each type, and each row is true of its windows."""

from collections.abc import Iterable
from importlib import import_module
from itertools import permutations
from pathlib import Path

import pytest

import muntin.spec.windows
from common.window_facts import check_inputs, check_row
from muntin.optimized.common.window_traits import (
    EVERYTHING,
    OPAQUE,
    TABLE,
    base_in_table,
    has_row,
    inherited_traits,
    inputs_of,
    inputs_of_all,
    row,
    traits_of,
)
from muntin.spec.stream import Event
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.measure import COUNT, Measure
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding, tumbling
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import WindowType


class OwnSliding(Sliding):
    """Derived from a type in the table."""


def is_even(event: Event) -> bool:
    return event.time % 2 == 0


def machine(state: object, _: Event) -> tuple[object, int, int]:
    return state, 0, 0


WINDOWS: list[WindowType] = [
    tumbling(5, 3),
    Sliding(9, 4, -2),
    Sliding(3, 7, 1),
    Sliding(1, 1),
    Cumulate(6, 2, 1),
    Cumulate(4, 4),
    Landmark(-3, 4),
    Landmark(40, 3),
    Band(-3, 11),
    Rolling(4),
    Rolling(4, 3),
    LastNEvery(3, 5),
    Session(3),
    Session(1),
    Punctuation(),
    Delta(2),
    Threshold(2),
    State(),
]


@pytest.mark.parametrize("kind", WINDOWS, ids=lambda kind: kind.name)
def test_a_row_is_true_of_its_windows(kind: WindowType) -> None:
    check_row(kind)
    check_inputs(kind)


def test_every_type_of_the_specification_has_a_row() -> None:
    folder = Path(str(muntin.spec.windows.__file__)).parent
    for path in folder.glob("*.py"):
        import_module(f"muntin.spec.windows.{path.stem}")
    concrete = {
        kind
        for kind in with_subclasses(WindowType.__subclasses__())
        if kind.__module__.startswith("muntin.spec.") and not kind.__abstractmethods__
    }
    assert concrete == set(TABLE)
    assert set(TABLE) == {type(kind) for kind in WINDOWS} | {UserWindow, UserTrigger}


def with_subclasses(kinds: Iterable[type[WindowType]]) -> set[type[WindowType]]:
    each = set(kinds)
    return each.union(*(with_subclasses(kind.__subclasses__()) for kind in each))


def test_no_type_of_a_row_derives_from_another() -> None:
    assert [(a, b) for a, b in permutations(TABLE, 2) if issubclass(a, b)] == []


def test_nothing_is_promised_of_a_type_without_a_row() -> None:
    derived = OwnSliding(4, 2)
    assert traits_of(derived) == OPAQUE
    assert not has_row(derived)
    assert has_row(tumbling(4))
    assert base_in_table(derived) is Sliding
    assert inherited_traits(derived).lengths == {"size": 4, "slide": 2, "offset": 0}
    assert inputs_of(derived) == EVERYTHING
    _, sliding = row(Sliding, lambda _: traits_of(tumbling(4)))
    assert sliding(Session(3)) == OPAQUE


def test_code_of_the_user_may_read_everything() -> None:
    value = Measure("value", lambda event: event.time)
    own = [Punctuation(is_even), Session(3, value), UserWindow(machine), UserTrigger(machine)]
    assert [inputs_of(kind) for kind in own] == [EVERYTHING] * 4
    assert inputs_of_all([Session(3, COUNT), State()]) == {"gap", "value"}
    assert inputs_of_all([Punctuation(), Sliding(4, 2, 0, COUNT)]) == {"mark"}
