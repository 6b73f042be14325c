"""What a transcript expects, and how that differs from what came.

An expectation says no more than the fields that it has. So each is matched with some line that
has them, such that as many as possible find one.
"""

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from typing import TypeAlias

from muntin.conformance.transcript.json_values import Json

JsonRow: TypeAlias = Mapping[str, Json]
"""Something that came, or should, as fields of JSON."""

RELATIVE, ABSOLUTE = 1e-9, 1e-12
"""How far a float may be from another; whole numbers are compared exactly."""

EXACT = ("op", "step", "query", "start", "end", "t")
"""Fields in which what is wanted and what came must be the same to the letter."""

SAME_WINDOW, SAME_STEP = EXACT, ("op", "step", "query", "t")
"""Fields by which a line that came is shown beside one that did not."""

CLOSEST = 50
"""How many lines of a window, and of a step, are searched for the one most like another."""


@dataclass(frozen=True)
class Expectations:
    """The lines and the late events that a transcript expects; None, if it asserts nothing.

    Where it is a subset, others may come as well.
    """

    rows: tuple[JsonRow, ...] | None = None
    late: tuple[JsonRow, ...] | None = None
    subset: bool = False


NOTHING = Expectations()


@dataclass(frozen=True)
class Difference:
    """A line that should have come, one that came, or one that came in place of another."""

    expected: JsonRow | None
    actual: JsonRow | None


def differences(expected: Expectations, got: Iterable[JsonRow]) -> list[Difference]:
    """Compare what came with what is expected.

    >>> wanted = Expectations(rows=({"step": 1, "value": 3}, {"step": 1, "end": 9}))
    >>> differences(wanted, [{"step": 1, "end": 9, "value": 3}, {"step": 1, "end": 5, "value": 3}])
    []
    """
    came = list(got)
    results = [line for line in came if "late" not in line]
    late = [event for line in came for event in late_events(line)]
    asserted = ((expected.rows, results), (expected.late, late))
    return [
        difference
        for wanted, lines in asserted
        if wanted is not None
        for difference in _unmatched(wanted, lines, subset=expected.subset)
    ]


def late_events(line: JsonRow) -> list[JsonRow]:
    """Return a line for each late event of a step, with all its fields.

    >>> late_events({"step": 2, "late": [{"t": 5, "v": 1}]})
    [{'step': 2, 'v': 1, 'key': None, 'gap': None, 'punct': False, 't': 5}]
    """
    events = line.get("late", [])
    step = {"step": line["step"]} if "step" in line else {}
    return [
        {**step, "v": None, "key": None, "gap": None, "punct": False, **event}
        for event in (events if isinstance(events, list) else [])
        if isinstance(event, dict)
    ]


def has_fields_of(wanted: JsonRow, got: JsonRow) -> bool:
    """Whether a line has every field that is wanted."""
    return all(name in got and agree(value, got[name]) for name, value in wanted.items())


def agree(wanted: Json, got: Json) -> bool:
    """Whether two values are equal, up to the stated error where one is a float.

    >>> agree(0.3, 0.1 + 0.2), agree(1, True), agree([10**30], [10**30 + 1])
    (True, False, False)
    """
    if isinstance(wanted, list) and isinstance(got, list):
        return len(wanted) == len(got) and all(map(agree, wanted, got))
    if isinstance(wanted, dict) and isinstance(got, dict):
        return wanted.keys() == got.keys() and all(agree(wanted[k], got[k]) for k in wanted)
    if isinstance(wanted, bool) or isinstance(got, bool):
        return wanted is got
    if isinstance(wanted, int | float) and isinstance(got, int | float):
        return wanted == got or _close(wanted, got)
    return wanted == got


def _close(wanted: float, got: float) -> bool:
    if isinstance(wanted, int) and isinstance(got, int):
        return False
    try:
        return isclose(wanted, got, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    except OverflowError:
        return False


def _unmatched(
    wanted: Sequence[JsonRow], came: Sequence[JsonRow], *, subset: bool
) -> Iterator[Difference]:
    """Match what is wanted with what came; then pair what remains of both by likeness."""
    missing, extra = _remainders(wanted, came)
    index = _Index(extra)
    paired: set[int] = set()
    for line in missing:
        near = [index.near(line, names)[:CLOSEST] for names in (SAME_WINDOW, SAME_STEP)]
        like = [j for group in near for j in group if j not in paired]
        best = max(like, key=lambda j: _likeness(line, extra[j]), default=None)
        paired |= set[int]() if best is None else {best}
        yield Difference(line, None if best is None else extra[best])
    if not subset:
        yield from (Difference(None, line) for j, line in enumerate(extra) if j not in paired)


def _remainders(
    wanted: Sequence[JsonRow], came: Sequence[JsonRow]
) -> tuple[list[JsonRow], list[JsonRow]]:
    """Return the wanted lines that find no match, and the lines that nobody wants."""
    same: defaultdict[str, list[int]] = defaultdict(list)
    for j, line in enumerate(came):
        same[_spelled(line)].append(j)
    twins = {i: same[_spelled(line)].pop() for i, line in enumerate(wanted) if same[_spelled(line)]}
    taken = set(twins.values())
    left = [line for i, line in enumerate(wanted) if i not in twins]
    right = [line for j, line in enumerate(came) if j not in taken]
    index = _Index(right)
    given = maximum_matching(
        [[j for j in index.near(line, EXACT) if has_fields_of(line, right[j])] for line in left]
    )
    used = set(given.values())
    missing = [line for i, line in enumerate(left) if i not in given]
    return missing, [line for j, line in enumerate(right) if j not in used]


class _Index:
    """Lines by the fields that are compared exactly, so that few have to be compared in full."""

    def __init__(self, lines: Sequence[JsonRow]) -> None:
        self._lines = lines
        self._tables: dict[tuple[str, ...], dict[str, list[int]]] = {}

    def near(self, wanted: JsonRow, names: Sequence[str]) -> Sequence[int]:
        """Return the lines that have what is wanted in these fields, as far as it has them."""
        known = tuple(name for name in names if name in wanted)
        if known not in self._tables:
            table = self._tables[known] = defaultdict(list)
            for j, line in enumerate(self._lines):
                table[_spelled({name: line.get(name) for name in known})].append(j)
        return self._tables[known].get(_spelled({name: wanted[name] for name in known}), [])


def _spelled(line: JsonRow) -> str:
    return json.dumps(dict(line), sort_keys=True)


def _likeness(wanted: JsonRow, got: JsonRow) -> int:
    return sum(name in got and agree(value, got[name]) for name, value in wanted.items())


def maximum_matching(candidates: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return, for as many as possible, the candidate that each gets; none is given twice.

    >>> greatest_matching([[7, 8], [7], [7]])
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
