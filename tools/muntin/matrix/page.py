"""The page of the matrix: one file of HTML that loads nothing; a cell opens its trace."""

import json
from collections.abc import Iterator, Sequence
from html import escape

from muntin.conformance.transcript.json_reader import Json, JsonNode

HEAD = """<!doctype html><html lang="en"><meta charset="utf-8">
<title>Windows of engines</title><style>
body{font:14px/1.4 system-ui;margin:2em;max-width:110em}table{border-collapse:collapse}
td,th{border:1px solid #bbb;padding:.3em .5em;vertical-align:top;text-align:left}
summary{cursor:pointer}pre{font-size:12px;white-space:pre-wrap;max-width:32em}
.v0{background:#eef3fb}.v1{background:#fbf1dc}.v2{background:#e6f4e6}.v3{background:#f6e6f2}
.open{color:#777}</style><h1>Windows of engines</h1>
<p>Each cell is what an engine was seen to do in a run; colours are values, not merits. Open a cell
for the smallest trace that shows it, in the form of <code>docs/wire.md</code>, with both answers.
A value in grey is open, or no trace that was tried shows it.</p>"""


def page(matrix: dict[str, Json]) -> str:
    """The page of a matrix."""
    records = JsonNode(matrix).members()["engines"].items()
    parts = [HEAD, *(_engine(record) for record in records)]
    parts += ["<h2>Two engines, one trace</h2>", _pairs(JsonNode(matrix).members()["pairs"])]
    return "\n".join([*parts, "</html>", ""])


def _engine(record: JsonNode) -> str:
    members = record.members()
    name = escape(members["engine"].text())
    if "withheld" in members:
        return f"<h2>{name}</h2><p>{escape(members['withheld'].text())}</p>"
    about = f"{members['version'].text()}, {members['date'].text()}, {members['source'].text()}"
    head = f"<h2>{name} <small>{escape(about)}</small></h2>"
    rows = [_row(window, node) for window, node in members["windows"].members().items()]
    return f"{head}<table>{''.join(rows)}</table>"


def _row(window: str, node: JsonNode) -> str:
    members = node.members()
    counts = f"{members['explained'].integer()} of {members['traces'].integer()} explained"
    clock = members["clock"].members()
    text = f"<br>clock {escape(json.dumps(members['clock'].value))}" if clock else ""
    cells = [_cell(name, cell) for name, cell in members["cells"].members().items()]
    return f"<tr><th>{escape(window)}<br><small>{counts}{text}</small></th>{''.join(cells)}</tr>"


def _cell(name: str, node: JsonNode) -> str:
    members = node.members()
    values = [value.value for value in members["values"].items()]
    text = f"{escape(name)}: {escape(' or '.join(map(str, values)))}"
    if len(values) != 1 or "trace" not in members:
        return f'<td class="open">{text}</td>'
    colour = sum(map(ord, str(values[0]))) % 4
    shown = "\n".join(_lines(members, ("trace", "specified", "actual")))
    return (
        f'<td class="v{colour}"><details><summary>{text}</summary><pre>{shown}</pre></details></td>'
    )


def _lines(members: dict[str, JsonNode], names: Sequence[str]) -> Iterator[str]:
    for name in names:
        yield f"{name}: {escape(json.dumps(members[name].value))}"


def _pairs(node: JsonNode) -> str:
    rows = list[str]()
    for pair in node.items():
        members = pair.members()
        engines = " and ".join(engine.text() for engine in members["engines"].items())
        if "trace" in members:
            shown = "\n".join(_lines(members, ("trace", "answers")))
            text = f"<details><summary>differ</summary><pre>{shown}</pre></details>"
        else:
            text = f"alike on {members['agreements'].integer()} traces"
        window = escape(members["window"].text())
        rows.append(f"<tr><th>{escape(engines)}</th><td>{window}</td><td>{text}</td></tr>")
    return f"<table>{''.join(rows)}</table>"
