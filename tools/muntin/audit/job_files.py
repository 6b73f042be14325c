"""The files of a job, Parquet, CSV or JSON lines, as columns of Arrow.

Times are integers or timestamps, in one unit for both files; an error names file, line and column.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from pathlib import Path

import numpy as np

from muntin.audit.file_scan import check_objects, check_records, line_of_object, line_of_record
from muntin.columnar.arrow import ARROW_ERRORS, column, without_views
from muntin.columnar.arrow_columns import ArrowColumn, ArrowTable
from muntin.kernels.slicing.arrays import FARTHEST, Column, Flags, Ints
from muntin.spec.errors import InvalidInputError

pa = import_module("pyarrow")

FORMATS: Mapping[str, str] = {
    ".parquet": "parquet",
    ".csv": "csv",
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "json lines"),
}
"""The formats, by the end of the name of a file."""
UNITS: Mapping[str, int] = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
"""Nanoseconds of the units of timestamps."""
INTEGER = r"\s*[+-]?\d+\s*"


@dataclass(frozen=True)
class JobFile:
    """A file of a job, read: its columns in one chunk each; those of CSV are texts."""

    path: Path
    format: str
    table: ArrowTable

    def error(self, row: int, name: str, what: str) -> InvalidInputError:
        """The error that a value cannot be read: it names file, line and column."""
        if self.format == "parquet":
            place = f"row {row + 1}"
        elif self.format == "csv":
            place = f"line {line_of_record(self.path, row)}"
        else:
            place = f"line {line_of_object(self.path, row)}"
        return InvalidInputError(f"{self.path}, {place}, column {name!r}: {what}")

    def column(self, name: str) -> ArrowColumn:
        """A column, which may hold nulls."""
        return column(self.table, name)

    def full_column(self, name: str) -> ArrowColumn:
        """A column that must not hold nulls."""
        values = self.column(name)
        if values.null_count:
            row = int(np.asarray(values.is_valid(), np.bool_).argmin())
            raise self.error(row, name, "it is null; leave such rows out")
        return values

    def times(self, name: str) -> ArrowColumn:
        """A column of integers or timestamps; a text has one or the other."""
        values = self.full_column(name)
        if pa.types.is_string(values.type):
            return self._times_of_texts(name, values)
        if pa.types.is_integer(values.type) or pa.types.is_timestamp(values.type):
            return values
        what = f"it is of {values.type}, and must be integers or timestamps; cast it"
        raise InvalidInputError(f"{self.path}, column {name!r}: {what}")

    def _times_of_texts(self, name: str, texts: ArrowColumn) -> ArrowColumn:
        for kind in (pa.int64(), pa.timestamp("us"), pa.timestamp("us", "UTC"), pa.timestamp("ns")):
            try:
                return texts.cast(kind)
            except ARROW_ERRORS:
                continue
        row = first_failure(texts.to_pylist(), is_time)
        raise self.error(row, name, f"{texts.to_pylist()[row]!r} is no integer and no timestamp")

    def numbers(self, name: str) -> Column:
        """A column of integers or floats."""
        values = self.full_column(name)
        if pa.types.is_string(values.type):
            values = self._numbers_of_texts(name, values)
        if pa.types.is_integer(values.type):
            return numpy_column(values.cast(pa.int64()))
        if pa.types.is_floating(values.type):
            return numpy_column(values.cast(pa.float64()))
        what = f"it is of {values.type}, and must be integers or floats; cast it"
        raise InvalidInputError(f"{self.path}, column {name!r}: {what}")

    def _numbers_of_texts(self, name: str, texts: ArrowColumn) -> ArrowColumn:
        for kind in (pa.int64(), pa.float64()):
            try:
                return texts.cast(kind)
            except ARROW_ERRORS:
                continue
        row = first_failure(texts.to_pylist(), float)
        raise self.error(row, name, f"{texts.to_pylist()[row]!r} is no number")


def numpy_column(values: ArrowColumn) -> Column:
    """A column without nulls as an array."""
    return np.asarray(values)


def first_failure(texts: Sequence[object], read: Callable[[str], object]) -> int:
    """The index of the first text that cannot be read."""
    for row, text in enumerate(texts):
        try:
            _ = read(str(text))
        except ValueError:
            return row
    return 0


def is_time(text: str) -> object:
    """The integer or the timestamp of a text; texts of a column are of one kind."""
    return int(text) if text.strip().lstrip("+-").isdigit() else datetime.fromisoformat(text)


def read_file(path: Path, names: Sequence[str]) -> JobFile:
    """Read the columns of a file; an error names the file, or the line that cannot be read."""
    if path.suffix.lower() not in FORMATS:
        raise InvalidInputError(f"{path} must end in one of {', '.join(FORMATS)}")
    form = FORMATS[path.suffix.lower()]
    read = {"parquet": _read_parquet, "csv": _read_csv, "json lines": _read_json}[form]
    try:
        table = read(path)
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be read: {error}") from error
    except ARROW_ERRORS as error:
        _check_lines(path, form, names)
        raise InvalidInputError(f"{path} cannot be read: {error}") from error
    listed = ", ".join(table.column_names) or "none"
    for name in names:
        if name not in table.column_names:
            raise InvalidInputError(f"{path} has no column {name!r}; it has {listed}")
    return JobFile(path, form, table)


def _check_lines(path: Path, form: str, names: Sequence[str]) -> None:
    if form == "csv":
        check_records(path)
    elif form == "json lines":
        check_objects(path, names)


def _read_parquet(path: Path) -> ArrowTable:
    table: ArrowTable = import_module("pyarrow.parquet").read_table(path)
    return table


def _read_csv(path: Path) -> ArrowTable:
    """Every column as text: what it holds follows from what it is for. An empty field is null."""
    reader = import_module("pyarrow.csv")
    with path.open("rb") as file:
        first: ArrowTable = reader.open_csv(file).schema.empty_table()
    convert = reader.ConvertOptions(
        column_types={name: pa.string() for name in first.column_names},
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
        null_values=[""],
    )
    parse = reader.ParseOptions(newlines_in_values=True)
    table: ArrowTable = reader.read_csv(path, parse_options=parse, convert_options=convert)
    return table


def _read_json(path: Path) -> ArrowTable:
    table: ArrowTable = import_module("pyarrow.json").read_json(path)
    return table


def common_unit(columns: Sequence[ArrowColumn], path: Path) -> int | None:
    """The nanoseconds of the finest unit of timestamps; None if all columns are integers."""
    kinds = [values.type for values in columns]
    stamps = [kind for kind in kinds if pa.types.is_timestamp(kind)]
    if stamps and len(stamps) < len(kinds):
        texts = ", ".join(map(str, kinds))
        raise InvalidInputError(f"the times of {path} must be of one type, and are {texts}")
    return min((UNITS[getattr(kind, "unit")] for kind in stamps), default=None)  # noqa: B009 - Arrow is not typed


def integers(file: JobFile, name: str, values: ArrowColumn, unit: int | None) -> Ints:
    """Times as integers, timestamps in a unit since 1970; one out of bounds is an error."""
    if unit is not None:
        letters = next(letters for letters, size in UNITS.items() if size == unit)
        zone: object = getattr(values.type, "tz")  # noqa: B009 - Arrow is not typed
        values = _cast(file, name, values, pa.timestamp(letters, zone))
    times = np.asarray(_cast(file, name, values, pa.int64()), np.int64)
    far: Flags = (times <= -FARTHEST) | (times >= FARTHEST)
    if far.any():
        row = int(far.argmax())
        raise file.error(row, name, f"{times[row]} is too far from 0 for 64 bits")
    return times


def _cast(file: JobFile, name: str, values: ArrowColumn, kind: object) -> ArrowColumn:
    try:
        return values.cast(kind)
    except ARROW_ERRORS as error:
        raise InvalidInputError(f"{file.path}, column {name!r}: {error}") from error


def key_codes(first: ArrowColumn, second: ArrowColumn) -> tuple[Ints, Ints, list[str | None]]:
    """Keys of two columns by number, and the text of each number; null is a key of its own."""
    texts = [without_views(values).cast(pa.large_string()) for values in (first, second)]
    both: ArrowColumn = pa.concat_arrays(texts)
    encoded = both.dictionary_encode("encode")
    codes = np.asarray(encoded.indices, np.int64)
    names: list[object] = [*encoded.dictionary.to_pylist()]
    return (
        codes[: len(first)],
        codes[len(first) :],
        [None if name is None else str(name) for name in names],
    )
