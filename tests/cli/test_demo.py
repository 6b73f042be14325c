"""`muntin demo`: who agrees, who refuses, who is caught."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import TypeVar

import pytest

from muntin.cli import demo, registry
from muntin.cli.registry import OperatorEntry, StructureEntry
from muntin.cli.structure_trial import as_it_landed, as_it_left
from muntin.conformance.flights import departures
from muntin.reference.denoted import Denoted
from muntin.reference.recompute import Recompute
from muntin.spec.errors import InvalidInputError, MuntinError, UnsupportedError
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import Event, Step

A = TypeVar("A")

SMALL = ("--events", "150", "--batch", "25")


def parsed(*arguments: str) -> Namespace:
    parser = ArgumentParser()
    demo.add_parser(parser.add_subparsers())
    return parser.parse_args(["demo", *arguments])


@pytest.fixture(scope="module")
def flights() -> list[Event]:
    return departures(300)


@pytest.fixture(autouse=True)
def read_once(monkeypatch: pytest.MonkeyPatch, flights: list[Event]) -> None:
    def first(limit: int) -> list[Event]:
        return flights[:limit]

    monkeypatch.setattr(demo, "departures", first)


def ran(*arguments: str) -> int:
    chosen = parsed(*SMALL, *arguments)
    run: Callable[[Namespace], int] = chosen.run
    return run(chosen)


class OffByOne(Denoted):
    """The specification, but for one value of one step."""

    def take(self, step: Step, /) -> Output:
        output = super().take(step)
        results = [
            r._replace(value=r.revision) if r.query == "lulls" else r for r in output.results
        ]
        return output._replace(results=tuple(results))


class Forgetful(Denoted):
    """The specification, but it calls nothing late and falls over at the end."""

    def take(self, step: Step, /) -> Output:
        if not step.events:
            raise ZeroDivisionError
        return super().take(step)


class Choosy(Denoted):
    """The specification, of few queries."""

    def add(self, query: Query) -> None:
        if query.id != "hours":
            raise UnsupportedError("only hours")
        super().add(query)


class Unwilling(Denoted):
    """The specification, of no settings at all."""

    def __init__(self, settings: Settings) -> None:
        raise UnsupportedError(f"no {settings.output}")


class Stuck(Recompute[A]):
    """A structure that evicts nothing."""

    def bulk_evict(self, up_to: int) -> None:
        del up_to


def with_operator(monkeypatch: pytest.MonkeyPatch, build: Callable[[Settings], Denoted]) -> None:
    monkeypatch.setattr(registry, "OPERATORS", [OperatorEntry("mine", build)])


def test_everything_registered_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran() == 0
    out = capsys.readouterr().out
    assert "Everything agrees with the specification." in out
    assert "DISAGREES" not in out
    names = [one.name for one in registry.OPERATORS] + [one.name for one in registry.STRUCTURES]
    assert [name for name in names if name not in out] == []


def test_results_are_on_the_clock(capsys: pytest.CaptureFixture[str]) -> None:
    ran("--with", "tuple-buffer")
    out = capsys.readouterr().out
    assert "150 departures from New York, Jan 01 05:17" in out
    assert "peaks    LGA     Jan 01 01:00 to 07:00" in out


def test_only_what_is_named_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran("--with", "tuple-buffer", "subtract-on-evict") == 0
    out = capsys.readouterr().out
    assert "tuple-buffer" in out
    assert "subtract-on-evict (max)" in out
    assert "tuple-buckets" not in out
    assert "recompute" not in out


def test_a_wrong_value_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with_operator(monkeypatch, OffByOne)
    assert ran() == 1
    out = capsys.readouterr().out
    assert out.count("DISAGREES") == 1
    assert "mine, lulls, step 2" in out
    assert "Everything agrees" not in out


def test_a_crash_is_a_disagreement(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with_operator(monkeypatch, Forgetful)
    assert ran() == 1
    out = capsys.readouterr().out
    assert "answered:  raised ZeroDivisionError()" in out


def test_a_refusal_is_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with_operator(monkeypatch, Choosy)
    assert ran() == 0
    out = capsys.readouterr().out
    verdicts = next(line.split() for line in out.splitlines() if line.startswith("mine"))
    assert verdicts == ["mine", "agrees", *["refuses"] * 6]
    assert "only hours" in out


def test_who_refuses_all_is_not_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with_operator(monkeypatch, Unwilling)
    assert ran() == 0
    assert "no accumulate-retract" in capsys.readouterr().out


def test_a_wrong_structure_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(registry, "OPERATORS", [])
    monkeypatch.setattr(registry, "STRUCTURES", [StructureEntry("mine", Stuck, "any order")])
    assert ran("--events", "300") == 1
    out = capsys.readouterr().out
    assert "mine, sum, call" in out


def test_calls_in_order_ask_for_the_same_windows(flights: list[Event]) -> None:
    events = flights[:150]
    apart = {call.time for call in as_it_left(events, 60)}
    assert len(apart) == len(events)
    assert {call.time // len(events) for call in as_it_left(events, 60)} == {
        call.time for call in as_it_landed(events, 60)
    }


@pytest.mark.parametrize("arguments", [["--events", "0"], ["--batch", "x"], ["--events", "1.5"]])
def test_what_is_no_number_is_refused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        parsed(*arguments)
    assert exit_.value.code == 2
    assert "must be an integer greater than 0" in capsys.readouterr().err


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="'nobody'"):
        ran("--with", "nobody")


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "muntin.cli.demo_report", raising=False)
    monkeypatch.delitem(sys.modules, "muntin.cli.demo_tables", raising=False)
    monkeypatch.setitem(sys.modules, "rich.table", None)
    with pytest.raises(MuntinError, match=r"pip install 'muntin\[cli,flights\]'"):
        ran()
