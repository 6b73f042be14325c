"""FlatFAT refuses bad locations before any change."""

from collections.abc import Iterable

import pytest

from muntin.optimized.flatfat.flatfat import FlatFat
from muntin.spec.algebra.monoid import FREE, Word
from muntin.spec.errors import InvalidInputError


@pytest.mark.parametrize("size", [0, 3, 6])
def test_the_number_of_values_is_a_power_of_two(size: int) -> None:
    with pytest.raises(InvalidInputError, match=f"number of values .* power of two, not {size}"):
        FlatFat(FREE, [()] * size)
    with pytest.raises(InvalidInputError, match=f"capacity .* power of two, not {size}"):
        FlatFat[Word].of_identities(FREE, size)


@pytest.mark.parametrize(
    "writes",
    [
        [(0, (9,)), (4, (9,))],
        [(0, (9,)), (-1, (9,))],
        [(0, (9,)), (True, (9,))],
        [(0, (9,)), (1, (8,)), (0, (7,))],
    ],
)
def test_a_bad_batch_changes_nothing(writes: Iterable[tuple[int, Word]]) -> None:
    fat = FlatFat(FREE, [(1,), (2,), (3,), (4,)])
    with pytest.raises(InvalidInputError, match="location"):
        fat.update(writes)
    assert [fact for fact, holds in fat.invariants([(1,), (2,), (3,), (4,)]) if not holds] == []


def test_locations_outside_are_refused_and_a_turned_range_is_empty() -> None:
    fat = FlatFat(FREE, [(1,), (2,), (3,), (4,)])
    for call in (fat.prefix, fat.suffix, fat.__getitem__):
        for location in (-1, 4):
            with pytest.raises(InvalidInputError, match=f"from 0 to 3, not {location}"):
                call(location)
    assert fat.range(2, 1) == ()
    assert fat.range(1, 1) == fat[1] == (2,)


def test_a_tree_of_identities_needs_no_combine() -> None:
    fat = FlatFat[Word].of_identities(FREE, 8)
    assert [fact for fact, holds in fat.invariants([()] * 8) if not holds] == []
