"""The expectations of a transcript, and their differences from the actual output.

An expectation asserts only the fields that it has. So each is matched with some row that has these
fields, such that as many as possible are matched.
"""

import json
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from typing import TypeAlias, get_args

from muntin.conformance.transcript.calls import (
    FIELDS,
    QUERY_CALLS,
    Call,
    read_event,
    read_key,
    write_full_event,
)
from muntin.conformance.transcript.json_reader import Json, JsonNode, decode, encode, excerpt
from muntin.spec.query import ChangeKind

JsonRow: TypeAlias = Mapping[str, Json]
"""An output row, expected or actual, as fields of JSON."""

RELATIVE, ABSOLUTE = 1e-9, 1e-12
"""The tolerance between floats; integers are compared exactly."""

EXACT = ("op", "step", "query", "start", "end", "t")
"""Fields in which expected and actual rows must be identical."""

SAME_WINDOW, SAME_STEP = EXACT, ("op", "step", "query", "t")
"""Fields by which an unexpected row is shown beside a missing one."""

CLOSEST = 50
"""How many rows of a window, and of a step, are searched for the one most like another."""


@dataclass(frozen=True)
class Expectations:
    """The rows and the late events that a transcript expects; None, if it asserts nothing.

    If it is a subset, further ones are allowed.
    """

    rows: tuple[JsonRow, ...] | None = None
    late: tuple[JsonRow, ...] | None = None
    subset: bool = False


NOTHING = Expectations()


@dataclass(frozen=True)
class Difference:
    """A missing row, an unexpected row, or an unexpected row in place of a missing one."""

    expected: JsonRow | None
    actual: JsonRow | None


def differences(expectations: Expectations, output: Iterable[JsonRow]) -> list[Difference]:
    """Compare the actual rows with the expected ones.

    >>> expected = Expectations(rows=({"step": 1, "value": 3}, {"step": 1, "end": 9}))
    >>> rows = [{"step": 1, "end": 9, "value": 3}, {"step": 1, "end": 5, "value": 3}]
    >>> differences(expected, rows)
    []
    """
    rows = list(output)
    results = [row for row in rows if "late" not in row]
    late = [event for row in rows for event in late_events(row)]
    asserted = ((expectations.rows, results), (expectations.late, late))
    return [
        difference
        for expected, actual in asserted
        if expected is not None
        for difference in _differences(expected, actual, subset=expectations.subset)
    ]


def late_events(row: JsonRow) -> list[JsonRow]:
    """A row for each late event of a step, with all its fields.

    >>> late_events({"step": 2, "late": [{"t": 5, "v": 1}]})
    [{'step': 2, 'v': 1, 'key': None, 'gap': None, 'punct': False, 't': 5}]
    """
    events = row.get("late", [])
    step = {"step": row["step"]} if "step" in row else {}
    return [
        {**step, "v": None, "key": None, "gap": None, "punct": False, **event}
        for event in (events if isinstance(events, list) else [])
        if isinstance(event, dict)
    ]


def has_fields_of(expected: JsonRow, actual: JsonRow) -> bool:
    """Whether the actual row has every field of the expected one."""
    return all(name in actual and agree(value, actual[name]) for name, value in expected.items())


def agree(expected: Json, actual: Json) -> bool:
    """Whether two values are equal, up to the stated error where one is a float.

    >>> agree(0.3, 0.1 + 0.2), agree(1, True), agree([10**30], [10**30 + 1])
    (True, False, False)
    """
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) == len(actual) and all(map(agree, expected, actual))
    if isinstance(expected, dict) and isinstance(actual, dict):
        return expected.keys() == actual.keys() and has_fields_of(expected, actual)
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if isinstance(expected, int | float) and isinstance(actual, int | float):
        return expected == actual or _close(expected, actual)
    return expected == actual


