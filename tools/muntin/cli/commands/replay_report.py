"""The report of a replay for people: differences in words, and results as a table."""

import json
from collections.abc import Iterator, Sequence

from muntin.cli.commands.replay_run import ReplayRun
from muntin.conformance.transcript.expectations import RESULT, Difference, JsonRow, agree
from muntin.spec.errors import MuntinError

IDENTIFYING = ("op", "step", "query", "key", "start", "end")
"""The fields that identify a line; the others are its content."""


def explanation(difference: Difference) -> Iterator[str]:
    r"""Yield the lines that explain a difference.

    >>> expected = {"step": 1, "query": "w", "value": 3}
    >>> actual = {"step": 1, "query": "w", "value": 4}
    >>> print(*explanation(Difference(expected, actual)), sep="\n")
    step 1, query "w":
      wanted value 3
      got    value 4
    """
    expected, actual = difference.expected, difference.actual
    yield f"{_place({**(expected or {}), **(actual or {})})}:"
    if expected is None or actual is None:
        yield f"  wanted {_content(expected)}"
        yield f"  got    {_content(actual)}"
        return
    names = [
        name for name in expected if not (name in actual and agree(expected[name], actual[name]))
    ]
    yield f"  wanted {_fields(expected, names)}"
    yield f"  got    {_fields(actual, [name for name in names if name in actual])}"


def _content(line: JsonRow | None) -> str:
    if line is None:
        return "nothing"
    return _fields(line, [name for name in line if name not in IDENTIFYING]) or "such a line"


def _fields(line: JsonRow, names: Sequence[str]) -> str:
    return ", ".join(f"{name} {json.dumps(line[name])}" for name in names)


def _place(line: JsonRow) -> str:
    words = [f"{name} {json.dumps(line[name])}" for name in ("op", "step", "query") if name in line]
    if line.get("key") is not None:
        words.append(f"key {json.dumps(line['key'])}")
    if "start" in line and "end" in line:
        words.append(f"window [{line['start']}, {line['end']})")
    late = ["late event"] if "t" in line else []
    return ", ".join([*late, *words]) or "at any step"


def print_table(title: str, run: ReplayRun) -> None:
    """Print the lines of a run as a table."""
    try:
        from rich.console import Console  # noqa: PLC0415 - it is an extra
        from rich.table import Table  # noqa: PLC0415 - it is an extra
        from rich.text import Text  # noqa: PLC0415 - it is an extra
    except ModuleNotFoundError as missing:
        raise MuntinError(
            f"--pretty needs {missing.name}, which is not installed: pip install 'muntin[cli]'"
        ) from missing
    columns = RESULT if any("step" in line for line in run.lines) else ("op", "value")
    table = Table(*columns, title=title, title_justify="left")
    for line in run.lines:
        row = {**line, "value": line["late"], "kind": "late"} if "late" in line else line
        table.add_row(*(Text(_cell(row, name)) for name in columns))
    Console().print(table)


def _cell(line: JsonRow, name: str) -> str:
    if name not in line or (name == "key" and line[name] is None):
        return ""
    return str(line[name]) if name in ("query", "kind") else json.dumps(line[name])
