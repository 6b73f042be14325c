"""Lengths of windows beside timestamps are durations, and beside integers they are integers."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest

from muntin.columnar import windows as w
from muntin.columnar.durations import TimeUnit, nanoseconds
from muntin.columnar.windows import TableWindow, Windows, window_in_units
from muntin.registry.implementations import OPERATORS, OperatorEntry
from muntin.spec.algebra.catalogue import named
from muntin.spec.errors import InvalidInputError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import END, Event
from muntin.spec.windows import data_driven, periodic
from muntin.spec.windows.frames import state
from muntin.spec.windows.window import WindowType
from support.arrow_results import aggregate, rolling

pa, pd = map(import_module, ("pyarrow", "pandas"))
MINUTE = 60 * 10**9
MICROS = TimeUnit("ts", 1000, has_zone=True)
INTEGERS = TimeUnit("t")
LENGTHS: list[tuple[str | timedelta, Fraction | int]] = [
    ("10 minutes", 10 * MINUTE),
    ("10 min", 10 * MINUTE),
    ("1 Minute", MINUTE),
    (" 1  hour 30minutes ", 90 * MINUTE),
    ("1h 30min", 90 * MINUTE),
    ("1.5 hours", 90 * MINUTE),
    ("INTERVAL 1 MINUTE", MINUTE),
    ("PT1M", MINUTE),
    ("P1DT2H3M4.5S", 86_400 * 10**9 + 2 * 3600 * 10**9 + 3 * MINUTE + 4_500_000_000),
    ("P2W", 14 * 86_400 * 10**9),
    ("1 second 500 milliseconds", 1_500_000_000),
    ("2 weeks", 14 * 86_400 * 10**9),
    ("3 days", 3 * 86_400 * 10**9),
    ("1 hr", 60 * MINUTE),
    ("4 sec", 4 * 10**9),
    ("7 us", 7000),
    ("7 ms", 7_000_000),
    ("9 ns", 9),
    ("0.5 ns", Fraction(1, 2)),
    ("0 seconds", 0),
    (timedelta(hours=1, microseconds=1), 60 * MINUTE + 1000),
    (timedelta(seconds=-1), -(10**9)),
    (pd.Timedelta(5, "ns"), 5),
    (pd.Timedelta("1 day") + pd.Timedelta(1, "ns"), 86_400 * 10**9 + 1),
]


@pytest.mark.parametrize(("duration", "expected"), LENGTHS)
def test_a_duration_is_exact(duration: str | timedelta, expected: Fraction | int) -> None:
    assert nanoseconds(duration) == expected


NO_LENGTHS = {
    "10m": "m may be minutes or months; write '10 minutes'",
    "1 month": "months, quarters and years have no fixed length",
    "2 years": "months, quarters and years have no fixed length",
    "-1 hour": "write it without the sign",
    "ten minutes": "write a number and one of nanoseconds",
    "10": "write a number and one of nanoseconds",
    "": "write a number and one of nanoseconds",
    "1 hour and a bit": "write a number and one of nanoseconds",
    "P": "write a number and one of nanoseconds",
    "PT": "write a number and one of nanoseconds",
    "1 fortnight": "write a number and one of nanoseconds",
}


@pytest.mark.parametrize("text", NO_LENGTHS)
def test_a_text_that_is_no_length_is_refused_with_its_remedy(text: str) -> None:
    with pytest.raises(InvalidInputError) as refusal:
        w.DurationWindow(periodic.tumbling, {"size": text}).in_units_of(MICROS, "window 'a'")
    assert str(refusal.value).startswith(f"window 'a': size: {text!r} is no length of time: ")
    assert NO_LENGTHS[text] in str(refusal.value)


HOUR, DAY = 3600 * 10**6, 86_400 * 10**6
NEW_YEAR = datetime(2024, 1, 1, tzinfo=UTC)
AT = int(NEW_YEAR.timestamp()) * 10**6
BUILT: list[tuple[TableWindow, WindowType]] = [
    (w.tumbling("1 hour"), periodic.tumbling(HOUR)),
    (w.tumbling("1 day", offset=timedelta(hours=-4)), periodic.tumbling(DAY, -4 * HOUR)),
    (w.sliding("1 hour", "30 min"), periodic.sliding(HOUR, HOUR // 2)),
    (w.sliding(timedelta(days=1), "1 h", "1 h"), periodic.sliding(DAY, HOUR, HOUR)),
    (w.cumulate("1 day", "1 hour"), periodic.cumulate(DAY, HOUR)),
    (w.landmark(NEW_YEAR, "1 hour"), periodic.landmark(AT, HOUR)),
    (w.landmark(0, "1 hour"), periodic.landmark(0, HOUR)),
    (w.band(NEW_YEAR, NEW_YEAR + timedelta(hours=1)), periodic.band(AT, AT + HOUR)),
    (w.session("30 minutes"), data_driven.session(HOUR // 2)),
    (w.rolling("1 hour"), data_driven.rolling(HOUR)),
    (w.slide_by_tuple("1 hour", 3), data_driven.slide_by_tuple(HOUR, 3)),
    (w.last_n_every(3, "1 hour"), data_driven.last_n_every(3, HOUR)),
    (periodic.count(60), periodic.count(60)),
    (state(), state()),
    (data_driven.punctuation(), data_driven.punctuation()),
]


@pytest.mark.parametrize(("window", "expected"), BUILT)
def test_a_window_has_lengths_in_the_unit_of_timestamps(
    window: TableWindow, expected: WindowType
) -> None:
    assert window_in_units(window, MICROS, "w") == expected


@pytest.mark.parametrize(("window", "expected"), BUILT[:-1])
def test_windows_over_timestamps_are_those_over_integers(
    window: TableWindow, expected: WindowType
) -> None:
    micros = [AT + (7 * n % 40) * 13 * 60 * 10**6 for n in range(80)]
    table = pa.table({"ts": pa.array(micros), "v": range(80)})
    stamped = table.set_column(0, "ts", table["ts"].cast(pa.timestamp("us", "Europe/Berlin")))
    over_integers = aggregate(
        table, windows={"w": expected}, aggregates=[("collect", "v")]
    ).to_pylist()
    result = pa.table(aggregate(stamped, windows={"w": window}, aggregates=[("collect", "v")]))
    assert over_integers
    for nth, name in enumerate(result.column_names):
        if name in ("start", "end"):
            assert str(result.column(name).type) == "timestamp[us, tz=Europe/Berlin]"
            result = result.set_column(nth, name, result.column(name).cast(pa.int64()))
    assert result.to_pylist() == over_integers


def test_windows_of_integers_are_those_of_the_specification() -> None:
    assert w.tumbling(5) == periodic.tumbling(5)
    assert w.sliding(9, 4, 1) == periodic.sliding(9, 4, 1)
    assert w.cumulate(6, 2) == periodic.cumulate(6, 2)
    assert w.landmark(3, 7) == periodic.landmark(3, 7)
    assert w.band(-1, 7) == periodic.band(-1, 7)
    assert w.session(3) == data_driven.session(3)
    assert w.rolling(3) == data_driven.rolling(3)
    assert w.slide_by_tuple(3, 2) == data_driven.slide_by_tuple(3, 2)
    assert w.last_n_every(3, 2) == data_driven.last_n_every(3, 2)
    with pytest.raises(InvalidInputError, match="tumbling: the size of a window must be greater"):
        w.tumbling(0)


LOOSE = json.loads('{"float": 1.5, "none": null, "text": "2024"}')
"""Values that no type checker has seen."""

BARE: list[tuple[Callable[[], TableWindow], str]] = [
    (lambda: w.tumbling(60), "size is 60, without a unit"),
    (lambda: periodic.tumbling(60), "size is 60, without a unit"),
    (lambda: periodic.tumbling(60), r"size is .*write '60 seconds' or timedelta\(seconds=60\)"),
    (lambda: w.tumbling("1 day", -5), r"offset is -5, .*: write timedelta\(seconds=-5\)"),
    (lambda: w.sliding("1 hour", 5), "slide is 5, without a unit"),
    (lambda: periodic.sliding(60, 5), "size is 60, without a unit"),
    (lambda: periodic.cumulate(6, 2), "size is 6, without a unit"),
    (lambda: periodic.landmark(0, 5), "every is 5, without a unit"),
    (lambda: w.landmark(7, "5 s"), r"at is 7, .*: write datetime\(2024, 1, 1, tzinfo=UTC\)"),
    (lambda: periodic.band(0, 9), "end is 9, without a unit"),
    (lambda: data_driven.session(30), "gap is 30, without a unit"),
    (lambda: data_driven.rolling(3), "size is 3, without a unit"),
    (lambda: data_driven.slide_by_tuple(3, 2), "size is 3, without a unit"),
    (lambda: data_driven.last_n_every(3, 2), "every is 2, without a unit"),
    (lambda: w.tumbling(LOOSE["float"]), "size is 1.5, .*: write a length as '10 minutes'"),
    (lambda: w.session(LOOSE["none"]), "gap is None, .*: write a length as '10 minutes'"),
    (lambda: w.landmark(LOOSE["text"], "1 s"), "at is '2024', .* a point in time as a datet"),
]


@pytest.mark.parametrize(("build", "message"), BARE)
def test_an_integer_next_to_timestamps_is_refused_with_its_remedy(
    build: Callable[[], TableWindow], message: str
) -> None:
    with pytest.raises(InvalidInputError, match=f"window 'w': {message}"):
        window_in_units(build(), MICROS, "window 'w'")


@pytest.mark.parametrize(
    "window",
    [
        w.tumbling("1 hour"),
        w.session(timedelta(minutes=30)),
        w.sliding(10, "5 minutes"),
        w.landmark(NEW_YEAR, 5),
        w.last_n_every(3, "1 s"),
    ],
)
def test_a_duration_next_to_integers_is_refused_with_its_remedy(window: TableWindow) -> None:
    remedy = "and the time 't' holds integers, whose unit only you know: write an integer"
    with pytest.raises(InvalidInputError, match=remedy):
        window_in_units(window, INTEGERS, "window 'w'")


def test_a_duration_is_a_multiple_of_the_unit() -> None:
    seconds = TimeUnit("ts", 10**9)
    assert window_in_units(w.tumbling("1 minute"), seconds, "w") == periodic.tumbling(60)
    with pytest.raises(InvalidInputError, match="counts in 1000000000 ns: write a multiple"):
        window_in_units(w.tumbling("1500 ms"), seconds, "w")
    with pytest.raises(InvalidInputError, match="w: the size of a window must be greater than 0"):
        window_in_units(w.tumbling("0 s"), seconds, "w")


@pytest.mark.parametrize("has_zone", [True, False])
def test_a_point_in_time_has_a_zone_where_the_column_has_one(*, has_zone: bool) -> None:
    unit, naive = TimeUnit("ts", 1000, has_zone=has_zone), NEW_YEAR.replace(tzinfo=None)
    right, wrong = (NEW_YEAR, naive) if has_zone else (naive, NEW_YEAR)
    assert unit.position(right, "the start") == AT
    with pytest.raises(InvalidInputError, match=f"has {'a' if has_zone else 'no'} zone: write it"):
        unit.position(wrong, "the start")


STAMPS = np.array(["2024-01-01T10:00", "2024-01-01T10:40", "2024-01-01T12:00"], "datetime64[us]")
COLUMNS: dict[str, object] = {
    "numpy": STAMPS,
    "numpy seconds": STAMPS.astype("datetime64[s]"),
    "pandas": pd.Series(STAMPS),
    "datetimes": STAMPS.tolist(),
    "arrow with a zone": pa.array(STAMPS).cast(pa.timestamp("ms", "Europe/Berlin")),
    "nanoseconds": pa.array(STAMPS).cast(pa.timestamp("ns")),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_every_kind_of_timestamp_takes_durations(name: str) -> None:
    table = {"ts": COLUMNS[name], "v": [1, 2, 4]}
    kinds: Windows = [w.tumbling("1 hour"), w.session("30 minutes"), w.sliding("2 h", "1 h")]
    sums = aggregate(table, windows=kinds, aggregates={"s": ("sum", "v")}).to_pylist()
    assert [(row["window"], row["s"]) for row in sums] == [
        *(("tumbling", 3), ("tumbling", 4)),
        *(("session", 1), ("session", 2), ("session", 4)),
        *(("sliding", 3), ("sliding", 3), ("sliding", 4), ("sliding", 4)),
    ]
    each = rolling(table, size="45 minutes", aggregates={"s": ("sum", "v")}).to_pylist()
    assert [row["s"] for row in each] == [1, 3, 4]
    with pytest.raises(InvalidInputError, match="size is 60, without a unit, and the time"):
        aggregate(table, windows=[periodic.tumbling(60)], aggregates=["count"])
    with pytest.raises(InvalidInputError, match="size is 60, without a unit, and the time"):
        rolling(table, size=60, aggregates={"n": "count"})


def test_gaps_next_to_timestamps_are_durations() -> None:
    gaps = np.array([50, -1, 1], "timedelta64[m]").astype("timedelta64[s]")
    gaps[1] = np.timedelta64("NaT", "s")
    table = {"ts": STAMPS, "g": gaps, "i": [1, 2, 3]}
    kinds: Windows = [w.session("30 minutes")]
    rows = aggregate(table, windows=kinds, gap="g", aggregates=["count"]).to_pylist()
    assert [(str(row["end"])[11:16], row["count"]) for row in rows] == [("11:10", 2), ("12:01", 1)]
    with pytest.raises(InvalidInputError, match="the gaps 'i' must be durations, since the time"):
        aggregate(table, windows=kinds, gap="i", aggregates=["count"])
    with pytest.raises(InvalidInputError, match="the gaps 'g' must be integers, in the unit of"):
        aggregate(table, windows=[w.session(3)], time="i", gap="g", aggregates=["count"])
    fine = {"ts": STAMPS.astype("datetime64[s]"), "g": np.array([1, 2, 3], "timedelta64[ms]")}
    with pytest.raises(InvalidInputError, match="the gaps 'g' are finer than the time 'ts'"):
        aggregate(fine, windows=kinds, gap="g", aggregates=["count"])


NO_OPERATOR = "tumbling has durations, .* muntin.spec|must be a WindowType, not tumbling.size='1 h"
LOOSE_QUERY: Callable[..., Query] = Query
"""A query, with arguments that no type checker knows."""


def run_over_durations(operator: Operator) -> Output:
    operator.add(LOOSE_QUERY("q", w.tumbling("1 hour"), named("sum")))
    return operator.step([Event(1, 1)], END)


@pytest.mark.parametrize("entry", OPERATORS, ids=lambda entry: entry.name)
def test_an_operator_refuses_a_window_of_durations(entry: OperatorEntry) -> None:
    operator = entry.build(Settings(in_order=entry.in_order_only))
    with pytest.raises(InvalidInputError, match=NO_OPERATOR):
        run_over_durations(operator)
