"""What there is to see in a trace is what is emitted of it, over random traces of letters."""

from itertools import count, islice

import pytest

from muntin.conformance.fuzz.trace_generator import random_trace
from muntin.conformance.inspection import inspect_steps
from muntin.conformance.machines.random_choices import SeededSource
from muntin.conformance.transcript.model import OperatorTranscript, parse
from muntin.conformance.transcript.replay import replay
from muntin.reference.specification import SpecificationOperator

TRACES = 60


def random_traces() -> list[OperatorTranscript]:
    drawn = (random_trace(SeededSource(f"inspection:{n}")) for n in count())
    return [*islice((trace for trace in drawn if not trace.settings.in_order), TRACES)]


def test_the_output_of_a_step_is_that_of_the_specification() -> None:
    for trace in random_traces():
        outputs = list(replay(trace, SpecificationOperator(trace.settings)))
        assert [view.output for view in inspect_steps(trace)] == outputs


def test_each_late_event_has_its_reason() -> None:
    reasons = windows = 0
    for trace in random_traces():
        by_window = trace.settings.dialect.lateness == "window"
        for view in inspect_steps(trace):
            assert tuple(reason.event for reason in view.late) == view.output.late
            for reason in view.late:
                assert (reason.watermark, reason.limit) == (
                    view.watermark_before,
                    view.limit_before,
                )
                assert reason.windows or reason.event.time < reason.limit
                assert by_window or not reason.windows
                assert all(final_at <= reason.watermark for _, _, final_at in reason.windows)
                windows += len(reason.windows)
            reasons += len(view.late)
    assert reasons > TRACES
    assert windows


def test_what_was_emitted_last_of_a_window_is_what_the_window_holds() -> None:
    compared = 0
    for trace in random_traces():
        if trace.settings.output in ("discard", "final"):
            continue
        latest = dict[tuple[object, ...], object]()
        for view in inspect_steps(trace):
            for row in view.output.results:
                latest[row.query, row.key, row.start, row.end] = (row.value, row.revision)
            for window in view.windows:
                start, end, row_number = window.interval
                if window.is_published and not row_number and trace_updates_at_once(trace):
                    assert latest[window.query, window.key, start, end] == (
                        window.value,
                        window.revision,
                    )
                    compared += 1
    assert compared > TRACES


def trace_updates_at_once(trace: OperatorTranscript) -> bool:
    dialect = trace.settings.dialect
    return dialect.late_update == "immediate" and dialect.rows == "instant"


@pytest.mark.parametrize(
    ("lateness", "states"),
    [(0, ["open", "final", "final"]), (4, ["open", "complete", "final"])],
)
def test_a_window_is_open_then_complete_then_final(lateness: int, states: list[str]) -> None:
    trace = parse(
        f"""{{"muntin": 1, "allowed_lateness": {lateness}, "dialect": {{"lateness": "window"}},
          "queries": [{{"id": "w", "window": {{"type": "tumbling", "size": 10}},
                       "aggregate": "collect"}}],
          "steps": [{{"events": [{{"t": 3, "v": "a"}}], "watermark": 9}}, {{"watermark": 13}},
                    {{"watermark": 14}}]}}"""
    )
    assert isinstance(trace, OperatorTranscript)
    assert [window.state for view in inspect_steps(trace) for window in view.windows] == states
