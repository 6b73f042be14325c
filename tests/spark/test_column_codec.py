"""Columns of a state as bytes, and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.columnar.embedding.column_codec import SHIFTED_COPY, decode_columns, encode_columns
from muntin.kernels.slicing.arrays import column_of
from muntin.snapshot import SnapshotError, encode

INTEGERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-300, 300)
FLOATS = st.floats(width=64) | st.integers(-(2**54), 2**54).map(float) | st.just(-0.0)


@given(st.lists(INTEGERS), st.lists(FLOATS))
def test_columns_come_back_to_the_bit(integers: list[int], floats: list[float]) -> None:
    columns = [column_of(np.array(integers, np.int64)), column_of(np.array(floats, np.float64))]
    decoded = decode_columns(encode_columns(columns))
    assert [column.dtype for column in decoded] == [column.dtype for column in columns]
    assert [column.tobytes() for column in decoded] == [column.tobytes() for column in columns]


def test_integral_floats_are_as_short_as_integers() -> None:
    numbers = np.arange(1000) * 3 - 10**6
    columns = [column_of(column) for column in (numbers, numbers * 1.0, numbers + 0.5)]
    integers, integral, fractions = (encode_columns([column]) for column in columns)
    assert len(integers) == len(integral) < len(fractions) / 3


def test_columns_are_bytes_above_the_least_number() -> None:
    planes = [(2, 1, 3, bytes([0, 1, 0]), True), (-3, 0, 2, b"", False)]
    assert [column.tolist() for column in decode_columns(encode(planes))] == [
        [2.0, 3.0, 2.0],
        [-3, -3],
    ]


@pytest.mark.parametrize(
    "forged", [("seven",), (5, 0, 3), (SHIFTED_COPY, 1, 0), (SHIFTED_COPY, -1, 0)]
)
def test_an_item_that_is_not_a_column_is_refused(forged: tuple[object, ...]) -> None:
    with pytest.raises(SnapshotError, match="holds no columns"):
        decode_columns(encode([(5, 0, 3, b"", False), forged]))


@given(st.lists(INTEGERS, min_size=3, max_size=5), st.sampled_from([0, 1, 2**55, 2**56, -(2**62)]))
def test_a_column_is_a_shifted_copy_only_if_all_rows_are(values: list[int], offset: int) -> None:
    column = np.array(values, np.int64)
    with np.errstate(over="ignore"):
        shifted = column + np.int64(offset)
    odd = shifted.copy()
    odd[1] ^= 1
    columns = [column_of(each) for each in (column, shifted, odd)]
    decoded = decode_columns(encode_columns(columns))
    assert [each.tolist() for each in decoded] == [each.tolist() for each in columns]


def test_ascending_columns_and_shifted_copies_are_short() -> None:
    ascending, random = np.arange(1000) // 7, np.arange(1000) * 7919 % 1009
    shifted, other = (
        encode_columns([random, random + 10**12]),
        encode_columns([random, random[::-1]]),
    )
    assert len(encode_columns([ascending])) < len(encode_columns([random]))
    assert len(shifted) < len(other) * 0.6
    columns = [column_of(each) for each in (random, ascending, random - 5, ascending * 1.0)]
    decoded = decode_columns(encode_columns(columns))
    assert [each.tolist() for each in decoded] == [each.tolist() for each in columns]
