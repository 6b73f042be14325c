"""What the page of the explorer asks, each a function from JSON to JSON; it knows no window.

An answer has `error`, in words, if the question cannot be answered. Transcripts come from links, so
they are limited in size.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

from muntin.conformance.dialects.explanation import departure_text, explain, separation
from muntin.conformance.dialects.named_dialects import named_dialects
from muntin.conformance.inspection import inspect_steps
from muntin.conformance.transcript.expectations import JsonRow
from muntin.conformance.transcript.json_reader import Json, encode_coordinate
from muntin.conformance.transcript.model import (
    OperatorTranscript,
    StructureTranscript,
    parse,
    schema,
)
from muntin.conformance.transcript.replay import (
    output_rows,
    replay,
    unsupported_reason,
    write,
    write_dialect,
)
from muntin.drawing.film import film
from muntin.drawing.instances import DRAWABLE, instance
from muntin.drawing.svg import TRACE_STYLE, svg
from muntin.drawing.trace_picture import operator_scene, trace_axis, trace_remarks
from muntin.explorer.permalink import MAX_TEXT, fragment_of, transcript_of
from muntin.reference.specification import SpecificationOperator
from muntin.registry.lookup import operator_named
from muntin.spec.dialect import OURS
from muntin.spec.errors import InvalidInputError, MuntinError
from muntin.spec.stream import END

MAX_EVENTS, MAX_STEPS, MAX_QUERIES, MAX_CALLS = 100, 60, 8, 200
MAX_TIME = 10**15
"""Times beyond it have no place on a plane that a hand can move things on."""
SLICER = "scotty-lazy"
Answer = dict[str, Json]


def limited(text: str) -> OperatorTranscript:
    """The trace in a text, if it is small enough for a page."""
    if len(text) > MAX_TEXT:
        raise InvalidInputError(
            f"a transcript of more than {MAX_TEXT:,} characters is for the command line"
        )
    transcript = parse(text)
    if not isinstance(transcript, OperatorTranscript):
        raise InvalidInputError("these are calls of a structure; the tab Structures shows them")
    events = [event for turn in transcript.turns for event in turn.step.events]
    sizes = (
        (len(events), MAX_EVENTS, "events"),
        (len(transcript.turns), MAX_STEPS, "steps"),
        (len(list(transcript.every_query())), MAX_QUERIES, "queries"),
    )
    for size, most, noun in sizes:
        if size > most:
            raise InvalidInputError(f"the page takes {most} {noun}, and these are {size}")
    if any(abs(event.time) > MAX_TIME for event in events):
        raise InvalidInputError(f"the page takes times up to {MAX_TIME:,}")
    return transcript


def show(text: str, name: str = "spec") -> Answer:
    """A trace: its picture, where its events are in it, what each step emits, why it is so."""
    transcript = limited(text)
    operator = SpecificationOperator(transcript.settings)
    views = [*inspect_steps(transcript)]
    slicer = name if name != "spec" else SLICER
    entry = operator_named(slicer)
    refusal = unsupported_reason(transcript, entry.build)
    shown = operator if refusal else entry.build(transcript.settings)
    scene = operator_scene(transcript, shown, "spec" if refusal else slicer)
    axis = trace_axis(transcript)
    steps: list[Json] = [
        {
            "rows": [dict(row) for row in output_rows(number, view.output)],
            "watermark": None if view.watermark == -END else encode_coordinate(view.watermark),
        }
        for number, view in enumerate(views)
    ]
    return {
        "svg": svg(scene, "a trace", style=TRACE_STYLE),
        "frame": [*scene.frame()],
        "marks": [[mark.x, mark.y] for mark in scene.marks],
        "tops": [label.y for label in scene.labels if label.look == "mark"],
        "axis": {"low": axis.low, "high": axis.high, "width": axis.position(END)},
        "steps": steps,
        "remarks": [*trace_remarks(transcript)],
        "refusal": refusal,
        "fragment": fragment_of(json.loads(text)),
    }


def export(text: str) -> Answer:
    """The trace with what the specification emits: what `muntin replay --check` takes."""
    transcript = limited(text)
    outputs = [*replay(transcript, SpecificationOperator(transcript.settings))]
    document = write(transcript.queries, transcript.turns, transcript.settings, outputs)
    return {"transcript": json.dumps(document, indent=1)}


def compare(text: str) -> Answer:
    """The trace in the dialects of all engines; what differs from ours, and by which decisions."""
    transcript = limited(text)
    ours = _rows(replace(transcript, settings=replace(transcript.settings, dialect=OURS)))
    engines: list[Json] = [{"name": "muntin", "evidence": "", "rows": [*ours], "differs": False}]
    for named in named_dialects().values():
        spoken = replace(transcript, settings=replace(transcript.settings, dialect=named.dialect))
        try:
            rows = _rows(spoken)
        except MuntinError as error:
            rows = [str(error)]
        why = departure_text(write_dialect(named.dialect)) if rows != ours else ""
        engines.append(
            {
                "name": named.name,
                "engine": named.engine,
                "evidence": named.evidence(),
                "rows": [*rows],
                "differs": rows != ours,
                "why": why,
            }
        )
    return {"engines": engines}


def _rows(transcript: OperatorTranscript) -> list[str]:
    outputs = replay(transcript, SpecificationOperator(transcript.settings))
    return [
        f"step {step}: {_row_text(row)}"
        for step, output in enumerate(outputs)
        for row in output_rows(step, output)
    ]


def _row_text(row: JsonRow) -> str:
    if "late" in row:
        return f"late {json.dumps(row['late'])}"
    key = "" if row["key"] is None else f"{json.dumps(row['key'])} "
    where = f"{row['query']} {key}[{row['start']}, {row['end']})"
    return f"{row['kind']} {where} = {json.dumps(row['value'])}"


def rules(text: str) -> Answer:
    """Which dialects give the answer in `expect` and `late`, and what distinguishes them."""
    transcript = limited(text)
    explanation = explain(transcript, 2)
    further = (
        separation(transcript, explanation.candidates[:4]) if explanation.is_complete else None
    )
    continuation = list[Json]()
    for step in further.steps if further else ():
        watermark = None if step.watermark is None else encode_coordinate(step.watermark)
        times: list[Json] = [event.time for event in step.events]
        continuation.append({"events": times, "watermark": watermark})
    candidates: list[Json] = [
        {"text": departure_text(each.departures), "unexplained": len(each.unexplained)}
        for each in explanation.candidates
    ]
    engines: list[Json] = [f"{engine.name} ({by})" for engine, by in explanation.engines]
    return {
        "explained": explanation.is_complete,
        "tried": explanation.tried,
        "candidates": candidates,
        "engines": engines,
        "continuation": continuation,
    }


def structure(text: str, name: str = "fiba") -> Answer:
    """The film of a structure: a picture after each call."""
    if len(text) > MAX_TEXT or name not in DRAWABLE:
        raise InvalidInputError(f"a film is of one of {', '.join(DRAWABLE)}")
    transcript = parse(text)
    if not isinstance(transcript, StructureTranscript) or len(transcript.calls) > MAX_CALLS:
        raise InvalidInputError(f"a film needs the calls of a structure, at most {MAX_CALLS}")
    drawn = instance(name, transcript.aggregate.monoid, 2 if name in ("fiba", "btree") else None)
    frames: list[Json] = [
        {"title": frame.title, "svg": svg(frame.scene, frame.title)}
        for frame in film(transcript, drawn)
    ]
    return {"frames": frames}


def forms(_: str = "") -> Answer:
    """What the forms of the page are made from: the schema, the names, the engines."""
    engines: dict[str, Json] = {
        name: {"dialect": write_dialect(named.dialect), "output": named.output}
        for name, named in named_dialects().items()
    }
    return {"schema": json.loads(schema()), "structures": [*DRAWABLE], "engines": engines}


def open_link(fragment: str) -> Answer:
    """The transcript of a link, checked."""
    text = transcript_of(fragment)
    limited(text)
    return {"text": json.dumps(json.loads(text), indent=1)}


REQUESTS: Mapping[str, Callable[..., Answer]] = {
    "show": show,
    "export": export,
    "compare": compare,
    "rules": rules,
    "structure": structure,
    "forms": forms,
    "open_link": open_link,
}
"""The requests of the page, by name."""


def respond(name: str, *arguments: str) -> str:
    """The answer to a request as JSON; an error is an answer too.

    >>> respond("open_link", "#nothing")[:30]
    '{"error": "a link begins with '
    """
    try:
        if name not in REQUESTS:
            raise InvalidInputError(f"there is no request {name!r}")
        return json.dumps(REQUESTS[name](*arguments))
    except (MuntinError, RecursionError) as error:
        return json.dumps({"error": str(error)})


EXAMPLE = """{"muntin": 1, "allowed_lateness": 5,
 "queries": [{"id": "tens", "window": {"type": "tumbling", "size": 10}, "aggregate": "sum"}],
 "steps": [{"events": [{"t": 12, "v": 1}, {"t": 7, "v": 2}], "watermark": 20},
           {"events": [{"t": 18, "v": 4}]}, {"events": [{"t": 3, "v": 8}]}]}"""
"""The trace that the page begins with, as explorer.js has it."""


def still() -> str:
    """The picture that the page shows before Python runs."""
    return str(show(EXAMPLE)["svg"])
