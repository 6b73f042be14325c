"""Pictures of traces: every vector can be drawn, and each picture holds what the trace does."""

import json
from argparse import ArgumentParser
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from cli.test_check import Forgetful
from muntin.cli.commands import draw, replay
from muntin.conformance.inspection import inspect_steps
from muntin.conformance.transcript.model import OperatorTranscript, parse
from muntin.drawing.scene import Scene
from muntin.drawing.svg import NAMESPACE
from muntin.drawing.time_axis import WIDTH
from muntin.drawing.trace_picture import mismatch_svg, operator_scene, trace_svg
from muntin.drawing.trace_scene import OVERHANG
from muntin.reference.specification import SpecificationOperator
from muntin.registry.implementations import OPERATORS

ROOT = Path(__file__).parents[2]
VECTORS = sorted((ROOT / "tests" / "vectors").glob("*/*.json"))
LARGEST = 10_000
"""Bytes of a picture of a trace of a few steps."""


def trace_of(path: Path) -> OperatorTranscript | None:
    transcript = parse(path.read_text())
    return transcript if isinstance(transcript, OperatorTranscript) else None


TRACES = [(path.stem, trace) for path in VECTORS if (trace := trace_of(path))]
LATE_EVENT = trace_of(ROOT / "docs" / "examples" / "traces" / "late_event.json")


def scene(trace: OperatorTranscript) -> Scene:
    return operator_scene(trace, SpecificationOperator(trace.settings), "spec")


@pytest.mark.parametrize(("name", "trace"), TRACES, ids=[name for name, _ in TRACES])
def test_a_picture_has_each_event_and_result(name: str, trace: OperatorTranscript) -> None:
    drawn, views = scene(trace), [*inspect_steps(trace)]
    events = [event for view in views for event in view.step.events]
    looks = [mark.look for mark in drawn.marks]
    assert len(looks) == len(events)
    assert looks.count("late") == sum(len(view.output.late) for view in views)
    kinds = [row.kind for view in views for row in view.output.results]
    for kind in ("new", "updated", "retracted"):
        assert sum(label.look == kind for label in drawn.labels) == kinds.count(kind)
    labels = [label for label in drawn.labels if label.look == "mark"]
    assert [label.text for label in labels] == [f"step {n}" for n in range(len(views))]
    text = trace_svg(trace, name, windows=True)
    assert ET.fromstring(text).tag == f"{{{NAMESPACE}}}svg"  # noqa: S314 - our own text


@pytest.mark.parametrize(("name", "trace"), TRACES, ids=[name for name, _ in TRACES])
def test_a_picture_is_as_wide_as_a_phone(name: str, trace: OperatorTranscript) -> None:
    left, _, width, _ = scene(trace).frame()
    assert left > -60, name  # half a label of a very long time
    assert left + width <= WIDTH + OVERHANG + 30, name


def test_rows_do_not_overlap() -> None:
    for name, trace in TRACES:
        drawn = scene(trace)
        for one, other in combinations(
            [label for label in drawn.labels if label.look != "note"], 2
        ):
            disjoint = (
                abs(one.y - other.y) >= 10 or one.right <= other.left or other.right <= one.left
            )
            assert disjoint, (name, one, other)


def test_the_picture_of_the_readme_is_small_and_has_both_themes() -> None:
    assert LATE_EVENT
    text = trace_svg(LATE_EVENT, "a late event")
    assert len(text.encode()) < LARGEST
    assert "prefers-color-scheme: dark" in text
    assert "http" not in text.replace(NAMESPACE, "")
    for part in ("+ new [0, 10) = 2", "~ updated [10, 20) = 5", "8 late", "watermark 20"):
        assert part in text
    assert "the event at 3 is late: 3 &lt; 15, watermark 20 less lateness" in text


def test_signs_and_shapes_say_without_colour_what_colours_say() -> None:
    assert LATE_EVENT
    drawn = scene(LATE_EVENT)
    assert [mark.look for mark in drawn.marks] == ["on-time", "on-time", "behind", "late"]
    shapes = trace_svg(LATE_EVENT, "").split("<path")[1:]
    assert len({shape.split(' d="')[1].split('"')[0] for shape in shapes}) == 3


def test_values_and_names_are_text_never_markup() -> None:
    hostile = "</text><script>alert(1)</script>"
    document = {
        "muntin": 1,
        "queries": [
            {"id": hostile + str(n), "window": {"type": "tumbling", "size": 5}, "aggregate": "max"}
            for n in range(2)
        ],
        "steps": [{"events": [{"t": 1, "v": hostile, "key": hostile}], "watermark": "end"}],
    }
    trace = parse(json.dumps(document))
    assert isinstance(trace, OperatorTranscript)
    root = ET.fromstring(trace_svg(trace, hostile, windows=True))  # noqa: S314 - our own text
    assert {part.tag.rpartition("}")[2] for part in root.iter()} == {
        *("svg", "title", "style", "rect", "line", "g", "text", "path")
    }


def test_times_beyond_floats_are_drawn() -> None:
    far = 10**400
    text = f"""{{"muntin": 1, "queries": [
      {{"id": "w", "window": {{"type": "tumbling", "size": {far}}}, "aggregate": "count"}}],
      "steps": [{{"events": [{{"t": 3}}, {{"t": {far + 5}}}], "watermark": {3 * far}}}]}}"""
    trace = parse(text)
    assert isinstance(trace, OperatorTranscript)
    assert trace_svg(trace, "far").count("<path") == 2


def test_slices_are_those_of_scotty() -> None:
    assert LATE_EVENT
    build = next(entry.build for entry in OPERATORS if entry.name == "scotty-lazy")
    drawn = operator_scene(LATE_EVENT, build(LATE_EVENT.settings), "scotty-lazy")
    assert [box.full for box in drawn.boxes if box.look == "partial"] == ["2 events"]
    assert "slices that scotty-lazy keeps" in [label.text for label in drawn.labels]


def test_what_differs_is_marked() -> None:
    assert LATE_EVENT
    text = mismatch_svg(LATE_EVENT, Forgetful, "forgetful")
    assert "missing: + new [0, 10) = 2" in text
    assert "missing: x late" in text
    assert "= 1" not in text


def run(command: object, *words: str) -> int:
    assert command in (draw, replay)
    parser = ArgumentParser()
    module = draw if command is draw else replay
    module.add_arguments(parser)
    status: int = module.run(parser.parse_args(words))
    return status


def test_the_command_draws_a_trace_and_its_page(tmp_path: Path) -> None:
    file = str(ROOT / "docs" / "examples" / "traces" / "late_event.json")
    assert run(draw, file, "--with", "scotty-lazy", "--out", str(tmp_path / "out")) == 0
    page = (tmp_path / "out" / "index.html").read_text()
    assert "step 2: the event at 3 is late" in page
    assert (tmp_path / "out" / "trace.svg").read_text().startswith("<svg")


def test_replay_draws_each_trace_that_is_not_as_expected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert LATE_EVENT
    file = tmp_path / "wrong.json"
    document = json.loads((ROOT / "docs" / "examples" / "traces" / "late_event.json").read_text())
    file.write_text(json.dumps({**document, "expect": [{"step": 0, "start": 0, "value": 3}]}))
    assert run(replay, str(file), "--check", "--draw", str(tmp_path / "drawn")) == 1
    drawn = tmp_path / "drawn" / "wrong-spec.svg"
    assert f"drawn: {drawn}" in capsys.readouterr().out
    text = drawn.read_text()
    assert "missing: + new [0, end) = 3" in text
    assert "unexpected: + new [0, 10) = 2" in text
