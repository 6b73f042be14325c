"""docs/wire.md says what the code does: each of its messages is read, its program is run."""

import json
import re
import sys
from pathlib import Path

from muntin.conformance.engines.engine import EngineAnswer
from muntin.conformance.engines.process_engine import (
    EngineCommand,
    ProcessEngine,
    read_ending,
    read_row,
    step_requests,
)
from muntin.conformance.engines.replies import read_answers, read_description
from muntin.conformance.transcript.json_reader import load
from muntin.conformance.transcript.model import OperatorTranscript, parse
from muntin.wire.messages import WireEvent, read_trace

PAGE = (Path(__file__).parents[2] / "docs" / "wire.md").read_text()
HELLO, DESCRIPTION, TRACES, RESULTS, REQUESTS, REPLIES = re.findall(
    r"```json\n(.*?)```", PAGE, re.DOTALL
)
(PROGRAM,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_description_is_one() -> None:
    assert json.loads(HELLO)["op"] == "hello"
    description = read_description(load(DESCRIPTION))
    assert (description.engine, description.max_traces) == ("flink-sql", 50)
    assert (description.offsets, description.lateness, description.late) == (True, False, False)


def test_a_trace_and_its_answer_are_read() -> None:
    request = json.loads(TRACES)
    (trace,) = map(read_trace, request["traces"])
    assert (trace.window, trace.parameter("size")) == ("tumbling", 5)
    assert trace.events == [WireEvent(1, 0), WireEvent(3, 1, "k")]
    (answer,) = read_answers(load(RESULTS), request["id"], [len(trace.steps)])
    assert [(row["key"], row["value"]) for row in answer.results] == [("k", [1]), (None, [0])]
    assert answer.late == ()


def test_the_steps_are_those_of_the_kit() -> None:
    """The requests on the page are what the kit sends for their trace."""
    document = {
        "muntin": 1,
        "queries": [{"id": "q", "window": {"type": "session", "gap": 3}, "aggregate": "collect"}],
        "allowed_lateness": 2,
        "output": "accumulate",
        "steps": [
            {"events": [{"t": 7, "v": 4, "key": "k"}]},
            {"watermark": 12},
            {"watermark": "end"},
        ],
    }
    trace = parse(json.dumps(document))
    assert isinstance(trace, OperatorTranscript)
    sent = [{"id": i + 1, **request} for i, (_, request) in enumerate(step_requests(trace))]
    assert sent == [*map(json.loads, REQUESTS.splitlines())]


def test_the_replies_to_steps_are_read() -> None:
    result, late, done = map(load, REPLIES.splitlines())
    assert read_row(result, 1)["value"] == [4]
    assert read_row(late, 1)["v"] == 4
    assert read_ending(done, 3) is None
    (inline,) = re.findall(r'`(\{"type": "unsupported".*?\})`', PAGE)
    assert read_ending(load(inline), 1) == EngineAnswer(unsupported="no sessions")


def test_the_program_answers(tmp_path: Path) -> None:
    (tmp_path / "adapter.py").write_text(PROGRAM)
    (trace,) = json.loads(TRACES)["traces"]
    query = {"id": "q", "window": trace.pop("window"), "aggregate": trace.pop("aggregate")}
    transcript = parse(json.dumps({"muntin": 1, "queries": [query], **trace}))
    assert isinstance(transcript, OperatorTranscript)
    with ProcessEngine(EngineCommand("mine", (sys.executable, "adapter.py"), tmp_path)) as mine:
        (answer,) = mine.answers([transcript])
    assert [(row["key"], row["value"]) for row in answer.results] == [(None, [0]), ("k", [1])]
