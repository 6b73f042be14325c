"""A line of a journal: the run, the number of a chunk, and its tally, which is JSON in a string."""

import json
import re
from functools import reduce
from typing import NamedTuple

from muntin.conformance.transcript.json_reader import JsonNode, load
from muntin.differential.tally import Tally

TEXT = r'(?:[^"\\]|\\.)*+\\?'
"""What is between the quotes of a string of JSON, which may be cut short behind a backslash."""
PIECES = (
    *map(re.escape, '{"run": "'),
    TEXT,
    *map(re.escape, '", "chunk": '),
    "[0-9]+",
    *map(re.escape, ', "tally": "'),
    TEXT,
    *map(re.escape, '"}'),
)
"""What a line is made of; it may be cut short between any two."""
TORN = re.compile(reduce(lambda rest, piece: f"(?:{piece}{rest})?", reversed(PIECES), ""))


class JournalEntry(NamedTuple):
    """What was noted of a chunk; the tally is as it was written."""

    run: str
    chunk: int
    tally: str


def line(run: str, chunk: int, tally: Tally) -> str:
    """Return the line of a chunk."""
    return json.dumps({"run": run, "chunk": chunk, "tally": tally.written()}) + "\n"


def read(text: bytes) -> JournalEntry:
    """Return what a line says, or say why it is none.

    >>> read(b'{"run": "r", "chunk": 2, "tally": "{}"}')
    JournalEntry(run='r', chunk=2, tally='{}')
    """
    record = JsonNode(load(text).value, "the line").fields(["run", "chunk", "tally"])
    return JournalEntry(record["run"].text(), record["chunk"].integer(0), record["tally"].text())


def is_truncated_line(text: str) -> bool:
    r"""Whether this can be the beginning of a line, or a line without its end.

    >>> lines = '{"r', '{"run": "r\\', '{"run": "r", "chunk": 1', "a,b", '{"a": 1}'
    >>> [is_truncated_line(line) for line in lines]
    [True, True, True, False, False]
    """
    return TORN.fullmatch(text) is not None
