"""Transcripts in a folder, and what `muntin replay` says about them."""

import json
from pathlib import Path

import pytest

from muntin.cli.main import main
from muntin.conformance.transcript.json_reader import Json

TRACE: dict[str, Json] = {
    "muntin": 1,
    "queries": [{"id": "w0", "window": {"type": "tumbling", "size": 10}, "aggregate": "sum"}],
    "steps": [
        {"events": [{"t": 21, "v": 1}, {"t": 22, "v": 2, "key": "a"}], "watermark": 30},
        {"events": [{"t": 5, "v": 9, "gap": 3}]},
    ],
}
RESULT: Json = {
    "step": 0,
    "query": "w0",
    "key": None,
    "start": 20,
    "end": 30,
    "value": 1,
    "kind": "new",
    "revision": 0,
}
CALLS: dict[str, Json] = {
    "muntin": 1,
    "structure": {"aggregate": "sum"},
    "ops": [["insert", 2, 4], ["insert", 1, 3], ["query"], ["size"]],
}
OUTPUT = """\
{"step": 0, "query": "w0", "key": null, "start": 20, "end": 30, "value": 1, "kind": "new", \
"revision": 0}
{"step": 0, "query": "w0", "key": "a", "start": 20, "end": 30, "value": 2, "kind": "new", \
"revision": 0}
{"step": 1, "late": [{"t": 5, "v": 9, "gap": 3}]}
"""
EXPECTED: dict[str, Json] = {
    "expect": [{"step": 0, "value": 1}, {"step": 0, "key": "a", "value": 2}],
    "late": [{"t": 5}],
}


def with_steps(*steps: Json, **more: Json) -> dict[str, Json]:
    return {**TRACE, **more, "steps": [*steps]}


class Session:
    """A folder of transcripts, and what the command says about them."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys
        self.out = self.err = ""

    def file(self, document: Json, name: str = "trace.json") -> str:
        path = self.folder / name
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return str(path)

    def replay(self, *arguments: str) -> int:
        status = main(["replay", *arguments])
        self.out, self.err = self.capsys.readouterr()
        return status

    def lines(self) -> list[dict[str, Json]]:
        return [json.loads(line) for line in self.out.splitlines()]
