"""What is known of a state besides its tables, and the table of keys, as bytes and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.types import StructField, StructType, TimestampType

from muntin.columnar.arguments import InputColumns
from muntin.kernels.slicing.moment import Clock
from muntin.snapshot import SnapshotError, encode
from muntin.spark.call.analysis import analyze
from muntin.spark.execution.arrow import pa
from muntin.spark.state.columnar_checkpoint import (
    HEAD,
    ChunkedTable,
    GroupHeader,
    StateHeader,
    head_in,
    headed,
)
from muntin.spark.state.key_table import BARE, keys_in, packed_keys
from muntin.spark.streaming.shuffle_payload import written
from muntin.spec.query import DEFAULTS
from muntin.spec.stream import END
from muntin.spec.windows.periodic import tumbling
from spark_support.tables import OF_ONE, SCHEMA

NUMBERS = st.integers(-(2**62), 2**62)
LAID = st.builds(
    ChunkedTable,
    st.text(),
    NUMBERS,
    st.lists(NUMBERS),
    st.lists(st.tuples(st.text(), st.integers(0, 9), st.booleans())),
)
NAMES = st.lists(st.text(), max_size=3)
GROUPED = st.builds(
    GroupHeader,
    NAMES,
    st.text(),
    NUMBERS,
    st.booleans(),
    st.lists(NAMES, max_size=3),
    st.lists(LAID, max_size=3),
)
HEADS = st.builds(
    StateHeader,
    st.builds(Clock, NUMBERS, NUMBERS, NUMBERS),
    NUMBERS | st.just(-END),
    NUMBERS,
    st.lists(GROUPED, max_size=3),
)


@given(HEADS)
def test_heads_come_back_and_are_shorter_than_with_names_of_fields(head: StateHeader) -> None:
    assert head_in({HEAD: headed(head)}) == head
    assert len(headed(head)) < len(encode(head))


@pytest.mark.parametrize(
    "held", ["head", ((1, 2, 3), "soon", 4, []), ((1, 2, 3), 4, "many", []), ((1, 2, 3), 4, 5, 6)]
)
def test_a_damaged_head_is_refused(held: object) -> None:
    with pytest.raises(SnapshotError, match="the state of a bucket is damaged: a piece holds"):
        head_in({HEAD: encode(held)})


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_keys_come_back_in_their_own_zone(zone: str) -> None:
    schema = StructType([*SCHEMA.fields, StructField("when", TimestampType())])
    plan = analyze(schema, InputColumns("t", ("k", "when")), [tumbling(5)], OF_ONE, DEFAULTS)
    times = pa.array([7, None, 10**15], pa.timestamp("us", zone))
    keys = pa.RecordBatch.from_pydict({"k": pa.array(["a", None, "b"]), "when": times})
    data = packed_keys(plan, keys)
    assert (data[:1] == BARE) is (zone == "UTC")
    assert written(keys_in(plan, data)) == written(keys)
    assert written(keys_in(plan, written(keys))) == written(keys)
