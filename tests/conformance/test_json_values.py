"""Values as JSON, and back."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.conformance.transcript.expectations import agree
from muntin.conformance.transcript.json_reader import Json, decode, encode

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text("ab"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab"), inner, max_size=3),
)


@given(JSON)
def test_a_value_survives_the_way_there_and_back(value: Json) -> None:
    written = encode(decode(value))
    assert json.loads(json.dumps(written, allow_nan=False)) == written
    assert encode(decode(written)) == written
    assert isinstance(hash(decode(value)), int)
    assert agree(encode(decode(value)), written)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (Fraction(10**400, 3), "Infinity"),
        (Fraction(-8, 4), -2),
        (Fraction(1, 3), 1 / 3),
        (((1, 2.5), "a", None, True), [[1, 2.5], "a", None, True]),
    ],
)
def test_values_are_written_as_json(value: object, written: Json) -> None:
    assert encode(value) == written
