"""`muntin explore`: the explorer in a browser, answered by this Python."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from muntin.conformance.transcript.json_reader import Json, load
from muntin.console.messages import say
from muntin.explorer.permalink import fragment_of
from muntin.explorer.requests import limited
from muntin.explorer.server import serve
from muntin.registry.lookup import operator_named
from muntin.spec.errors import InvalidInputError

OK = 0
HELP = "explore windows in a browser, on this machine"
DESCRIPTION = "Serve the explorer on localhost, with answers of this Python, until interrupted."
EPILOG = """\
Open the address that is printed. With FILE the page begins with this trace. With --with
the rows and slices shown are those of an operator, which may be your own MODULE:NAME.

examples:
  muntin explore
  muntin explore docs/examples/traces/sessions_merge.json --with scotty-eager
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments."""
    add = parser.add_argument
    add("file", nargs="?", type=Path, metavar="FILE", help="a transcript of a trace to begin with")
    add("--with", dest="name", default="spec", metavar="NAME", help="an operator (default: spec)")
    add("--port", type=int, default=8642, help="the port; 0 is any (default: 8642)")


def run(arguments: Namespace) -> int:
    """Run the command."""
    operator_named(arguments.name)
    path: Path | None = arguments.file
    fragment = fragment_of(document(path)) if path else ""
    try:
        serve(arguments.port, arguments.name, say, fragment)
    except OSError as error:
        raise InvalidInputError(f"port {arguments.port} cannot be used: {error}") from error
    return OK


def document(path: Path) -> Json:
    """The document of a trace that the page can show."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise InvalidInputError(f"{path}: {error.strerror}") from error
    limited(text)
    return load(text).value
