"""What replies must look like: each is read strictly, and an error names the place in it."""

from collections.abc import Mapping
from dataclasses import MISSING, fields

from muntin.conformance.engines.agreement import LEVELS
from muntin.conformance.engines.engine import EngineAnswer, engine_answer
from muntin.conformance.machines.random_choices import NAMED_WINDOWS
from muntin.conformance.transcript.json_reader import Json, JsonNode
from muntin.wire.messages import VERSION, EngineDescription, Row

WORDS: Mapping[str, tuple[str, ...]] = {
    "form": ("trace", "steps"),
    "clock": ("explicit", "greatest", "none"),
    "level": LEVELS,
}
"""The fields of a description that have few values."""
KINDS = ("new", "updated", "retracted")
LAST = ("done", "unsupported", "error")
"""The types of the last reply to a request of the steps form."""


def read_description(reply: JsonNode) -> EngineDescription:
    """The description in a reply to `hello`; a list may be a text of words, a flag 0 or 1.

    >>> reply = '{"type": "hello", "engine": "x", "version": "1", "windows": "tumbling session"}'
    >>> from muntin.conformance.transcript.json_reader import load
    >>> read_description(load(reply)).windows
    ('tumbling', 'session')
    """
    _ = reply.members()["type"].one_of(("hello",))
    known = {field.name: field for field in fields(EngineDescription)}
    needed = [name for name, field in known.items() if field.default is MISSING]
    members = reply.fields(["type", *needed], ["muntin", *known])
    if "muntin" in members and members["muntin"].integer() != VERSION:
        raise members["muntin"].type_error(f"{VERSION}, the only version of the wire")
    given = {name: node for name, node in members.items() if name in known}
    values = {name: _member(name, node, known[name].default) for name, node in given.items()}
    description = EngineDescription(**values)  # type: ignore[arg-type]  # checked by _member
    for window in set(description.windows) - NAMED_WINDOWS.keys():
        raise members["windows"].error(f"{window!r} is none of {', '.join(NAMED_WINDOWS)}")
    return description


def _member(name: str, node: JsonNode, default: object) -> str | int | bool | tuple[str, ...]:
    if name in WORDS:
        return node.one_of(WORDS[name])
    if isinstance(default, bool):
        return node.flag() if isinstance(node.value, bool) else bool(node.integer())
    if isinstance(default, int):
        return node.integer()
    if name in ("windows", "outputs", "aggregates"):
        texts = node.items() if isinstance(node.value, list) else None
        return tuple(node.text().split() if texts is None else [text.text() for text in texts])
    return node.text()


def read_answers(reply: JsonNode, number: int, steps: list[int]) -> list[EngineAnswer]:
    """The answers in a reply to a request of this number; each trace has its number of steps."""
    _ = reply.members()["type"].one_of(("results",))
    members = reply.fields(("type", "id", "answers"), ("ms",))
    check_number(members["id"], number)
    answers = members["answers"].items()
    if len(answers) != len(steps):
        what = f"there were {len(steps)} traces, and it has {len(answers)} answers"
        raise members["answers"].error(what)
    return [_answer(node, n) for node, n in zip(answers, steps, strict=True)]


def check_number(node: JsonNode, number: int) -> None:
    """Refuse a reply to another request."""
    given = node.integer()
    if given < number:
        raise node.error(f"request {given} was answered again, while request {number} waited")
    if given > number:
        raise node.error(f"it is {given}, but the request was {number}")


def _answer(node: JsonNode, steps: int) -> EngineAnswer:
    members = node.fields((), ("results", "late", "unsupported", "error"))
    for name in ("unsupported", "error"):
        if name in members:
            _ = members[name].text()
    if not members.keys() & {"results", "unsupported", "error"}:
        raise node.error("it has neither results, unsupported nor error")
    answer: Row = {name: member.value for name, member in members.items()}
    for name, read in (("results", read_result), ("late", read_late)):
        if name in members:
            rows: list[Json] = [read(row, steps) for row in members[name].items()]
            answer[name] = rows
    return engine_answer(answer)


def read_result(node: JsonNode, steps: int) -> Row:
    """A result, whose step may be unknown."""
    members = node.fields(("start", "end", "value"), ("type", "step", "key", "kind"))
    end = members["end"]
    row: Row = {
        "step": _step(members, steps),
        "key": _key(members),
        "start": members["start"].integer(),
        "end": end.value if end.value == "end" else end.integer(),
        "value": members["value"].value,
    }
    return {**row, "kind": members["kind"].one_of(KINDS)} if "kind" in members else row


def read_late(node: JsonNode, steps: int) -> Row:
    """A late event: its value, and its step if it is known."""
    members = node.fields(("v",), ("type", "step"))
    return {"step": _step(members, steps), "v": members["v"].integer()}


def _step(members: Mapping[str, JsonNode], steps: int) -> Json:
    node = members.get("step")
    if node is None or node.value is None:
        return None
    if not 0 <= node.integer() < steps:
        raise node.type_error(f"the index of one of the {steps} steps, from 0")
    return node.value


def _key(members: Mapping[str, JsonNode]) -> str | None:
    node = members.get("key")
    return None if node is None or node.value is None else node.text()


def is_last(reply: JsonNode) -> bool:
    """Whether a reply of the steps form ends the replies to its request."""
    return reply.members()["type"].value in LAST
