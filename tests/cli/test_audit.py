"""`muntin audit`: files in, a rule and the wrong windows out; what cannot be read is named."""

import json
from importlib import import_module
from pathlib import Path

import pytest

from muntin.cli.main import main

ROWS = [(10 * n + k, "ab"[k], 1 + 7 * n + k) for n in range(12) for k in (0, 1)]
WINDOWS = [("ab"[k], 10 * n, 10 * n + 10, 1 + 7 * n + k) for n in range(12) for k in (0, 1)]
WORDS = ["--key", "key", "--window", "tumbling:10"]


def csv_text(head: str, rows: list[tuple[object, ...]]) -> str:
    return "\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n"


def json_text(names: str, rows: list[tuple[object, ...]]) -> str:
    objects = [dict(zip(names.split(","), row, strict=True)) for row in rows]
    return "".join(json.dumps(fields) + "\n" for fields in objects)


def write(folder: Path, suffix: str, rows: str, windows: str) -> list[str]:
    paths = [folder / f"rows{suffix}", folder / f"windows{suffix}"]
    for path, text in zip(paths, (rows, windows), strict=True):
        path.write_text(text)
    return ["audit", *map(str, paths), *WORDS]


def test_a_job_without_a_fault_is_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, windows = csv_text("time,key,value", [*ROWS]), csv_text("key,start,end,value", [*WINDOWS])
    assert main(write(tmp_path, ".csv", rows, windows)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "24 rows, 2 keys, 24 windows",
        "rule: no clock: no row is late, dialect {}",
    ]
    assert lines[-1] == "24 of 24 windows explained"


def test_a_wrong_window_is_printed_with_a_hint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = [*WINDOWS[:-1], (*WINDOWS[-1][:3], 2 * WINDOWS[-1][3])]
    words = write(
        tmp_path,
        ".jsonl",
        json_text("time,key,value", [*ROWS]),
        json_text("key,start,end,value", [*wrong]),
    )
    out = tmp_path / "trace.json"
    assert main([*words, "--out", str(out)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-3:-1] == [
        "23 of 24 windows explained",
        "  key b [110, 120)  specified 79  the job 158  as if each row were counted twice",
    ]
    assert main(["replay", str(out), "--check"]) == 0


def test_parquet_with_timestamps_is_read_and_the_answer_is_a_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pa, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    time, key, value = (list(column) for column in zip(*ROWS, strict=True))
    stamps = pa.array([10**6 * t for t in time]).cast(pa.timestamp("us", "UTC"))
    parquet.write_table(pa.table({"ts": stamps, "user": key, "v": value}), tmp_path / "r.parquet")
    key, start, end, value = (list(column) for column in zip(*WINDOWS, strict=True))
    bounds = [pa.array([1000 * t for t in each]).cast(pa.timestamp("ms")) for each in (start, end)]
    columns = {"user": key, "start": bounds[0], "end": bounds[1], "total": value}
    parquet.write_table(pa.table(columns), tmp_path / "w.parquet")
    names = ["--time", "ts", "--key", "user", "--value", "v", "--result", "total"]
    paths = [str(tmp_path / "r.parquet"), str(tmp_path / "w.parquet")]
    assert main(["audit", *paths, *names, "--window", "tumbling:10s", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["explained"], document["blamed"], document["unit_ns"]) == (24, [], 1000)
    assert document["rule"]["clock"] == {"scope": "none"}
    assert main(["audit", *paths, *names, "--window", "tumbling:10"]) == 2
    assert "write '10 seconds'" in capsys.readouterr().err


HEAD, KEYS = "time,key,value", "key,start,end,value"
GOOD = csv_text(KEYS, [*WINDOWS])


@pytest.mark.parametrize(
    ("suffix", "rows", "message"),
    [
        (".csv", f"{HEAD}\n1,a,2\nx,a,3\n", "rows.csv, line 3, column 'time': 'x' is no integer"),
        (".csv", f"{HEAD}\n1,a,2\n\n2,a,\n", "rows.csv, line 4, column 'value': it is null"),
        (
            ".csv",
            f"{HEAD}\n1,a,2\n2,a,two\n",
            "rows.csv, line 3, column 'value': 'two' is no number",
        ),
        (".csv", f'{HEAD}\n1,"a\nb",2\n2,a,two\n', "rows.csv, line 4, column 'value'"),
        (
            ".csv",
            f"{HEAD}\n1,a,2\n2,a\n",
            "rows.csv, line 3: it has 2 fields, and the header has 3",
        ),
        (".csv", "t,key,value\n1,a,2\n", "rows.csv has no column 'time'; it has t, key, value"),
        (".csv", "", "rows.csv cannot be read"),
        (".csv", f"{HEAD}\n1,a,2\n{2**62},a,2\n", "line 3, column 'time': 4611686018427387904 is"),
        (".txt", HEAD, "rows.txt must end in one of .parquet, .csv, .jsonl, .ndjson, .json"),
    ],
)
def test_a_file_of_rows_that_cannot_be_read_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str, rows: str, message: str
) -> None:
    assert main(write(tmp_path, suffix, rows, GOOD)) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"key": "a", "start": 0, "end": 10', "windows.jsonl, line 2: Expecting ',' delimiter"),
        ("[1]", "windows.jsonl, line 2: it must be an object of JSON"),
        (
            '{"key": "a", "start": "now", "end": 10, "value": 3}',
            "windows.jsonl, line 2, column 'start': 'now' is a text, and what came before",
        ),
        (
            '{"key": "a", "start": 5, "end": 10}',
            "windows.jsonl, line 2, column 'value': it is null",
        ),
        (
            '{"key": "a", "start": 1.5, "end": 10, "value": 3}',
            "windows.jsonl, column 'start': it is of double, and must be integers or timestamps",
        ),
    ],
)
def test_a_line_of_windows_that_cannot_be_read_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, message: str
) -> None:
    windows = json_text(KEYS, [*WINDOWS[:1]]) + line + "\n"
    assert main(write(tmp_path, ".jsonl", json_text(HEAD, [*ROWS]), windows)) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--window", "rolling:10"], "--window must be tumbling:SIZE"),
        (["--window", "tumbling:0"], "the size of a window must be greater than 0, not 0"),
        (["--window", "tumbling:10s"], "holds integers, whose unit only you know"),
        (["--aggregate", "collect"], "the aggregate must be one of count, sum"),
    ],
)
def test_a_wrong_command_line_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    rows = csv_text(HEAD, [*ROWS])
    assert main([*write(tmp_path, ".csv", rows, GOOD), *words]) == 2
    assert message in capsys.readouterr().err


def test_a_job_without_windows_is_no_audit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = csv_text(HEAD, [*ROWS])
    assert main(write(tmp_path, ".csv", rows, f"{KEYS}\n")) == 3
    assert capsys.readouterr().out == "24 rows, 0 windows: nothing to compare\n"
