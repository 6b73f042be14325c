"""`muntin draw`: a picture of a trace, or of the inside of a structure after each operation."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from muntin.conformance.transcript.json_reader import TranscriptError
from muntin.conformance.transcript.model import (
    OperatorTranscript,
    StructureTranscript,
    Transcript,
    parse,
)
from muntin.console.messages import complain, say
from muntin.drawing.film import Frame, film
from muntin.drawing.instances import DRAWABLE, instance
from muntin.drawing.page import page, trace_page
from muntin.drawing.svg import TRACE_STYLE, svg
from muntin.drawing.trace_picture import operator_scene, trace_remarks
from muntin.registry.lookup import names, operator_named
from muntin.spec.errors import InvalidInputError, UnsupportedError

OK, FAILED, UNSUPPORTED = 0, 1, 3

HELP = "draw a trace and its windows, or a structure step by step"
DESCRIPTION = (
    "Draw a trace with its windows, or make the calls of a structure and draw it after each."
)
EPILOG = f"""\
Of a trace, writes trace.svg: event time across, arrival downward, in each step what it
emits, then the windows after the last step, and the slices if the operator is a Scotty.
Of the calls of a structure, writes op-0.svg, op-1.svg and so on, one picture after each
operation. index.html shows them all. The files load nothing, and follow the dark mode
of the reader's system.

structures that can be drawn: {", ".join(DRAWABLE)}.

exit status:
  0  all pictures are written
  1  the transcript is malformed or cannot be read
  2  the command line is wrong
  3  the structure cannot be drawn, or refuses an operation

examples:
  muntin draw docs/examples/traces/late_event.json
  muntin draw docs/examples/traces/late_event.json --with scotty-lazy
  muntin draw docs/examples/002_figure_3.json --with fiba --min-arity 2 --coins
  muntin draw docs/examples/fifo.json --with reactive --out ring --step 4-9
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments."""
    add = parser.add_argument
    add("file", metavar="FILE", help="a transcript; - is stdin")
    which = "an operator or a structure (default: spec for a trace, fiba for calls)"
    add("--with", dest="name", metavar="NAME", help=which)
    add("--out", metavar="DIR", help="the output folder (default: FILE-NAME in this folder)")
    add("--step", metavar="N[-M]", help="draw only operation N, or N to M")
    add("--min-arity", type=int, metavar="K", help="the least arity of a tree's nodes (default: 4)")
    add("--coins", action="store_true", help="show the coins that pay for rebalancing a tree")


def run(arguments: Namespace) -> int:
    """Run the command."""
    file, given = str(arguments.file), arguments.name
    if given is not None and str(given) not in names() and ":" not in str(given):
        message = f"{given!r} is no structure that can be drawn; use one of {', '.join(DRAWABLE)}"
        raise InvalidInputError(message)
    try:
        transcript = _read(file)
        is_trace = isinstance(transcript, OperatorTranscript)
        name = str(given or ("spec" if is_trace else "fiba"))
        stem = "stdin" if file == "-" else Path(file).stem
        folder = Path(arguments.out or f"{stem}-{name}")
        summary = _draw(transcript, name, stem, folder, arguments)
    except UnsupportedError as refused:
        complain(f"{file}: {refused}")
        return UNSUPPORTED
    except (TranscriptError, OSError) as error:
        complain(f"{file}: {error}")
        return FAILED
    say(summary)
    return OK


def _read(file: str) -> Transcript:
    return parse(sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes())


def _draw(transcript: Transcript, name: str, stem: str, folder: Path, arguments: Namespace) -> str:
    """Write the pictures into the folder, and say what is there."""
    if isinstance(transcript, OperatorTranscript):
        return _draw_trace(transcript, name, stem, folder)
    frames = list(_frames(transcript, name, arguments))
    write(folder, page(f"{name} along {stem}", name, frames, coins=arguments.coins), frames)
    return f"{folder / 'index.html'}: {len(frames)} pictures"


def _draw_trace(transcript: OperatorTranscript, name: str, stem: str, folder: Path) -> str:
    operator = operator_named(name).build(transcript.settings)
    scene, title = operator_scene(transcript, operator, name), f"{stem}, as {name} answers"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "trace.svg").write_text(svg(scene, title, style=TRACE_STYLE), "utf-8")
    html = trace_page(title, scene, [*trace_remarks(transcript)])
    (folder / "index.html").write_text(html, "utf-8")
    return f"{folder / 'index.html'}: {len(transcript.turns)} steps"


def _frames(transcript: StructureTranscript, name: str, arguments: Namespace) -> Iterator[Frame]:
    """The frames to draw, in order."""
    monoid, coins = transcript.aggregate.monoid, arguments.coins
    drawn = instance(name, monoid, arguments.min_arity, coins=coins)
    numbers = step_range(arguments.step, len(transcript.calls))
    return (frame for frame in film(transcript, drawn) if frame.number in numbers)


def step_range(text: str | None, calls: int) -> range:
    """The numbers of the operations to draw.

    >>> step_range(None, 5), step_range("3", 5), step_range("1-3", 5)
    (range(0, 5), range(3, 4), range(1, 4))
    """
    if text is None:
        return range(calls)
    first, dash, last = text.partition("-")
    if not first.isdecimal() or not (last or first).isdecimal() or bool(dash) != bool(last):
        raise InvalidInputError(f"--step must be N or N-M, not {text!r}")
    numbers = range(int(first), int(last or first) + 1)
    if not numbers or numbers[-1] >= calls:
        raise InvalidInputError(f"--step must be within 0-{calls - 1}, not {text}")
    return numbers


def write(folder: Path, html: str, frames: list[Frame]) -> None:
    """Write the page and its pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    for frame in frames:
        (folder / f"op-{frame.number}.svg").write_text(svg(frame.scene, frame.title, caption=True))
    (folder / "index.html").write_text(html, "utf-8")
