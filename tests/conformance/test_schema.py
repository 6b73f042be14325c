"""The JSON Schema of transcripts: it accepts what the parser accepts, and refuses what it can."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from conformance.malformed import DOCUMENTS, Malformed, calls, trace
from conformance.random_runs import RandomRun, random_runs
from muntin.conformance.transcript.calls import SIGNATURES
from muntin.conformance.transcript.json_reader import Json, JsonNode
from muntin.conformance.transcript.model import parse, schema
from muntin.conformance.transcript.windows import WINDOW_CODECS, WINDOW_NAMES
from muntin.spec.algebra.catalogue import NAMES

VECTORS = sorted((Path(__file__).parents[1] / "vectors").rglob("*.json"))
PAGE = (Path(__file__).parents[2] / "docs" / "transcripts.md").read_text()
EXAMPLES = re.findall(r"^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)

SCHEMA: dict[str, Json] = json.loads(schema())
VALIDATOR = Draft202012Validator(SCHEMA)
DEFINITIONS = JsonNode(SCHEMA["$defs"])


def complaints(document: Json) -> list[str]:
    errors = VALIDATOR.iter_errors(document)  # pyright: ignore[reportUnknownMemberType]  # its stub
    return [str(error) for error in errors]


def at(*path: str) -> JsonNode:
    node = DEFINITIONS
    for name in path:
        node = node.members()[name]
    return node


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("document", [trace(), calls()], ids=["trace", "calls"])
def test_sound_documents_are_valid(document: Json) -> None:
    assert complaints(document) == []


def test_every_vector_is_valid() -> None:
    for path in VECTORS:
        document: Json = json.loads(path.read_text())
        assert complaints(document) == [], path
        parse(path.read_text())


@given(random_runs())
def test_random_transcripts_are_valid(run: RandomRun) -> None:
    assert complaints(json.loads(json.dumps(run.written()))) == []


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_of_the_page_are_valid(example: str) -> None:
    assert complaints(json.loads(example)) == []


@pytest.mark.parametrize(
    ("document", "what"), DOCUMENTS, ids=[what.complaint for _, what in DOCUMENTS]
)
def test_malformed_documents_are_refused_where_a_schema_can(
    document: Json, what: Malformed
) -> None:
    assert bool(complaints(document)) is what.schema_sees_it


def test_window_types_are_those_of_the_parser() -> None:
    errors = {
        str(one.members()["properties"].members()["type"].members()["const"].value): one
        for one in at("window", "oneOf").items()
    }
    assert errors.keys() == WINDOW_CODECS.keys()
    for name, form in WINDOW_CODECS.items():
        properties = errors[name].members()["properties"].members()
        assert set(properties) == {"type", "measure", *form.needs, *form.may}
        assert errors[name].members()["required"].value == ["type", *form.needs]
        assert properties["measure"].members()["enum"].value == list(form.measures)


def test_other_names_are_those_of_the_parser() -> None:
    assert at("aggregate", "oneOf").items()[0].members()["enum"].value == list(NAMES)
    closing = at("dialect", "properties", "closing", "oneOf").items()[1].members()["properties"]
    assert tuple(closing.members()) == WINDOW_NAMES
    names = [
        one.members()["prefixItems"].items()[0].members()["const"].value
        for one in at("op", "oneOf").items()
    ]
    assert sorted(map(str, names)) == sorted(SIGNATURES)
