"""Partial aggregates as Arrow columns, and back."""

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from muntin.columnar.embedding.slice_encoding import (
    WireType,
    decode,
    encode,
    part_columns,
    wire_types,
)
from muntin.kernels.slicing.arrays import Fields, column_of
from muntin.kernels.slicing.batch import Batch, Source, Values, objects
from muntin.kernels.slicing.grain import sliced, slices
from muntin.kernels.slicing.parts import Max, Min, Part, Squares, Sum
from muntin.spec.windows.periodic import tumbling

POWERS = [2**n for n in range(63)]
INTEGERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9) | st.sampled_from(POWERS)
KINDS: Mapping[Source, WireType] = {"v": "int"}


def in_one_slice(part: Part, values: list[int] | list[float]) -> Fields:
    """The partial aggregate of all values."""
    zeros = np.zeros(len(values), np.int64)
    columns: dict[Source, Values] = {"v": Values(column_of(np.array(values)))}
    batch = Batch(zeros, zeros, zeros, zeros, columns, lambda: objects([]), 0)
    return sliced(batch, slices([tumbling(10)]).runs(batch), [part]).parts[part]


@example(POWERS, Squares("v"))  # each bit once, or twice
@example([-(2**63), 2**62, 2**46], Squares("v"))
@given(
    st.lists(INTEGERS, min_size=1), st.sampled_from([Sum("v"), Squares("v"), Min("v"), Max("v")])
)
def test_sums_of_any_size_come_back(values: list[int], part: Part) -> None:
    kinds, fields = part_columns(part, KINDS), in_one_slice(part, values)
    encoded = list(encode(fields, kinds))
    assert len(encoded) == len(wire_types(kinds))
    assert all(column.dtype == np.int64 for column in encoded)
    decoded = decode(part, iter(encoded), kinds)
    assert [column.tolist() for column in decoded] == [field.tolist() for field in fields]
    if isinstance(part, Squares):
        expected = [len(values), sum(values), sum(value**2 for value in values)]
        assert [column.tolist()[0] for column in decoded] == expected


@pytest.mark.parametrize("values", [[np.nan, 1.0, 2.0], [2.0, np.nan, 1.0], [1.0, 2.0, np.nan]])
def test_nan_is_the_greatest_in_a_slice(values: list[float]) -> None:
    assert in_one_slice(Min("v"), values)[0].tolist() == [1.0]
    assert np.isnan(in_one_slice(Max("v"), values)[0]).tolist() == [True]
