"""What random traces for an engine contain, and that they keep to what it takes."""

import ast
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import muntin.wire
from muntin.conformance.engines.engine_traces import engine_trace
from muntin.conformance.engines.trace_shrinking import smaller_traces
from muntin.conformance.machines.random_choices import SeededSource
from muntin.conformance.transcript.model import OperatorTranscript
from muntin.spec.stream import END, Event
from muntin.wire.messages import EngineDescription, WireTrace, read_trace, result

WINDOWS = ("tumbling", "sliding", "session", "count", "rolling", "cumulate")
NARROW = EngineDescription("narrow", "1", WINDOWS, min_time=0, max_time=200, keys=False)
WIDE = EngineDescription(
    "wide", "1", WINDOWS, clock="explicit", batches=True, lateness=True, offsets=True
)


def drawn(description: EngineDescription, number: int = 600) -> list[OperatorTranscript]:
    return [engine_trace(SeededSource(i), description, WINDOWS) for i in range(number)]


def events(traces: list[OperatorTranscript]) -> Iterator[Event]:
    yield from (event for trace in traces for turn in trace.turns for event in turn.step.events)


def test_an_engine_gets_what_it_takes() -> None:
    traces = drawn(NARROW)
    assert all(0 <= event.time <= 200 and event.key is None for event in events(traces))
    assert {trace.settings.allowed_lateness for trace in traces} == {0}
    assert {trace.settings.output for trace in traces} == {"final"}
    assert {tuple(turn.step.watermark for turn in trace.turns) for trace in traces} == {(None, END)}
    assert {trace.queries[0].window.name for trace in traces} == {*WINDOWS}


def test_traces_have_what_faults_need() -> None:
    traces = drawn(WIDE)
    times = [event.time for event in events(traces)]
    assert min(times) < -(2**31)
    assert max(times) > 2**31
    assert any(-40 < time < 0 for time in times)
    watermarks = [
        [w for turn in trace.turns if (w := turn.step.watermark) is not None] for trace in traces
    ]
    falls = sum(any(b < a for a, b in pairwise(each)) for each in watermarks)
    repeats = sum(any(b == a for a, b in pairwise(each)) for each in watermarks)
    assert min(falls, repeats) > 10
    assert {event.key for event in events(traces)} == {None, "k"}
    sizes = {len(turn.step.events) for trace in traces for turn in trace.turns}
    assert sizes == {0, 1, 2}
    assert {trace.settings.allowed_lateness for trace in traces} == {0, 1, 3, 8}


def test_an_engine_with_sums_alone_gets_powers_of_two() -> None:
    sums = EngineDescription("sums", "1", WINDOWS, aggregates=("sum",))
    for trace in drawn(sums, 50):
        values = [event.value for event in events([trace])]
        assert values == [2**i for i in range(len(values))]
        assert trace.queries[0].aggregate.name == "sum"


@pytest.mark.parametrize("description", [NARROW, WIDE])
def test_a_smaller_trace_is_one_that_the_engine_takes(description: EngineDescription) -> None:
    for trace in drawn(description, 20):
        smaller = [*smaller_traces(trace, description)]
        assert smaller
        assert all(one.settings.output == trace.settings.output for one in smaller)
        assert all(one.queries[0].window.name in WINDOWS for one in smaller)
        if description.clock == "none":
            assert all(one.turns[-1].step.watermark == END for one in smaller)
        assert all(any(turn.step.events for turn in one.turns) for one in smaller)


def test_the_package_of_an_adapter_runs_on_python_3_10() -> None:
    """It may lie beside an engine that has no newer Python."""
    paths = [*Path(muntin.wire.__path__[0]).rglob("*.py")]
    assert len(paths) >= 4
    for path in paths:
        tree = ast.parse(path.read_text(), feature_version=(3, 10))
        names = {
            name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == "typing"
            for name in (alias.name for alias in node.names)
        }
        assert names <= {"TextIO", "TypeAlias", "TypeGuard", "SupportsIndex"}, path


class Index:
    """An integer of a library, such as numpy.int64."""

    def __index__(self) -> int:
        return 5


def test_values_of_libraries_become_integers_and_lists() -> None:
    assert result(0, 5, (Index(), 2))["value"] == [5, 2]
    with pytest.raises(TypeError, match="of type object is no value of JSON"):
        result(0, 5, object())


@pytest.mark.parametrize(
    "message",
    [{"window": 3}, {"window": {"type": "x"}, "steps": [{"events": [{"t": "a", "v": 1}]}]}],
)
def test_a_trace_that_is_none_is_refused(message: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="must be an"):
        read_trace(message)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType] - wrong on purpose


def test_a_parameter_that_is_missing_is_unsupported() -> None:
    with pytest.raises(muntin.wire.UnsupportedTraceError, match="a count window has no gap"):
        WireTrace("count", {"size": 2}).parameter("gap")
