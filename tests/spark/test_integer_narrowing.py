"""Columns that are encoded narrow come back to the bit."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.spark.execution.arrow import column, pa, to_ipc_bytes
from muntin.spark.streaming.shuffle_payload import decode_narrow, encode_narrow

LONG = st.integers(-(2**63), 2**63 - 1)
COLUMNS = st.one_of(
    st.lists(st.none() | LONG).map(lambda items: pa.array(items, pa.int64())),
    st.lists(st.integers(-300, 300)).map(lambda items: pa.array(items, pa.int64())),
    st.lists(st.integers(-(2**15), 2**15 - 1)).map(lambda items: pa.array(items, pa.int16())),
    st.lists(st.dates()).map(lambda items: pa.array(items, pa.date32())),
    st.lists(LONG).map(lambda items: pa.array(items, pa.timestamp("us", "UTC"))),
    st.lists(st.integers(0, 10**6)).map(lambda items: pa.array(items, pa.timestamp("us"))),
    st.lists(st.none() | st.floats(width=64)).map(lambda items: pa.array(items, pa.float64())),
    st.lists(st.none() | st.text()).map(lambda items: pa.array(items, pa.string())),
    st.lists(st.booleans()).map(pa.array),
)


@given(COLUMNS)
def test_columns_come_back_to_the_bit(items: object) -> None:
    batch = pa.RecordBatch.from_pydict({"a.b": items})
    decoded = decode_narrow(encode_narrow(batch))
    assert decoded.schema == batch.schema
    assert to_ipc_bytes(decoded) == to_ipc_bytes(batch)


@pytest.mark.parametrize(
    ("items", "width"),
    [
        ([10**12, 10**12 + 255], 8),
        ([10**12, 10**12 + 256], 16),
        ([-(2**31), 2**31 - 1], 32),
        ([-(2**31), 2**31], 64),
        ([datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=n) for n in (0, 1)], 32),
        ([date(2026, 1, 1), date(2026, 9, 1)], 8),
    ],
)
def test_a_column_is_as_narrow_as_its_range(items: list[object], width: int) -> None:
    narrow = encode_narrow(pa.RecordBatch.from_pydict({"a": pa.array(items)}))
    assert getattr(column(narrow, "a").type, "bit_width") == width  # noqa: B009 - Arrow is not typed
