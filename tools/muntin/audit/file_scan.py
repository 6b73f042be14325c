"""The lines of a CSV or JSON lines file, scanned one by one: where a row stands, what is wrong.

PyArrow reads a file at once, and says neither the line of a row nor, in general, that of an error.
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeGuard

from muntin.spec.errors import InvalidInputError

KINDS: Mapping[type, str] = {
    **dict.fromkeys((int, float), "a number"),
    str: "a text",
    bool: "a boolean",
    list: "a list",
    dict: "an object",
}
"""What JSON has for values of Python."""


def line_of_record(path: Path, row: int) -> int:
    """The line on which a record of a CSV file begins; blank lines are no records."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader, last, number = csv.reader(file), 0, -2
        for record in reader:
            number += bool(record)
            if number == row:
                return last + 1
            last = reader.line_num
    return last


def line_of_object(path: Path, row: int) -> int:
    """The line of an object of a JSON lines file; blank lines are no objects."""
    with path.open("rb") as file:
        lines = (line for line, text in enumerate(file, 1) if text.strip())
        return next(line for number, line in enumerate(lines) if number == row)


def check_records(path: Path) -> None:
    """Refuse the first record that is no CSV, or has other fields than the header."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader, header, first = csv.reader(file, strict=True), list[str](), 1
        try:
            for record in reader:
                header = header or record
                if record and len(record) != len(header):
                    what = f"it has {len(record)} fields, and the header has {len(header)}"
                    raise InvalidInputError(f"{path}, line {first}: {what}")
                first = reader.line_num + 1
        except (csv.Error, UnicodeDecodeError) as error:
            raise InvalidInputError(f"{path}, line {first}: {error}") from error


def check_objects(path: Path, columns: Sequence[str]) -> None:
    """Refuse the first line that is no object, or has a value of another kind in a column."""
    kinds = dict[str, str]()
    for line, value in json_values(path):
        if not is_object(value):
            raise InvalidInputError(f"{path}, line {line}: it must be an object of JSON")
        for name in columns:
            field = value.get(name)
            kind = KINDS.get(type(field), "null")
            if field is not None and kinds.setdefault(name, kind) != kind:
                what = f"{field!r} is {kind}, and what came before it is {kinds[name]}"
                raise InvalidInputError(f"{path}, line {line}, column {name!r}: {what}")


def json_values(path: Path) -> Iterator[tuple[int, object]]:
    """The value on each line that is not blank."""
    with path.open("rb") as file:
        for line, text in enumerate(file, 1):
            if text.strip():
                try:
                    yield line, json.loads(text)
                except ValueError as error:
                    raise InvalidInputError(f"{path}, line {line}: {error}") from error


def is_object(value: object) -> TypeGuard[Mapping[str, object]]:
    """Whether a value of JSON is an object."""
    return isinstance(value, dict)
