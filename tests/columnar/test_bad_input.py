"""Each refusal of a call on a table names the column, the row and the remedy."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from importlib import import_module
from math import nan

import numpy as np
import pytest

from muntin.columnar import aggregate, band, landmark, rolling, session, tumbling
from muntin.spec.errors import MuntinError
from muntin.spec.windows.data_driven import punctuation
from muntin.spec.windows.frames import delta

pa, pd, pl = map(import_module, ("pyarrow", "pandas", "polars"))
CALL: Callable[..., object] = aggregate
ROLLING: Callable[..., object] = rolling
"""The calls, with arguments that no type checker knows."""

T, X = [1, 2, 13], [4, 5, 6]
STAMPS = np.array(["2024-01-01", "NaT", "2024-01-02"], "datetime64[us]")
FAR = "in row 1, and must lie within 3458764513820540927 of 0, .*; count from a later time"
TIMES: dict[str, tuple[object, str]] = {
    "text": (["a", "b", "c"], "the time 't' must be integers or timestamps, not string; cast it"),
    "booleans": ([True] * 3, "the time 't' must be integers or timestamps, not bool; cast it"),
    "dates": ([date(2024, 1, 1)] * 3, r"the time 't' must be .* not date32\[day\]; cast it"),
    "decimals": ([Decimal(1)] * 3, "the time 't' must be .* not decimal128.*; cast it"),
    "floats": ([1.5, 2, 3], "the time 't' must be .* not double: NaN and fractions .*; cast it"),
    "NaN": (np.array([1, nan, 3]), r"not double \(NaN in row 1\): .*leave out rows without a time"),
    "half floats": (np.array([1, nan, 3], np.float16), r"not halffloat \(NaN in row 1\): "),
    "null": ([1, None, None], "the time 't' is null in 2 of 3 rows, first in row 1; leave them"),
    "NaT": (STAMPS, "the time 't' is null in 1 of 3 rows, first in row 1; leave them out"),
    "NaT of pandas": (pd.Series(STAMPS), "the time 't' is null in 1 of 3 rows, first in row 1"),
    "null of Polars": (
        pl.Series([None, *T[:2]]),
        "the time 't' is null in 1 of 3 rows, first in r",
    ),
    "2^62": ([1, 2**62, 3], f"the time 't' is {2**62} {FAR}"),
    "-2^62": ([1, -(2**62), 3], f"the time 't' is -{2**62} {FAR}"),
    "3 * 2^60": ([1, 3 * 2**60, 3], f"the time 't' is {3 * 2**60} {FAR}"),
    "unsigned": (np.array([1, 2**63, 3], np.uint64), f"the time 't' is {2**63} {FAR}"),
    "far nanoseconds": (
        np.array(["2024", "2200", "2024"], "datetime64[ns]"),
        f"'t' is 725.* {FAR}",
    ),
    "2^70": ([1, 2**70, 3], "the column 't' cannot be read in row 1: Python int too large"),
}


@pytest.mark.parametrize("name", TIMES)
def test_a_bad_time_is_refused(name: str) -> None:
    times, message = TIMES[name]
    has_unit = "datetime64" in str(getattr(times, "dtype", ""))
    arguments = {"time": "t", "windows": [tumbling("1 hour" if has_unit else 10)]}
    for table in ({"t": times, "x": X}, {"x": X, "t": times}):
        with pytest.raises(MuntinError, match=message):
            CALL(table, aggregates=[("sum", "x")], **arguments)
        with pytest.raises(MuntinError, match=message):
            ROLLING(table, size="1 hour" if has_unit else 10, aggregates=["count"], time="t")


NUMBERS = "which is no number; cast it to int64 or float64"
GAPS = "in row 1, and must be greater than 0 and less than 1152921504606846976; leave it null"
NO_GAPS = "must be integers, in the unit of the time 't', not double; cast it"
Arguments = dict[str, object]
LOOSE = json.loads("[1]")[0]
"""A name that no type checker has seen."""
OTHERS: dict[str, tuple[Arguments, Arguments, str]] = {
    "text": ({"x": ["a", "b", "c"]}, {}, f"the column 'x' is of string, {NUMBERS}"),
    "booleans": ({"x": [True] * 3}, {}, f"the column 'x' is of bool, {NUMBERS}"),
    "decimals": ({"x": [Decimal("1.5")] * 3}, {}, f"the column 'x' is of decimal128.*, {NUMBERS}"),
    "lists": ({"x": [[1]] * 3}, {}, f"the column 'x' is of list<.*>, {NUMBERS}"),
    "nulls alone": ({"x": [None] * 3}, {}, f"the column 'x' is of null, {NUMBERS}"),
    "a payload": (
        {"s": ["a"] * 3},
        {"aggregates": [("argmax", "x", "s")]},
        f"the column 's' is of string, {NUMBERS}",
    ),
    "a frame": (
        {"x": ["a"] * 3},
        {"windows": [delta(1)]},
        f"the column 'x' is of string, {NUMBERS}",
    ),
    "mixed": ({"x": [1, 2, "a"]}, {}, "the column 'x' cannot be read in row 2: .*; make it an arr"),
    "mixed objects": (
        {"x": np.array([1, "a", 2], object)},
        {},
        "the column 'x' cannot be read in row 1: .*; make it an array of one type",
    ),
    "two dimensions": (
        {"x": np.ones((3, 2))},
        {},
        "the column 'x' cannot be read: only handle 1-d",
    ),
    "a number": ({"x": 5}, {}, "the column 'x' cannot be read: .*; make it an array of one type"),
    "byte-swapped": ({"x": np.ones(3, ">i8")}, {}, "the column 'x' cannot be read: Byte-swapped"),
    "ragged": ({"x": X[1:]}, {}, "'t' has 3 rows, 'x' has 2 rows: cut the longer, or fill the sho"),
    "no name": ({LOOSE: X}, {}, "the name of a column must be a string, not 1"),
    "a list as a key": (
        {"k": [[1]] * 3},
        {"keys": "k"},
        "the key 'k' is of list<.*>, which cannot be hashed; take a field of it as the key, or ca",
    ),
    "a record as a key": (
        {"k": [{"a": 1}] * 3},
        {"keys": "k"},
        "the key 'k' is of struct<.*>, which cannot be hashed; take a field of it as the key",
    ),
    "an object as a key": ({"k": [object()] * 3}, {"keys": "k"}, "'k' cannot be read in row 0: .*"),
    "a missing key": ({}, {"keys": "k"}, "there must be one column 'k'; there are t, x"),
    "a missing time": ({}, {"time": "ts"}, "no column 'ts': name that of the times, as time='at'"),
    "gap 0": ({"g": [3, 0, 1]}, {"gap": "g", "windows": [session(3)]}, f"the gap 'g' is 0 {GAPS}"),
    "gap -2": ({"g": [3, -2, 0]}, {"gap": "g", "windows": [session(3)]}, f"gap 'g' is -2 {GAPS}"),
    "gap 2^60": ({"g": [3, 2**60, 0]}, {"gap": "g", "windows": [session(3)]}, f"4606846976 {GAPS}"),
    "gap 2^63": (
        {"g": np.array([3, 2**63, 0], np.uint64)},
        {"gap": "g", "windows": [session(3)]},
        f"the gap 'g' is {2**63} {GAPS}",
    ),
    "a gap of 1.5": (
        {"g": [1.5] * 3},
        {"gap": "g", "windows": [session(3)]},
        f"gaps 'g' {NO_GAPS}",
    ),
    "a mark of 1": (
        {"p": [1] * 3},
        {"mark": "p", "windows": [punctuation()]},
        "the marks 'p' must be booleans, not int64; cast it",
    ),
    "a size of 2^62": (
        {},
        {"windows": {"w": tumbling(2**62)}},
        f"the end of a window of .*over 'w'.* is {2**62}; .*: take a greater unit of time, or a sh",
    ),
    "a band to 2^63": (
        {},
        {"windows": {"w": band(0, 2**63)}},
        f"the end of a window of .*over 'w'.* is {2**63}; .*: take a greater unit of time",
    ),
    "a landmark at -2^63": (
        {},
        {"windows": {"w": landmark(-(2**63), 5)}},
        f"the start of a window of .*over 'w'.* is -{2**63}; .*: take a greater unit of time",
    ),
    "a gap of 2^62": (
        {},
        {"windows": {"w": session(2**62)}},
        "the end of a window of .*over 'w'.* is 46116.*: take a greater unit of time, or a shorter",
    ),
    "a fraction": (
        {},
        {"aggregates": [("percentile(0.95)", "x")]},
        r"write percentile\(95\), or pe",
    ),
    "a negative factor": (
        {"x": [1, -1, 2]},
        {"aggregates": {"g": ("geomean", "x")}},
        "-1 is no value of geomean: it must not be negative; it is in row 1 of the values: convert",
    ),
    "progress": ({}, {"progress": "yes"}, "progress must be True, False or None, not 'yes'"),
    "to": (
        {},
        {"to": "numpy"},
        "to must be one of arrow, pandas, polars, duckdb, dict, not 'numpy'",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_bad_columns_and_windows_are_refused(name: str) -> None:
    more, arguments, message = OTHERS[name]
    given = {"time": "t", "windows": [tumbling(10)], "aggregates": [("sum", "x")], **arguments}
    with pytest.raises(MuntinError, match=message):
        CALL({"t": T, "x": X, **more}, **given)


TABLES: dict[str, tuple[object, str]] = {
    "a list": (
        [1],
        "a table must have the Arrow stream interface or be a dict of arrays, not list",
    ),
    "none": (None, "be a dict of arrays, not NoneType"),
    "a series": (pd.Series([1]), "be a dict of arrays, not Series"),
    "a series of Polars": (pl.Series([1]), "no table of named columns can be made of this Series"),
    "nothing": ({}, "there is no column 't': name that of the times, .*; there are none"),
    "columns of one name": (
        pa.table([T, X, X], names=["t", "x", "x"]),
        "there must be one column 'x'; there are t, x, x",
    ),
    "objects of pandas": (
        pd.DataFrame({"t": T, "x": [1, "a", 2]}),
        "the column 'x' cannot be read in row 1: .*; make it an array of one type",
    ),
    "a missing time of pandas": (
        pd.DataFrame({"t": pd.to_datetime(["2024-01-01", None]), "x": [1, 2]}),
        "the time 't' is null in 1 of 2 rows, first in row 1; leave them out",
    ),
    "a missing time of Polars": (
        pl.DataFrame({"t": [datetime(2024, 1, 1, tzinfo=UTC), None], "x": [1, 2]}),
        "the time 't' is null in 1 of 2 rows, first in row 1; leave them out",
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_what_is_no_table_is_refused(name: str) -> None:
    table, message = TABLES[name]
    size = "1 hour" if "time" in name else 10
    with pytest.raises(MuntinError, match=message):
        CALL(table, time="t", windows=[tumbling(size)], aggregates=[("sum", "x")])
