"""Outputs are compared key by key: the order of keys is free, the order within a key is not."""

import json
from collections.abc import Callable, Iterator
from itertools import chain, islice
from math import nan
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from cli.replay_session import Session
from exhaustive.traces.walk import TraceScope, TraceWalk
from muntin.conformance.fuzz.fuzzer import trials
from muntin.conformance.machines.operator_machine import operator_machine
from muntin.conformance.output_comparison import (
    order_difference,
    response_difference,
    results_by_key,
)
from muntin.conformance.transcript.model import OperatorTranscript, parse
from muntin.differential.equality import answer_difference
from muntin.reference.specification import SpecificationOperator
from muntin.registry import lookup
from muntin.registry.implementations import OPERATORS, OperatorEntry
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Result, Settings
from muntin.spec.stream import Event, Step
from muntin.spec.windows.data_driven import Session as SessionWindow
from muntin.spec.windows.periodic import tumbling

VECTORS = Path(__file__).parents[1] / "vectors"
SEED = 20261120


class YoungestKeyFirst(SpecificationOperator):
    """The denotation, but keys follow each other in the reverse order, one after the other."""

    def take(self, events: Step, /) -> Output:
        output = super().take(events)
        by_key = [*results_by_key(output.results).values()]
        return output._replace(results=tuple(chain(*reversed(by_key))))


class YoungestWindowFirst(SpecificationOperator):
    """The denotation, but the results of a step are in the reverse order."""

    def take(self, events: Step, /) -> Output:
        output = super().take(events)
        return output._replace(results=output.results[::-1])


class YoungestLateFirst(SpecificationOperator):
    """The denotation, but late events are in the reverse order."""

    def take(self, events: Step, /) -> Output:
        output = super().take(events)
        return output._replace(late=output.late[::-1])


DISORDERLY = [YoungestWindowFirst, YoungestLateFirst]
FIRST_FAILURE = settings(phases=[Phase.generate], report_multiple_bugs=False)
SCOPE = TraceScope((SessionWindow(2), tumbling(2)), 3, 3, keys=("a", "b"))
BATCHES = TraceScope((tumbling(1),), 2, 2, batch=2)


def result(key: str, start: int, value: object = 1, query: str = "w") -> Result:
    return Result(query, key, start, start + 10, value, "new", 0)


A, B, LATER = result("a", 0), result("b", 0), result("a", 5)


def test_keys_may_follow_each_other_in_any_order() -> None:
    for results in ((A, B, LATER), (A, LATER, B), (B, A, LATER)):
        assert not response_difference(Output((A, LATER, B)), Output(results))


def test_the_first_key_that_differs_is_named() -> None:
    expected, changed = Output((B, A, LATER)), LATER._replace(value=2)
    difference = response_difference(expected, Output((A, changed, B)))
    assert difference == f"key 'a': expected {LATER}, got {changed}"
    assert response_difference(expected, Output((A, B))) == (
        f"key 'a': expected {LATER}, got nothing"
    )
    assert response_difference(Output((A, LATER)), expected) == (
        f"key 'b': expected nothing, got {B}"
    )
    assert response_difference(expected, Output((LATER, A, B))) == (
        f"key 'a', out of order: expected {A}, got {LATER}"
    )
    assert response_difference(expected, Output((B, A, A))) == (
        f"key 'a': expected {LATER}, got {A}"
    )


def test_late_events_are_compared_in_order_of_arrival() -> None:
    first, second = Event(3, 1, "a"), Event(2, 1, "b")
    assert response_difference(Output((), (first, second)), Output((), (second, first))) == (
        f"late events: expected {first}, got {second}"
    )
    assert response_difference(Output(), Output((), (first,))) == (
        f"late events: expected nothing, got {first}"
    )
    assert response_difference(Output(), "InvalidInputError")
    assert not response_difference("InvalidInputError", "InvalidInputError")