def _close(expected: float, actual: float) -> bool:
    if isinstance(expected, int) and isinstance(actual, int):
        return False
    try:
        return isclose(expected, actual, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    except OverflowError:
        return False


def _differences(
    expected: Sequence[JsonRow], actual: Sequence[JsonRow], *, subset: bool
) -> Iterator[Difference]:
    """Match expected with actual rows; then pair the rest of both by likeness."""
    missing, extra = _remainders(expected, actual)
    index = _Index(extra)
    paired: set[int] = set()
    for row in missing:
        near = [index.near(row, names)[:CLOSEST] for names in (SAME_WINDOW, SAME_STEP)]
        like = [j for group in near for j in group if j not in paired]
        best = max(like, key=lambda j: _likeness(row, extra[j]), default=None)
        paired |= set[int]() if best is None else {best}
        yield Difference(row, None if best is None else extra[best])
    if not subset:
        yield from (Difference(None, row) for j, row in enumerate(extra) if j not in paired)


def _remainders(
    expected: Sequence[JsonRow], actual: Sequence[JsonRow]
) -> tuple[list[JsonRow], list[JsonRow]]:
    """The expected rows without a match, and the actual rows without one."""
    same: defaultdict[str, list[int]] = defaultdict(list)
    for j, row in enumerate(actual):
        same[_json_text(row)].append(j)
    unmatched, matched = list[JsonRow](), set[int]()
    for row in expected:
        if positions := same[_json_text(row)]:
            matched.add(positions.pop())
        else:
            unmatched.append(row)
    others = [row for j, row in enumerate(actual) if j not in matched]
    index = _Index(others)
    matching = maximum_matching(
        [[j for j in index.near(row, EXACT) if has_fields_of(row, others[j])] for row in unmatched]
    )
    used = set(matching.values())
    missing = [row for i, row in enumerate(unmatched) if i not in matching]
    return missing, [row for j, row in enumerate(others) if j not in used]


class _Index:
    """Rows by the fields that are compared exactly, so that few have to be compared in full."""

    def __init__(self, rows: Sequence[JsonRow]) -> None:
        self._rows = rows
        self._tables: dict[tuple[str, ...], dict[str, list[int]]] = {}

    def near(self, expected: JsonRow, names: Sequence[str]) -> Sequence[int]:
        """The rows that equal the expected one in those of these fields that it has."""
        present = tuple(name for name in names if name in expected)
        if present not in self._tables:
            table = self._tables[present] = defaultdict(list)
            for j, row in enumerate(self._rows):
                table[_json_text({name: row.get(name) for name in present})].append(j)
        return self._tables[present].get(_json_text({name: expected[name] for name in present}), [])


def _json_text(row: JsonRow) -> str:
    return json.dumps(dict(row), sort_keys=True)


def _likeness(expected: JsonRow, actual: JsonRow) -> int:
    return sum(name in actual and agree(value, actual[name]) for name, value in expected.items())


def maximum_matching(candidates: Sequence[Sequence[int]]) -> dict[int, int]:
    """A maximum matching [Kuhn55]: for as many as possible, a candidate that no other has.

    >>> maximum_matching([[7, 8], [7], [7]])
    {0: 8, 1: 7}
    """
    given: dict[int, int] = {}
    owner: dict[int, int] = {}
    for seeker in range(len(candidates)):
        reached_from, free = _search(seeker, candidates, owner)
        while free is not None:
            left = reached_from[free]
            owner[free], given[left], free = left, free, given.get(left)
    return given


def _search(
    seeker: int, candidates: Sequence[Sequence[int]], owner: dict[int, int]
) -> tuple[dict[int, int], int | None]:
    """Seek a free candidate, breadth first, over those whose owners may take another."""
    reached_from: dict[int, int] = {}
    queue = deque([seeker])
    while queue:
        left = queue.popleft()
        for right in candidates[left]:
            if right not in reached_from:
                reached_from[right] = left
                if right not in owner:
                    return reached_from, right
                queue.append(owner[right])
    return reached_from, None


JsonNodes = Mapping[str, JsonNode]
MODES = ("all", "subset")
RESULT = ("step", "query", "key", "start", "end", "value", "kind", "revision")
"""The fields of a result, in the order in which they are printed."""


def read_results(fields: JsonNodes, steps: int, queries: Collection[str]) -> Expectations:
    """The expectations about the results and late events of a trace."""
    rows = late = None
    if "expect" in fields:
        rows = tuple(_result(node, steps, queries) for node in fields["expect"].items())
    if "late" in fields:
        late = tuple(row for node in fields["late"].items() for row in _late(node, steps))
    return Expectations(rows, late, subset=_subset(fields, otherwise="all"))


def read_answers(fields: JsonNodes, calls: Collection[Call]) -> Expectations:
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


def _subset(fields: JsonNodes, otherwise: str) -> bool:
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
