"""Which rules give an answer: the fewest departures are found, and all that are found give it."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from muntin.cli.main import main
from muntin.conformance.dialects.explanation import (
    alternatives,
    departed_settings,
    departure_count,
    explain,
    explanation_line,
    separation,
    specified_rows,
)
from muntin.conformance.dialects.named_dialects import named_dialects, read_decision
from muntin.conformance.engines.distinction import dialect_engine
from muntin.conformance.engines.engine_traces import engine_trace
from muntin.conformance.machines.random_choices import SeededSource
from muntin.conformance.transcript.expectations import Expectations, differences, late_events
from muntin.conformance.transcript.json_reader import JsonNode, TranscriptError
from muntin.conformance.transcript.model import OperatorTranscript, parse, read_dialect
from muntin.conformance.transcript.replay import write
from muntin.differential.plan import SPARK_DIALECT
from muntin.differential.stream_expectations import STREAM_DIALECT
from muntin.spec.dialect import OURS
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Settings

ROOT = Path(__file__).parents[2]
WINDOWS = ("tumbling", "sliding", "session", "count", "rolling", "cumulate")
DESCRIPTION = dialect_engine(OURS).description


def answered(trace: OperatorTranscript, settings: Settings) -> OperatorTranscript:
    """The trace with what the specification emits in other settings as the answer."""
    rows = specified_rows(trace, settings)
    late = tuple(event for row in rows for event in late_events(row))
    return replace(trace, expected=Expectations(tuple(r for r in rows if "late" not in r), late))


def random_answers(count: int) -> list[tuple[OperatorTranscript, dict[str, object]]]:
    """Traces with the answers of random dialects of at most two departures."""
    answers = list[tuple[OperatorTranscript, dict[str, object]]]()
    for number in range(count):
        source = SeededSource(f"explanation:{number}")
        trace = engine_trace(source, DESCRIPTION, [WINDOWS[number % len(WINDOWS)]])
        values = {name: choices for name, choices in alternatives(trace).items() if choices}
        names = {source.choice([*values]) for _ in range(2)}
        departures = {name: source.choice(values[name]) for name in names}
        answers.append(
            (answered(trace, departed_settings(trace.settings, departures)), {**departures})
        )
    return answers


def test_what_explains_an_answer_gives_it_with_no_more_departures_than_made_it() -> None:
    seen = 0
    for trace, departures in random_answers(36):
        explanation = explain(trace, 2)
        assert explanation.is_complete
        assert explanation.candidates
        for candidate in explanation.candidates:
            assert len(candidate.departures) <= len(departures)
            rows = specified_rows(trace, departed_settings(trace.settings, candidate.departures))
            assert differences(trace.expected, rows) == []
            seen += len(candidate.departures) > 0
    assert seen > 10


def test_a_further_event_distinguishes_the_rest() -> None:
    separated = 0
    for trace, _ in random_answers(36):
        explanation = explain(trace, 2)
        further = separation(trace, explanation.candidates[:3])
        if further:
            answers = [rows for _, rows in further.answers]
            assert len({str(rows) for rows in answers}) == len(answers) > 1
            members = [member for group, _ in further.answers for member in group]
            assert len(members) <= len(explanation.candidates)
            separated += 1
    assert separated


GAP = """{"muntin": 1, "queries": [
  {"id": "s", "window": {"type": "session", "gap": 5}, "aggregate": "sum"}],
 "steps": [{"events": [{"t": 2, "v": 1}, {"t": 7, "v": 2}], "watermark": 20}],
 "expect": [{"step": 0, "start": 2, "end": 12, "value": %d}]}"""


def test_the_planted_session_fault_is_one_decision_and_has_names() -> None:
    trace = parse(GAP % 3)
    assert isinstance(trace, OperatorTranscript)
    line = explanation_line(trace)
    assert line.startswith("explained by session_merge: le; as flink (run), flink-sql (run), spark")


def test_a_wrong_number_is_no_dialect(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = parse(GAP % 4)
    assert isinstance(trace, OperatorTranscript)
    explanation = explain(trace)
    assert not explanation.is_complete
    assert explanation.tried == departure_count(trace, 3)
    assert [dict(one.departures) for one in explanation.candidates] == [{"session_merge": "le"}]
    assert "perhaps a fault" in explanation_line(trace)
    file = tmp_path / "wrong.json"
    file.write_text(GAP % 4)
    assert main(["explain", str(file)]) == 1
    output = capsys.readouterr().out
    assert "come nearest, and none gives it" in output
    assert "wanted value 4" in output


def test_the_command_names_dialects_and_engines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "gap.json"
    file.write_text(GAP % 3)
    assert main(["explain", str(file), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["explained"] is True
    assert document["candidates"] == [{"departures": {"session_merge": "le"}, "unexplained": []}]
    assert {"name": "flink", "evidence": "run"} in document["engines"]
    assert main(["replay", str(file), "--check"]) == 1
    assert "explained by session_merge: le; as flink" in capsys.readouterr().out


def test_a_further_event_distinguishes_several_dialects(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "late.json"
    file.write_text(
        """{"muntin": 1, "queries": [
          {"id": "t", "window": {"type": "tumbling", "size": 5}, "aggregate": "sum"}],
         "steps": [{"watermark": 3}, {"events": [{"t": 2, "v": 1}]}], "expect": [], "late": []}"""
    )
    assert main(["explain", str(file)]) == 0
    output = capsys.readouterr().out
    assert "2 give this answer" in output
    assert "they differ after watermark" in output
    assert "lateness: never: " in output


def test_calls_and_files_without_an_answer_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "none.json"
    file.write_text('{"muntin": 1, "queries": [], "steps": []}')
    assert main(["explain", str(file)]) == 2
    file.write_text('{"muntin": 1, "structure": {"aggregate": "sum"}, "ops": []}')
    assert main(["explain", str(file)]) == 2
    file.write_text("{")
    assert main(["explain", str(file)]) == 1
    with pytest.raises(InvalidInputError, match="expects nothing"):
        explain(OperatorTranscript((), Settings(), ()))


def test_each_named_dialect_can_be_written_and_read() -> None:
    assert [*named_dialects()][:3] == ["flink", "flink-sql", "spark"]
    for named in named_dialects().values():
        trace = OperatorTranscript((), Settings(dialect=named.dialect), ())
        text = json.dumps(write(trace.queries, trace.turns, trace.settings))
        again = parse(text)
        assert isinstance(again, OperatorTranscript)
        assert again.settings.dialect == named.dialect
        assert all(decision.run or "@" in decision.read for decision in named.decisions)


def test_named_dialects_are_those_that_the_repository_runs() -> None:
    named = named_dialects()
    assert named["spark"].dialect == SPARK_DIALECT
    assert named["spark-streaming"].dialect == STREAM_DIALECT
    for engine in ("polars", "duckdb", "pandas"):
        table = tomllib.loads((ROOT / "engines" / engine / "engine.toml").read_text())
        assert named[engine].dialect == read_dialect(JsonNode(table["dialect"]))
        assert all(decision.run for decision in named[engine].decisions)


def test_a_decision_without_evidence_is_refused() -> None:
    with pytest.raises(TranscriptError, match="evidence"):
        read_decision("lateness", JsonNode({"value": "window"}))
