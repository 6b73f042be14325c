"""Polars, DuckDB and pandas: each follows the specification in its dialect, and in no other.

Each runs in an environment of its own, which `make test` makes from its lock file.
"""

import os
from dataclasses import fields, replace
from pathlib import Path
from secrets import randbelow

import pytest

from muntin.cli.main import main
from muntin.conformance.engines.engine_folder import read_folder
from muntin.conformance.engines.process_engine import ProcessEngine
from muntin.conformance.engines.verification import Verification, VerificationPlan, verify
from muntin.spec.dialect import OURS, Dialect

ENGINES = Path(__file__).parents[2] / "engines"
NAMES = {"polars": 3, "duckdb": 2, "pandas": 2}
"""The engines, and how many window types each has."""
TRACES = {"dev": 40, "nightly": 400}.get(os.environ.get("MUNTIN_PROFILE", "dev"), 150)
"""How many traces of each window type."""


def outcome(name: str, dialect: Dialect | None = None, *, stops: bool = False) -> Verification:
    folder = read_folder(ENGINES / name)
    assert (folder.command.folder / ".venv").exists(), f"run `make engines/{name}/.venv/.ready`"
    plan = VerificationPlan(
        (), randbelow(2**32), TRACES * NAMES[name], dialect or folder.rules.dialect, stops=stops
    )
    with ProcessEngine(folder.command) as engine:
        return verify(engine, plan)


@pytest.mark.parametrize("name", NAMES)
def test_every_trace_is_explained_by_the_dialect(name: str) -> None:
    verification = outcome(name)
    assert verification.failure is None, verification
    assert set(verification.explained.values()) == {TRACES}
    assert len(verification.explained) == NAMES[name]


DECISIONS = [
    (name, field.name)
    for name in NAMES
    for field in fields(Dialect)
    if getattr(read_folder(ENGINES / name).rules.dialect, field.name) != getattr(OURS, field.name)
]


@pytest.mark.parametrize(("name", "decision"), DECISIONS)
def test_without_a_decision_some_trace_is_not_explained(name: str, decision: str) -> None:
    dialect = read_folder(ENGINES / name).rules.dialect
    without = replace(dialect, **{decision: getattr(OURS, decision)})
    failure = outcome(name, without, stops=True).failure
    assert failure
    assert failure.kind == "mismatch"


FOLDERS = sorted(path.parent.name for path in ENGINES.glob("*/requirements.in"))


@pytest.mark.parametrize("name", FOLDERS)
def test_every_engine_of_python_has_a_lock_file(name: str) -> None:
    """Those of `make engines` too, whose environments are not made here."""
    (package_name,) = (ENGINES / name / "requirements.in").read_text().split()
    text = (ENGINES / name / "requirements.lock").read_text()
    lines = [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    assert any(line.startswith(f"{package_name}==") for line in lines)
    assert all("==" in line for line in lines)
    assert "://" not in text
    assert read_folder(ENGINES / name).command.name == name


@pytest.mark.parametrize("name", NAMES)
def test_the_lock_file_pins_the_engine(name: str) -> None:
    (package_name,) = (ENGINES / name / "requirements.in").read_text().split()
    lines = (ENGINES / name / "requirements.lock").read_text().splitlines()
    pinned = [line.partition("==") for line in lines if line and not line.lstrip().startswith("#")]
    assert all(version for _, _, version in pinned)
    assert package_name in {package for package, _, _ in pinned}
    with ProcessEngine(read_folder(ENGINES / name).command) as engine:
        version = {package: text.split()[0] for package, _, text in pinned}[package_name]
        assert (engine.description.engine, engine.description.version) == (name, version)


def test_the_command_knows_an_engine_by_the_name_of_its_folder(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ENGINES.parent)
    assert main(["verify", "duckdb", "--traces", "8"]) == 0
    assert capsys.readouterr().out.count("4 of 4 explained") == 2
    assert main(["verify", "no-such-engine"]) == 2
    folders = ", ".join(sorted(path.parent.name for path in ENGINES.glob("*/engine.toml")))
    assert f"(in engines: {folders})" in capsys.readouterr().err


def test_a_window_type_may_have_a_dialect_of_its_own() -> None:
    rules = read_folder(ENGINES / "quix").rules
    assert (rules.dialect.lateness, rules.by_window["session"].lateness) == ("window", "event")
    assert rules.by_window["session"] == replace(rules.dialect, lateness="event")
    assert (rules.clock.scope, rules.clock.delay, rules.clock.ends) == ("key", "gap", "nothing")
