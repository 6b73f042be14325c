"""The explorer on this machine: its page, and answers from this Python, on localhost only."""

from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files

from muntin.conformance.transcript.json_reader import TranscriptError, load
from muntin.explorer.permalink import MAX_TEXT, transcript_of
from muntin.explorer.requests import respond, still

TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript",
    "css": "text/css",
    "svg": "image/svg+xml",
}
MODE = "export const MODE = 'local';\n"
HOSTS = ("127.0.0.1", "localhost")


def page_file(name: str) -> bytes | None:
    """A file of the page; None, if it has none of this name."""
    if name == "mode.js":
        return MODE.encode()
    if name == "still.svg":
        return still().encode()
    names = ("index.html", "explorer.js", "explorer.css")
    return (files("muntin.explorer") / "static" / name).read_bytes() if name in names else None


class ExplorerHandler(BaseHTTPRequestHandler):
    """Serves the files of the page, and answers its requests."""

    operator = "spec"
    """The operator whose answers and slices the page shows."""

    def do_GET(self) -> None:
        """Send a file."""
        name = self.path.partition("?")[0].lstrip("/") or "index.html"
        content = page_file(name)
        if content is None:
            self.send_error(HTTPStatus.NOT_FOUND)
        else:
            self._send(content, TYPES[name.rpartition(".")[2]])

    def do_POST(self) -> None:
        """Answer a request of the page; other pages of the browser may not ask."""
        host = self.headers.get("Host", "").partition(":")[0]
        origin = self.headers.get("Origin", "")
        size = int(self.headers.get("Content-Length") or 0)
        own = origin in ("", f"http://{self.headers.get('Host')}")
        if host not in HOSTS or not own or not 0 < size <= 2 * MAX_TEXT:
            self.send_error(HTTPStatus.FORBIDDEN)
            return
        try:
            texts = [word.text() for word in load(self.rfile.read(size)).items()]
        except TranscriptError:
            self.send_error(HTTPStatus.BAD_REQUEST)
            return
        if texts[:1] == ["show"]:
            texts = [*texts[:2], self.operator]
        self._send(respond(*(texts or [""])).encode(), "application/json")

    def _send(self, content: bytes, kind: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the class calls it
        """Log nothing: the terminal shows the address."""


def serve(port: int, operator: str, ready: Callable[[str], None], fragment: str = "") -> None:
    """Serve the page until it is interrupted; first say where it is."""
    if fragment:
        transcript_of(fragment)
    handler = type("OperatorHandler", (ExplorerHandler,), {"operator": operator})
    with ThreadingHTTPServer((HOSTS[0], port), handler) as server:
        ready(f"http://{HOSTS[0]}:{server.server_port}/{'#' if fragment else ''}{fragment}")
        server.serve_forever()
