"""Distinguishing traces: as small as any, and the same for engines as for their dialects."""

from itertools import islice

import pytest

from engines.toy_engine import ToyEngine
from muntin.conformance.engines.distinction import (
    Distinction,
    dialect_engine,
    distinguish,
    traces_by_size,
)
from muntin.conformance.engines.engine import AdapterEngine, OperatorEngine
from muntin.conformance.transcript.model import OperatorTranscript
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.errors import InvalidInputError
from muntin.wire.messages import EngineDescription

OURSELVES = dialect_engine(OURS)
BATCH = EngineDescription("batch", "1", ["tumbling", "session"])


def size(trace: OperatorTranscript) -> int:
    """The number of events and watermarks, without the end."""
    steps = [turn.step for turn in trace.turns]
    return sum(len(s.events) + (s.watermark is not None) for s in steps) - 1


def test_all_traces_come_and_the_smaller_first() -> None:
    explicit = OURSELVES.description
    of_size = [18**n - 6**n for n in (1, 2)]  # 12 events and 6 watermarks, not watermarks alone
    traces = [*islice(traces_by_size(explicit, ["count"]), sum(of_size) + 1)]
    assert [*map(size, traces)] == [1] * of_size[0] + [2] * of_size[1] + [3]
    texts = {str([turn.step for turn in trace.turns]) for trace in traces}
    assert len(texts) == len(traces)


def test_a_batch_has_one_step_and_the_end() -> None:
    traces = [*islice(traces_by_size(BATCH, ["tumbling", "session"]), 2 * (12 + 144))]
    assert {len(trace.turns) for trace in traces} == {2}
    assert {size(trace) for trace in traces} == {1, 2}
    assert {trace.queries[0].window.name for trace in traces} == {"tumbling", "session"}


CASES = {
    "session": (Dialect(session_merge="le"), 2, [(0, None), (2, None)]),
    "tumbling": (Dialect(edges="right"), 1, [(0, None)]),
    "count": (Dialect(count_order="arrival"), 2, [(1, None), (0, None)]),
    "rolling": (Dialect(rows="event"), 2, [(0, None), (0, None)]),
}


@pytest.mark.parametrize("window", CASES)
def test_a_trace_that_distinguishes_dialects_is_the_smallest(window: str) -> None:
    dialect, expected_size, events = CASES[window]
    found = distinguish(OURSELVES, dialect_engine(dialect), [window], 2000)
    assert isinstance(found, Distinction)
    assert size(found.trace) == expected_size
    assert [(e.time, e.key) for turn in found.trace.turns for e in turn.step.events] == events


def test_an_engine_and_its_dialect_agree_but_a_fault_distinguishes_them() -> None:
    dialect = dialect_engine(Dialect(lateness="window"))
    right, wrong = (AdapterEngine(ToyEngine(fault)) for fault in ("", "never expires"))
    assert distinguish(right, dialect, [], 900) == 900
    found = distinguish(wrong, dialect, ["session"], 3000)
    assert isinstance(found, Distinction)
    assert size(found.trace) == 3
    assert found.answers[0].results
    assert found.answers[1].late


def test_engines_without_a_window_type_in_common_are_refused() -> None:
    narrow = OperatorEngine("narrow", lambda _: pytest.fail("it is not run"))
    narrow.description = BATCH
    with pytest.raises(InvalidInputError, match="have no window type in common"):
        distinguish(narrow, OURSELVES, ["count"], 10)
