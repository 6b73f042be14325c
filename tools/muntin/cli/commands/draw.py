"""`muntin draw`: pictures of the inside of a structure, one for each operation of a transcript."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from muntin.conformance.transcript.json_reader import TranscriptError
from muntin.conformance.transcript.model import StructureTranscript, parse
from muntin.console.messages import complain, say
from muntin.drawing.film import Frame, film
from muntin.drawing.instances import DRAWABLE, instance
from muntin.drawing.page import page
from muntin.drawing.svg import svg
from muntin.registry.lookup import names
from muntin.spec.errors import InvalidInputError, UnsupportedError

OK, FAILED, UNSUPPORTED = 0, 1, 3

HELP = "draw a structure step by step along a transcript"
DESCRIPTION = "Make the calls of a structure transcript, and draw the structure after each."
EPILOG = f"""\
Writes op-0.svg, op-1.svg and so on, one picture after each operation, and index.html,
which shows them in order. The files load nothing, and follow the dark mode of the
reader's system.

structures that can be drawn: {", ".join(DRAWABLE)}.

exit status:
  0  all pictures are written
  1  the transcript is malformed or cannot be read
  2  the command line is wrong
  3  the structure cannot be drawn, or refuses an operation

examples:
  muntin draw docs/examples/002_figure_3.json --with fiba --min-arity 2 --coins
  muntin draw trace.json --with reactive --out ring --step 4-9
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments."""
    add = parser.add_argument
    add("file", metavar="FILE", help="a structure transcript; - is stdin")
    add("--with", dest="name", default="fiba", metavar="NAME", help="a structure (default: fiba)")
    add("--out", metavar="DIR", help="the output folder (default: FILE-NAME in this folder)")
    add("--step", metavar="N[-M]", help="draw only operation N, or N to M")
    add("--min-arity", type=int, metavar="K", help="the least arity of a tree's nodes (default: 4)")
    add("--coins", action="store_true", help="show the coins that pay for rebalancing a tree")


def run(arguments: Namespace) -> int:
    """Run the command."""
    file, name = str(arguments.file), str(arguments.name)
    if name not in names():
        message = f"{name!r} is no structure that can be drawn; use one of {', '.join(DRAWABLE)}"
        raise InvalidInputError(message)
    try:
        transcript = _read(file)
        frames = list(_frames(transcript, arguments))
    except UnsupportedError as refused:
        complain(f"{file}: {refused}")
        return UNSUPPORTED
    except (TranscriptError, OSError) as error:
        complain(f"{file}: {error}")
        return FAILED
    stem = "stdin" if file == "-" else Path(file).stem
    folder = Path(arguments.out or f"{stem}-{name}")
    heading = f"{name} along {stem}"
    write(folder, page(heading, name, frames, coins=arguments.coins), frames)
    say(f"{folder / 'index.html'}: {len(frames)} pictures")
    return OK


def _read(file: str) -> StructureTranscript:
    text = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    transcript = parse(text)
    if not isinstance(transcript, StructureTranscript):
        raise UnsupportedError("this transcript is for operators; only structures can be drawn")
    return transcript


def _frames(transcript: StructureTranscript, arguments: Namespace) -> list[Frame]:
    name, monoid, coins = arguments.name, transcript.aggregate.monoid, arguments.coins
    drawn = instance(name, monoid, arguments.min_arity, coins=coins)
    numbers = step_range(arguments.step, len(transcript.calls))
    return [frame for frame in film(transcript, drawn) if frame.number in numbers]


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
