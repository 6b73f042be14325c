"""Pieces of states: columns come back as they were."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.kernels.slicing.arrays import column_of
from muntin.snapshot import SnapshotError, encode
from muntin.spark.state.column_codec import LIKE, columns_in, packed_columns

WHOLE = st.integers(-(2**63), 2**63 - 1) | st.integers(-300, 300)
REAL = st.floats(width=64) | st.integers(-(2**54), 2**54).map(float) | st.just(-0.0)


@given(st.lists(WHOLE), st.lists(REAL))
def test_columns_come_back_to_the_bit(whole: list[int], real: list[float]) -> None:
    given_columns = [column_of(np.array(whole, np.int64)), column_of(np.array(real, np.float64))]
    found = columns_in(packed_columns(given_columns))
    assert [one.dtype for one in found] == [one.dtype for one in given_columns]
    assert [one.tobytes() for one in found] == [one.tobytes() for one in given_columns]


def test_whole_floats_are_as_short_as_integers() -> None:
    numbers = np.arange(1000) * 3 - 10**6
    columns = [column_of(one) for one in (numbers, numbers * 1.0, numbers + 0.5)]
    short, real, odd = (packed_columns([one]) for one in columns)
    assert len(short) == len(real) < len(odd) / 3


def test_columns_are_bytes_above_the_least_number() -> None:
    planes = [(2, 1, 3, bytes([0, 1, 0]), True), (-3, 0, 2, b"", False)]
    assert [one.tolist() for one in columns_in(encode(planes))] == [[2.0, 3.0, 2.0], [-3, -3]]


@pytest.mark.parametrize("forged", [("seven",), (5, 0, 3), (LIKE, 1, 0), (LIKE, -1, 0)])
def test_what_is_no_column_is_refused(forged: tuple[object, ...]) -> None:
    with pytest.raises(SnapshotError, match="holds no columns"):
        columns_in(encode([(5, 0, 3, b"", False), forged]))


@given(st.lists(WHOLE, min_size=3, max_size=5), st.sampled_from([0, 1, 2**55, 2**56, -(2**62)]))
def test_a_column_is_like_another_if_all_of_it_is(whole: list[int], above: int) -> None:
    one = np.array(whole, np.int64)
    with np.errstate(over="ignore"):
        other = one + np.int64(above)
    odd = other.copy()
    odd[1] ^= 1
    found = columns_in(packed_columns(columns := [column_of(each) for each in (one, other, odd)]))
    assert [each.tolist() for each in found] == [each.tolist() for each in columns]


def test_what_climbs_or_is_like_another_column_is_short() -> None:
    climbs, wild = np.arange(1000) // 7, np.arange(1000) * 7919 % 1009
    shifted, other = packed_columns([wild, wild + 10**12]), packed_columns([wild, wild[::-1]])
    assert len(packed_columns([climbs])) < len(packed_columns([wild]))
    assert len(shifted) < len(other) * 0.6
    columns = [column_of(one) for one in (wild, climbs, wild - 5, climbs * 1.0)]
    found = columns_in(packed_columns(columns))
    assert [one.tolist() for one in found] == [one.tolist() for one in columns]
