"""Whether the answer of an engine is that of the specification, as far as the engine shows it."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from muntin.conformance.engines.engine import EngineAnswer
from muntin.conformance.transcript.expectations import JsonRow
from muntin.wire.messages import EngineDescription

LEVELS = ("sequence", "steps", "bag", "standing")
"""What can be compared of results, strongest first."""


def agrees(specified: EngineAnswer, actual: EngineAnswer, description: EngineDescription) -> bool:
    """Whether two answers are the same at the level of an engine; an error never is.

    >>> row = {"step": 1, "key": None, "start": 0, "end": 5, "value": [3], "kind": "new"}
    >>> polars = EngineDescription("polars", "1", ["tumbling"])
    >>> agrees(EngineAnswer((row,), ()), EngineAnswer(({**row, "step": None},)), polars)
    True
    """
    if actual.error or actual.unsupported:
        return False
    same_late = not description.late or late_events(specified) == late_events(actual)
    rows = [visible_rows(answer.results, description) for answer in (specified, actual)]
    return same_late and rows[0] == rows[1]


def is_same_answer(
    first: EngineAnswer, second: EngineAnswer, description: EngineDescription
) -> bool:
    """Whether two answers of an engine to one trace look the same; texts of errors may differ."""
    outcomes = [(bool(a.error), bool(a.unsupported)) for a in (first, second)]
    if outcomes[0] != outcomes[1] or any(outcomes[0]):
        return outcomes[0] == outcomes[1]
    return agrees(first, second, description)


def late_events(answer: EngineAnswer) -> Counter[str]:
    """The late events of an answer, each in its step, in any order."""
    return Counter(json.dumps([row.get("step"), row.get("v")]) for row in answer.late or ())


def visible_rows(
    rows: Iterable[JsonRow], description: EngineDescription
) -> Mapping[str, Sequence[str]]:
    """What an engine shows of results: by key, and in an order that can be compared.

    Keys are apart from each other at every level, for no engine promises an order among them.
    """
    level, by_key = description.level, defaultdict[str, list[str]](list)
    for row in _standing(rows) if level == "standing" else rows:
        if row.get("kind") != "retracted" or description.kinds:
            by_key[json.dumps(row.get("key"))].append(_text(row, description))
    ordered = level == "sequence"
    return {key: texts if ordered else sorted(texts) for key, texts in by_key.items()}


def _text(row: JsonRow, description: EngineDescription) -> str:
    step = row.get("step") if description.level in ("sequence", "steps") else None
    kind = row.get("kind") if description.kinds else None
    return json.dumps([step, kind, row["start"], row["end"], row["value"]])


def _standing(rows: Iterable[JsonRow]) -> list[JsonRow]:
    """The last result of each window, unless it was retracted."""
    last: dict[str, JsonRow] = {}
    for row in rows:
        place = json.dumps([row.get("key"), row["start"], row["end"]])
        if row.get("kind") == "retracted":
            last.pop(place, None)
        else:
            last[place] = row
    return [*last.values()]
