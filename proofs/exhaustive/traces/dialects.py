"""Settings that cover all pairs of decisions, and window types alone and in pairs.

Most faults in a dialect take two decisions, such as lateness by window where sessions close late,
or a session beside a landmark. Some twenty combinations cover all pairs. Each type is explored
alone too: beside another type, the slices that it needs may be kept for that one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import combinations, product
from typing import TypeVar, get_args

from exhaustive.profile import PROFILE
from exhaustive.traces.walk import TraceScope
from muntin.conformance.machines.random_choices import DECISIONS
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.query import DEFAULTS, Mode, Settings
from muntin.spec.windows.data_driven import LastNEvery, Rolling, Session, slide_by_tuple
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding, count, tumbling
from muntin.spec.windows.user_defined import UserWindow
from muntin.spec.windows.window import WindowType

V = TypeVar("V")


def pairwise_choices(decisions: Mapping[str, Sequence[V]]) -> list[dict[str, V]]:
    """Choices that cover every combination of two decisions: few, by a greedy search.

    >>> for choice in pairwise_choices({"a": "xy", "b": "12", "c": "pq"}):
    ...     print(*choice.values())
    x 1 p
    x 2 q
    y 1 q
    y 2 p
    """
    uncovered: dict[frozenset[tuple[str, V]], None] = dict.fromkeys(
        frozenset(zip(names, values, strict=True))
        for names in combinations(decisions, 2)
        for values in product(*(decisions[name] for name in names))
    )
    rows = list[dict[str, V]]()
    while uncovered:
        row: dict[str, V] = dict(next(iter(uncovered)))
        for name in decisions:
            if name not in row:
                gains = [
                    sum(frozenset((pair, (name, v))) in uncovered for pair in row.items())
                    for v in decisions[name]
                ]
                row[name] = decisions[name][gains.index(max(gains))]
        uncovered = dict.fromkeys(pair for pair in uncovered if not pair <= row.items())
        rows.append({name: row[name] for name in decisions})
    return rows


CHOICES = {
    **DECISIONS,
    "first_window": tuple(v for v in DECISIONS["first_window"] if v != "offset_first"),  # refused
    "closing": (0, 1, -1),
    "output": get_args(Mode),
    "allowed_lateness": (0, 1),
}


def pairwise_settings(*, in_order: bool = False) -> Iterator[Settings]:
    """Yield settings that cover every pair of decisions."""
    for choice in pairwise_choices(CHOICES):
        decisions = {field.name: choice.pop(field.name) for field in fields(Dialect)}
        yield replace(Settings(in_order=in_order, dialect=replace(OURS, **decisions)), **choice)


def _every_other_event(state: object, _: object) -> tuple[object, int, int]:
    """Begin a window with every other event, and end one with those between."""
    return not state, int(not state), int(bool(state))


WINDOWS: Mapping[str, WindowType] = {
    "session": Session(2),
    "tumbling": tumbling(2),
    "sliding": Sliding(3, 1),
    "sampling": Sliding(1, 3),
    "count": count(2),
    "sliding count": count(2, 1),
    "rolling": Rolling(2),
    "slide by tuple": slide_by_tuple(2, 2),
    "last n every": LastNEvery(2, 2),
    "landmark": Landmark(0, 2),
    "cumulate": Cumulate(4, 2),
    "band": Band(0, 2),
    "user-defined": UserWindow(_every_other_event),
}
COMPANIONS: Mapping[str, WindowType] = {
    **WINDOWS,
    "session": Session(3),
    "tumbling": tumbling(3, 1),
    "sliding": Sliding(2, 1),
    "count": count(1),
    "rolling": Rolling(1),
    "landmark": Landmark(1, 1),
    "band": Band(1, 3),
}
"""The second window of a pair: other parameters, if it is of the same type."""


def single_window_scopes(name: str) -> Iterator[TraceScope]:
    """Yield scopes of one window type, in all these settings; by night in order too."""
    for in_order in (False, True) if PROFILE == "nightly" else (False,):
        for settings in pairwise_settings(in_order=in_order):
            yield _scope(settings, WINDOWS[name])


def paired_window_scopes(name: str) -> Iterator[TraceScope]:
    """Yield scopes of a window beside each type; by night also beside one in each setting."""
    for other in COMPANIONS.values():
        yield _scope(DEFAULTS, WINDOWS[name], other)
    others, first = [*COMPANIONS.values()], [*WINDOWS].index(name)
    for index, settings in enumerate(pairwise_settings() if PROFILE == "nightly" else (), first):
        yield _scope(settings, WINDOWS[name], others[index % len(others)])


def _scope(settings: Settings, *windows: WindowType) -> TraceScope:
    return TraceScope(windows, 3, 3, settings, first=-1)
