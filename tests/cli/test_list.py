"""`muntin list`: what implementations say of themselves."""

import json

import pytest

from muntin.cli.commands import list_implementations as listing
from muntin.cli.main import main
from muntin.conformance.transcript.windows import WINDOW_CODECS
from muntin.reference.specification import SpecificationOperator
from muntin.registry.capabilities import (
    Capabilities,
    survey_operator,
    survey_structure,
    window_types,
)
from muntin.registry.implementations import OPERATORS, STRUCTURES, OperatorEntry
from muntin.registry.lookup import names
from muntin.spec.errors import UnsupportedError
from muntin.spec.query import Query, Settings
from muntin.spec.windows.measure import TIME


def of_operator(name: str) -> Capabilities:
    return survey_operator(next(entry for entry in OPERATORS if entry.name == name))


def of_structure(name: str) -> Capabilities:
    return survey_structure(next(entry for entry in STRUCTURES if entry.name == name))


def test_every_window_type_is_probed() -> None:
    listed = window_types()
    assert set(WINDOW_CODECS) < set(listed)
    assert {"user-defined", "user-trigger"} < set(listed)
    assert {kind.measure.name for kind in listed.values()} == {"time", "count", "value"}


def test_the_specification_and_recompute_support_everything() -> None:
    for survey in (of_operator("spec"), of_operator("recompute"), of_structure("spec")):
        assert set(survey.extent().values()) == {"all"}
        assert list(survey.refusals("all", "some", "none")) == []


def test_buckets_have_refusals_with_conditions() -> None:
    survey = of_operator("aggregate-buckets")
    assert survey.extent()["session"] == "some"
    assert survey.extent()["count"] == "none"
    when = [refusal.when for refusal in survey.refusals("some")]
    assert {"output": ("discard",)} in when
    assert {"aggregate": ("not commutative",), "in_order": ("false",)} in when
    assert {"dialect": ("first_window=floor_first",)} in when


def test_a_fifo_structure_has_refusals() -> None:
    extent = of_structure("subtract-on-evict").extent()
    assert extent["query"] == "some"
    assert extent["insert out of order"] == extent["query_range"] == "none"
    (refusal,) = of_structure("subtract-on-evict").refusals("some")
    assert refusal.when == {"aggregate": ("not invertible",)}
    assert "query" in refusal.what


class OnlyOnTime(SpecificationOperator):
    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.allowed = settings.dialect.lateness != "never"

    def add(self, query: Query) -> None:
        if query.window.measure is not TIME:
            raise UnsupportedError("time only")
        if not self.allowed:
            raise UnsupportedError("lateness is needed")
        super().add(query)


def test_capabilities_are_computed_by_probes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(listing, "OPERATORS", [OperatorEntry("punctual", OnlyOnTime)])
    assert main(["list", "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)["operators"]
    assert listed["name"] == "punctual"
    assert listed["supports"]["tumbling"] == "some"
    assert listed["supports"]["count"] == "none"
    why = {refusal["why"]: refusal for refusal in listed["refusals"]}
    assert why["time only"]["when"] == {}
    assert "tumbling" not in why["time only"]["what"]
    assert why["lateness is needed"]["when"] == {"lateness": ["never"]}
    assert main(["list"]) == 0
    text = capsys.readouterr().out
    assert "punctual\n" in text
    assert "not if    lateness: never: lateness is needed" in text


def test_every_name_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    text = capsys.readouterr().out
    assert all(f"  {name}\n" in text for name in names())
    assert main(["list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in listed["operators"]] == [entry.name for entry in OPERATORS]
    assert [one["name"] for one in listed["structures"]] == [entry.name for entry in STRUCTURES]