def test_values_are_equal_or_both_nan_or_close_as_the_caller_says() -> None:
    not_a_number = Output((result("a", 0, nan),))
    assert not response_difference(not_a_number, Output((result("a", 0, -nan),)))
    assert response_difference(Output((A,)), not_a_number)
    close = Output((result("a", 0, 1.25),))
    assert not answer_difference(Output((result("a", 0, 1.0),)), close, {"w": 0.5})
    assert answer_difference(Output((result("a", 0, 1.0),)), close, {"v": 0.5})


def test_the_order_of_a_key_is_that_of_the_rule() -> None:
    retracted, other = LATER._replace(kind="retracted"), result("a", 0, query="v")
    ordered = Output((retracted, A, B, other, LATER))
    assert not order_difference(ordered, ["w", "v"])
    assert order_difference(ordered, ["v", "w"]).startswith("key 'a', out of order: expected")
    assert order_difference(Output((A, retracted)), ["w"])
    assert not order_difference(Output((retracted, B, A)), ["w"])


def test_the_machine_accepts_any_order_of_keys() -> None:
    machine = operator_machine(YoungestKeyFirst)
    run_state_machine_as_test(machine)
    assert machine.answered > 0


@pytest.mark.parametrize("build", DISORDERLY)
def test_the_machine_detects_what_is_out_of_order(build: Callable[[Settings], Operator]) -> None:
    with pytest.raises(AssertionError, match=r"out of order: expected|late events: expected"):
        run_state_machine_as_test(operator_machine(build), settings=FIRST_FAILURE)


def test_random_traces_accept_any_order_of_keys_and_no_other_disorder() -> None:
    builds = {build.__name__: build for build in (YoungestKeyFirst, *DISORDERLY)}
    differences = {
        name: [trial.outcome.divergence for trial in islice(trials({name: build}, SEED), 200)]
        for name, build in builds.items()
    }
    assert not any(differences["YoungestKeyFirst"])
    for name in ("YoungestWindowFirst", "YoungestLateFirst"):
        (first, *_) = filter(None, differences[name])
        assert first.difference.startswith(("key ", "late events: "))


def test_the_walk_accepts_any_order_of_keys() -> None:
    for scope in (SCOPE, BATCHES):
        walked = TraceWalk(scope, [OperatorEntry("reversed", YoungestKeyFirst)]).run()
        assert walked.results > 0


@pytest.mark.parametrize(
    ("build", "scope"), [(YoungestWindowFirst, SCOPE), (YoungestLateFirst, BATCHES)]
)
def test_the_walk_detects_what_is_out_of_order(
    build: Callable[[Settings], Operator], scope: TraceScope
) -> None:
    with pytest.raises(AssertionError, match=r"out of order|late events"):
        TraceWalk(scope, [OperatorEntry("disorderly", build)]).run()


def keyed_vectors() -> Iterator[Path]:
    """The transcripts of operators whose events have several keys."""
    for path in sorted(VECTORS.rglob("*.json")):
        transcript = parse(path.read_bytes())
        if isinstance(transcript, OperatorTranscript):
            events = [event for turn in transcript.turns for event in turn.step.events]
            if len({event.key for event in events}) > 1:
                yield path


@pytest.fixture
def session(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Session:
    entries = [
        OperatorEntry("keys-reversed", YoungestKeyFirst),
        OperatorEntry("windows-reversed", YoungestWindowFirst),
    ]
    monkeypatch.setattr(lookup, "OPERATORS", [*OPERATORS, *entries])
    return Session(tmp_path, capsys)


def test_replay_accepts_any_order_of_keys(session: Session) -> None:
    files = [*map(str, keyed_vectors())]
    assert len(files) > 5
    assert session.replay(*files, "--check", "--with", "keys-reversed") == 0


def test_replay_checks_the_order_within_a_key(session: Session) -> None:
    file = str(VECTORS / "rules" / "11_order_of_results.json")
    assert session.replay(file, "--check", "--with", "windows-reversed") == 1
    assert "1 difference\n    step 0, key None, out of order: expected Result(" in session.out
    document = json.loads(Path(file).read_text())
    del document["expect"]
    assert session.replay(session.file(document), "--check", "--with", "windows-reversed") == 0
    assert "the transcript expects nothing" in session.out
