"""The Python side of the explorer: its answers, its limits, its links, its page, its bundle."""

import json
import re
import subprocess
import sys
import threading
import zlib
from base64 import urlsafe_b64encode
from http.client import HTTPConnection
from http.server import ThreadingHTTPServer
from pathlib import Path
from zipfile import ZipFile

import pytest

from explorer_bundle import write_bundle
from muntin.cli.main import main
from muntin.conformance.transcript.json_reader import JsonNode
from muntin.conformance.transcript.model import OperatorTranscript, parse
from muntin.explorer.permalink import MAX_TEXT, fragment_of, transcript_of
from muntin.explorer.requests import EXAMPLE, MAX_EVENTS, respond, still
from muntin.explorer.server import ExplorerHandler
from muntin.spec.errors import InvalidInputError

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "tools" / "muntin" / "explorer" / "static"
VECTORS = sorted((ROOT / "tests" / "vectors").glob("*/*.json"))
TRACES = [path for path in VECTORS if isinstance(parse(path.read_bytes()), OperatorTranscript)]


def ask(name: str, *words: str) -> dict[str, JsonNode]:
    return JsonNode(json.loads(respond(name, *words))).members()


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_every_vector_is_shown_or_refused_in_words(path: Path) -> None:
    text = path.read_text()
    shown = ask("show", text)
    if "error" in shown:
        assert "the page takes" in shown["error"].text()
        return
    transcript = parse(text)
    assert isinstance(transcript, OperatorTranscript)
    assert len(shown["marks"].items()) == sum(len(turn.step.events) for turn in transcript.turns)
    assert json.loads(transcript_of(shown["fragment"].text())) == json.loads(text)


def test_what_is_exported_is_what_the_file_expects(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    file.write_text(ask("export", EXAMPLE)["transcript"].text())
    assert main(["replay", str(file), "--check"]) == 0


def test_engines_differ_by_their_decisions() -> None:
    trace = (ROOT / "docs" / "examples" / "traces" / "exact_gap.json").read_text()
    engines = [engine.members() for engine in ask("compare", trace)["engines"].items()]
    by_name = {engine["name"].text(): engine for engine in engines}
    assert not by_name["beam"]["differs"].flag()
    assert by_name["flink"]["why"].text().startswith("session_merge: le")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 100_000, ""),
        (" " * (MAX_TEXT + 1), "for the command line"),
        ('{"muntin": 1, "structure": {"aggregate": "sum"}, "ops": []}', "Structures"),
        (EXAMPLE.replace('"t": 3', f'"t": {10**16}'), "times up to"),
        (
            EXAMPLE.replace('{"t": 3, "v": 8}', ", ".join(['{"t": 3, "v": 8}'] * 101)),
            str(MAX_EVENTS),
        ),
    ],
)
def test_what_is_too_large_is_refused(text: str, words: str) -> None:
    assert words in ask("show", text)["error"].text()


def test_a_link_is_limited_before_and_after_it_is_inflated() -> None:
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    bomb = compressor.compress(b" " * 10_000_000) + compressor.flush()
    with pytest.raises(InvalidInputError, match="longer than"):
        transcript_of("1." + urlsafe_b64encode(bomb).decode())
    for fragment in ("1." + "A" * 1_000_000, "2.abc", "", "1.????"):
        with pytest.raises(InvalidInputError):
            transcript_of(fragment)
    with pytest.raises(InvalidInputError, match="send the file"):
        fragment_of([str(hash(str(n))) for n in range(9_000)])


def test_links_are_short_and_printed(capsys: pytest.CaptureFixture[str]) -> None:
    file = ROOT / "docs" / "examples" / "traces" / "late_event.json"
    assert main(["link", str(file), "--at", "https://example.org/"]) == 0
    link = capsys.readouterr().out.strip()
    assert link.startswith("https://example.org/#1.")
    assert len(link) < 320
    assert main(["link", str(ROOT / "docs" / "examples" / "fifo.json")]) == 2


def test_the_still_is_small_and_of_the_first_example() -> None:
    assert len(still().encode()) < 10_000
    script = (STATIC / "explorer.js").read_text()
    match = re.search(r"const EXAMPLE = (\{.*?\});\nlet", script, re.DOTALL)
    assert match
    quoted = re.sub(r"(\w+):", r'"\1":', match[1].replace("'", '"'))
    assert json.loads(quoted) == json.loads(EXAMPLE)


def test_the_page_has_a_policy_and_nothing_remote_or_inline() -> None:
    page = (STATIC / "index.html").read_text()
    assert "default-src 'none'" in page
    assert "unsafe-inline" not in page
    for file in STATIC.iterdir():
        text = file.read_text()
        assert "innerHTML" not in text
        assert not re.search(r"https?://", text), file
    assert not re.search(r"<script(?![^>]*src=)|style=\"|\son\w+=\"", page)


def test_the_script_states_no_rule() -> None:
    text = (STATIC / "explorer.js").read_text().replace("type: 'tumbling'", "")
    for word in ("session", "sliding", "tumbling", "gap", "complete", "retract", "final"):
        assert word not in text, word


def test_the_local_server_answers_its_own_page_only() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), ExplorerHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    connection = HTTPConnection("127.0.0.1", server.server_port)

    def status(method: str, path: str, body: str = "", **headers: str) -> int:
        connection.request(method, path, body, headers)
        reply = connection.getresponse()
        reply.read()
        return reply.status

    words = json.dumps(["show", EXAMPLE])
    assert [status("GET", path) for path in ("/", "/mode.js", "/still.svg", "/../x")] == [
        200
    ] * 3 + [404]
    assert status("POST", "/ask", words) == 200
    assert status("POST", "/ask", words, Origin="https://elsewhere.org") == 403
    assert status("POST", "/ask", words, Host="elsewhere.org") == 403
    assert status("POST", "/ask", "not JSON") == 400
    server.shutdown()
    server.server_close()


ANSWERS = """
import json, sys
sys.path.insert(0, sys.argv[1])
from muntin.explorer.requests import respond
for path in sys.argv[2:]:
    print(respond("export", open(path).read()))
"""


def test_the_bundle_answers_every_vector_as_this_python_does(tmp_path: Path) -> None:
    write_bundle(tmp_path / "muntin.zip")
    with ZipFile(tmp_path / "muntin.zip") as bundle:
        bundle.extractall(tmp_path / "app")
    paths = [str(path) for path in TRACES]
    command = [sys.executable, "-I", "-S", "-c", ANSWERS, str(tmp_path / "app"), *paths]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603 - our own words
    here = [respond("export", Path(path).read_text()) for path in paths]
    assert output.splitlines() == here
    assert (tmp_path / "muntin.zip").stat().st_size < 500_000
