"""The header of a columnar checkpoint, and the table of keys, as bytes and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.types import StructField, StructType, TimestampType

from muntin.columnar.arguments import InputColumns
from muntin.columnar.embedding.checkpoint import (
    HEADER_CHUNK,
    ChunkedTable,
    GroupHeader,
    OperatorHeader,
    decode_header,
    encode_header,
)
from muntin.kernels.slicing.moment import Clock
from muntin.snapshot import SnapshotError, encode
from muntin.spark.call.analysis import analyze
from muntin.spark.execution.arrow import pa, to_ipc_bytes
from muntin.spark.state.key_table import WITHOUT_SCHEMA, decode_keys, encode_keys
from muntin.spec.query import DEFAULTS
from muntin.spec.stream import END
from muntin.spec.windows.periodic import tumbling
from spark_support.tables import OF_ONE, SCHEMA

NUMBERS = st.integers(-(2**62), 2**62)
TABLES = st.builds(
    ChunkedTable,
    st.text(),
    NUMBERS,
    st.lists(NUMBERS),
    st.lists(st.tuples(st.text(), st.integers(0, 9), st.booleans())),
)
NAMES = st.lists(st.text(), max_size=3)
GROUPS = st.builds(
    GroupHeader,
    NAMES,
    st.text(),
    NUMBERS,
    st.booleans(),
    st.lists(NAMES, max_size=3),
    st.lists(TABLES, max_size=3),
)
HEADERS = st.builds(
    OperatorHeader,
    st.builds(Clock, NUMBERS, NUMBERS, NUMBERS),
    NUMBERS | st.just(-END),
    NUMBERS,
    st.lists(GROUPS, max_size=3),
)


@given(HEADERS)
def test_headers_come_back_and_are_shorter_than_with_field_names(header: OperatorHeader) -> None:
    assert decode_header({HEADER_CHUNK: encode_header(header)}) == header
    assert len(encode_header(header)) < len(encode(header))


@pytest.mark.parametrize(
    "content",
    ["header", ((1, 2, 3), "soon", 4, []), ((1, 2, 3), 4, "many", []), ((1, 2, 3), 4, 5, 6)],
)
def test_a_damaged_header_is_refused(content: object) -> None:
    with pytest.raises(SnapshotError, match="the state is damaged: a chunk holds"):
        decode_header({HEADER_CHUNK: encode(content)})


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_keys_come_back_in_their_own_time_zone(zone: str) -> None:
    schema = StructType([*SCHEMA.fields, StructField("when", TimestampType())])
    plan = analyze(schema, InputColumns("t", ("k", "when")), {"w": tumbling(5)}, OF_ONE, DEFAULTS)
    times = pa.array([7, None, 10**15], pa.timestamp("us", zone))
    keys = pa.RecordBatch.from_pydict({"k": pa.array(["a", None, "b"]), "when": times})
    data = encode_keys(plan, keys)
    assert (data[:1] == WITHOUT_SCHEMA) is (zone == "UTC")
    assert to_ipc_bytes(decode_keys(plan, data)) == to_ipc_bytes(keys)
    assert to_ipc_bytes(decode_keys(plan, to_ipc_bytes(keys))) == to_ipc_bytes(keys)
