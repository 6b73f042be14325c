"""Reads and checks the expectations of a transcript."""

from collections.abc import Collection, Mapping
from typing import get_args

from muntin.conformance.transcript.calls import QUERY_CALLS, Call
from muntin.conformance.transcript.events import FIELDS, read_event, read_key, write_full_event
from muntin.conformance.transcript.expectations import Expectations, JsonRow
from muntin.conformance.transcript.json_reader import JsonNode, excerpt
from muntin.conformance.transcript.json_values import Json, decode, encode
from muntin.spec.query import ChangeKind

MODES = ("all", "subset")
RESULT = ("step", "query", "key", "start", "end", "value", "kind", "revision")
"""The fields of a result, in the order in which they are printed."""


def read_results(
    fields: Mapping[str, JsonNode], steps: int, queries: Collection[str]
) -> Expectations:
    """The expectations about the results and late events of a trace."""
    return Expectations(
        tuple(_result(node, steps, queries) for node in fields["expect"].items())
        if "expect" in fields
        else None,
        tuple(row for node in fields["late"].items() for row in _late(node, steps))
        if "late" in fields
        else None,
        subset=_subset(fields, otherwise="all"),
    )


def read_answers(fields: Mapping[str, JsonNode], calls: Collection[Call]) -> Expectations:
    """The expectations about the calls of a structure."""
    query_calls = {i: call for i, call in enumerate(calls) if call.name in QUERY_CALLS}
    if "expect" not in fields:
        return Expectations(subset=_subset(fields, otherwise="subset"))
    rows: list[JsonRow] = []
    for node in fields["expect"].items():
        parts = node.items()
        if len(parts) != 2:  # noqa: PLR2004 - a pair
            raise node.type_error("[index of the operation, value]")
        if parts[0].integer() not in query_calls:
            raise parts[0].type_error(f"the index of one of {', '.join(QUERY_CALLS)} in ops")
        rows.append({"op": parts[0].integer(), "value": _value(parts[1])})
    return Expectations(tuple(rows), subset=_subset(fields, otherwise="subset"))


def _subset(fields: Mapping[str, JsonNode], otherwise: str) -> bool:
    mode = fields["expect_mode"].one_of(MODES) if "expect_mode" in fields else otherwise
    return mode == "subset"


def _result(node: JsonNode, steps: int, queries: Collection[str]) -> JsonRow:
    members = node.fields((), RESULT)
    if not members:
        raise node.type_error(f"an object with some of the fields {', '.join(RESULT)}")
    return {name: _result_field(name, part, steps, queries) for name, part in members.items()}


def _result_field(name: str, node: JsonNode, steps: int, queries: Collection[str]) -> Json:
    if name == "step":
        return _step(node, steps)
    if name == "query" and node.text() not in queries:
        raise node.type_error(f"the id of a query ({', '.join(map(excerpt, queries))})")
    if name == "kind":
        _ = node.one_of(get_args(ChangeKind))
    if name == "start" or (name == "end" and node.value != "end"):
        _ = node.integer()
    if name == "revision":
        _ = node.integer(least=0)
    return encode(read_key(node)) if name == "key" else _value(node)


def _step(node: JsonNode, steps: int) -> int:
    if not 0 <= node.integer() < steps:
        raise node.type_error(f"the index of one of the {steps} steps, from 0")
    return node.integer()


def _value(node: JsonNode) -> Json:
    return encode(decode(node.value))


def _late(node: JsonNode, steps: int) -> list[JsonRow]:
    """The late events of one entry: an event, or a step with its late events."""
    if "late" not in node.members():
        return [_late_event(node)]
    members = node.fields(("step", "late"))
    step = _step(members["step"], steps)
    return [{"step": step, **_late_event(event)} for event in members["late"].items()]


def _late_event(node: JsonNode) -> dict[str, Json]:
    """The fields of a late event that are asserted: those that are written."""
    event = write_full_event(read_event(node))
    return {name: event[name] for name in ("t", *FIELDS) if name in node.members()}
