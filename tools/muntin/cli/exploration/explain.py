"""`muntin explain`: which rules would give the answer that a transcript expects."""

import json
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from muntin.cli.commands.replay import explanation as difference_lines
from muntin.conformance.dialects.explanation import (
    MAX_DEPARTURES,
    Candidate,
    Explanation,
    Separation,
    departure_count,
    departure_text,
    explain,
    separation,
)
from muntin.conformance.transcript.calls import write_event
from muntin.conformance.transcript.json_reader import Json, TranscriptError, encode_coordinate
from muntin.conformance.transcript.model import OperatorTranscript, parse
from muntin.conformance.transcript.replay import write_dialect
from muntin.console.messages import complain, say
from muntin.console.progress import ProgressBar
from muntin.spec.errors import InvalidInputError, positive
from muntin.spec.stream import Step

OK, FAILED = 0, 1
MAX_SHOWN = 10
"""The most candidates to print."""

HELP = "find which rules give the answer that an engine gave"
DESCRIPTION = (
    "Find the dialects that give the answer in `expect` and `late`, fewest departures first."
)
EPILOG = """\
FILE is a transcript of a trace with what an engine emitted, in `expect` and `late`. All
dialects with one departure from that of the file are tried, then all with two, and so
on, until some give the answer; the output mode counts as a decision too. If none does,
the nearest are printed, with what they leave unexplained: perhaps a fault.

If several dialects give the answer, a further event is printed after which they differ.
Engines are named with what is known of them: run, or only read (docs/engines.md).

exit status:
  0  a dialect gives the answer
  1  none does, or the file is malformed
  2  the command line is wrong, or the file expects nothing

examples:
  muntin explain tests/vectors/dialects/session_merge_le.json
  muntin explain trace.json --departures 2 --json
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments."""
    add = parser.add_argument
    add("file", metavar="FILE", help="a transcript with what an engine emitted; - is stdin")
    most = f"the most departures to try (default: {MAX_DEPARTURES})"
    add("--departures", type=int, default=MAX_DEPARTURES, metavar="N", help=most)
    add("--json", action="store_true", help="print one JSON document")


def run(arguments: Namespace) -> int:
    """Run the command."""
    file = str(arguments.file)
    most = positive(arguments.departures, "the number of departures", -1)
    try:
        transcript = parse(sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes())
    except (TranscriptError, OSError) as error:
        complain(f"{file}: {error}")
        return FAILED
    if not isinstance(transcript, OperatorTranscript):
        raise InvalidInputError(f"{file} has the calls of a structure; only traces have dialects")
    with ProgressBar("dialects", departure_count(transcript, most)) as progress:
        explanation = explain(transcript, most, progress.tick)
        complete = explanation.is_complete
        further = separation(transcript, explanation.candidates) if complete else None
    if arguments.json:
        say(json.dumps(document(explanation, further)))
    else:
        report(explanation, further)
    return OK if complete else FAILED


def report(explanation: Explanation, further: Separation | None) -> None:
    """Print the candidates, the engines that have them, and what distinguishes them."""
    candidates, tried = explanation.candidates, explanation.tried
    outcome = "give this answer" if explanation.is_complete else "come nearest, and none gives it"
    say(f"of {tried} dialects tried, {len(candidates)} {outcome}:")
    for candidate in candidates[:MAX_SHOWN]:
        say(f"  {departure_text(candidate.departures)}")
        for difference in candidate.unexplained:
            for line in difference_lines(difference):
                say(f"      {line}")
    if candidates[MAX_SHOWN:]:
        say(f"  and {len(candidates) - MAX_SHOWN} more")
    for engine, evidence in explanation.engines:
        decisions = departure_text(write_dialect(engine.dialect))
        say(f"as {engine.name} ({evidence}): {decisions}")
    if further:
        watermarks = [step.watermark for step in further.steps[:-1]]
        after = "".join(f"watermark {watermark}, then " for watermark in watermarks)
        say(f"they differ after {after}{json.dumps(write_event(further.event))} and the end:")
        for members, rows in further.answers:
            texts = [_row_text(row) for row in rows]
            say(f"  {departure_text(members[0].departures)}: {'; '.join(texts) or 'nothing'}")


def _row_text(row: object) -> str:
    if not isinstance(row, dict):
        return ""
    if "late" in row:
        return f"late {json.dumps(row['late'])}"
    interval = f"[{row['start']}, {row['end']})"
    return f"{row['kind']} {interval} = {json.dumps(row['value'])}"


def document(explanation: Explanation, further: Separation | None) -> dict[str, Json]:
    """The explanation as JSON."""
    engines: list[Json] = [
        {"name": engine.name, "evidence": evidence} for engine, evidence in explanation.engines
    ]
    result: dict[str, Json] = {
        "explained": explanation.is_complete,
        "tried": explanation.tried,
        "candidates": [_candidate_fields(candidate) for candidate in explanation.candidates],
        "engines": engines,
    }
    if further:
        result["continuation"] = [_step_fields(step) for step in further.steps]
    return result


def _candidate_fields(candidate: Candidate) -> dict[str, Json]:
    unexplained: list[Json] = [
        {
            "expected": None if difference.expected is None else dict(difference.expected),
            "actual": None if difference.actual is None else dict(difference.actual),
        }
        for difference in candidate.unexplained
    ]
    return {"departures": dict(candidate.departures), "unexplained": unexplained}


def _step_fields(step: Step) -> Json:
    events: list[Json] = [dict(write_event(event)) for event in step.events]
    watermark = None if step.watermark is None else encode_coordinate(step.watermark)
    return {"events": events, "watermark": watermark} if events else {"watermark": watermark}
