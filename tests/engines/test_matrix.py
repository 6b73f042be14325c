"""The matrix: a cell for each decision, with a trace that shows it on the engine; one page."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from engines.test_clock import ClockedEngine
from engines.toy_engine import ToyEngine
from muntin.cli.main import main
from muntin.conformance.engines.clock import Clock
from muntin.conformance.engines.engine import AdapterEngine, TracedEngine
from muntin.conformance.transcript.json_reader import JsonNode
from muntin.matrix.page import page
from muntin.matrix.record import EngineRecord, MatrixPlan, pair_fields, record_of, withheld_record
from muntin.spec.dialect import Dialect

PLAN = MatrixPlan(40, 1, "2026-01-02")
ADAPTERS = Path(__file__).parent / "adapters"


def toy() -> TracedEngine:
    engine = AdapterEngine(ToyEngine())
    engine.description = replace(engine.description, windows=("session",))
    return engine


@pytest.fixture(scope="module")
def record() -> EngineRecord:
    return record_of(toy(), PLAN)


def test_each_known_decision_has_a_trace_on_which_the_engine_shows_it(record: EngineRecord) -> None:
    cells = JsonNode(record.document).members()["windows"].members()["session"].members()["cells"]
    lateness = cells.members()["lateness"].members()
    assert lateness["values"].value == ["window"]
    assert lateness["agrees"].value is True
    assert lateness["actual"].members()["results"].value
    steps = lateness["trace"].members()["steps"].items()
    assert len(steps) <= 4
    merge = cells.members()["session_merge"].members()
    assert merge["values"].value == ["lt"]
    events = [
        event
        for step in merge["trace"].members()["steps"].items()
        for event in step.members().get("events", JsonNode([])).items()
    ]
    assert len(events) == 2


def test_a_record_says_what_was_run_when(record: EngineRecord) -> None:
    document = record.document
    assert (document["engine"], document["date"], document["source"]) == (
        "toy",
        "2026-01-02",
        "run",
    )


def test_two_engines_are_separated_by_their_rules(record: EngineRecord) -> None:
    clock = Clock("greatest")
    engines = [ClockedEngine(clock, Dialect(session_merge=m)) for m in ("lt", "le")]
    for engine in engines:
        engine.description = replace(engine.description, windows=("session",), offsets=False)
    records = [record_of(engine, replace(PLAN, traces=8)) for engine in engines]
    (pair,) = pair_fields([record, *records])
    steps = JsonNode(pair["trace"]).members()["steps"].items()
    events = [
        event for step in steps for event in step.members().get("events", JsonNode([])).items()
    ]
    assert len(events) == 2
    assert pair["window"] == "session"


def test_the_page_loads_nothing_and_shows_each_engine(record: EngineRecord) -> None:
    withheld = withheld_record("bytewax", "2026-01-02")
    text = page({"engines": [record.document, withheld], "pairs": [*pair_fields([record, record])]})
    assert "http" not in text
    assert "src=" not in text
    assert "<h2>toy <small>" in text
    assert "lateness: window</summary>" in text
    assert "<h2>bytewax</h2><p>reported, withheld</p>" in text
    assert "alike on 600 traces" in text


def engine_folder(folder: Path, more: str = "") -> Path:
    folder.mkdir()
    words = json.dumps([sys.executable, str(ADAPTERS / "tumbling.py")])
    (folder / "engine.toml").write_text(f'name = "{folder.name}"\ncommand = {words}\n{more}')
    return folder


def test_the_command_writes_json_a_page_and_a_history(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, secret = engine_folder(tmp_path / "plain"), engine_folder(tmp_path / "secret")
    shown = engine_folder(tmp_path / "shown", "published = true\n")
    for folder in (secret, shown):
        (folder / "findings").mkdir()
    words = [*map(str, (plain, secret, shown)), "--traces", "20", "--seed", "1"]
    assert main(["matrix", *words, "--out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.count("tumbling 1: tumbling 20 of 20") == 2
    matrix = json.loads((tmp_path / "out" / "matrix.json").read_text())
    assert ["withheld" in engine for engine in matrix["engines"]] == [False, True, False]
    cells = matrix["engines"][0]["windows"]["tumbling"]["cells"]
    assert "lateness" not in cells  # it is a batch
    assert cells["alignment"]["agrees"] is cells["edges"]["agrees"] is True
    times = [
        event["t"]
        for step in cells["alignment"]["trace"]["steps"]
        for event in step.get("events", [])
    ]
    assert min(times) < 0
    assert (tmp_path / "out" / "matrix.html").read_text().count("<h2>") == 4
    assert main(["matrix", str(plain), "--traces", "4", "--out", str(tmp_path / "out")]) == 0
    history = (tmp_path / "out" / "history.jsonl").read_text().splitlines()
    assert [json.loads(line)["engine"] for line in history] == [
        "tumbling",
        "secret",
        "tumbling",
        "tumbling",
    ]
    assert main(["matrix", "no-such-engine"]) == 2
