"""Dialects: the handful of decisions in which engines differ, as parameters (definition X1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args, get_type_hints

from muntin.spec.errors import InvalidInputError


@dataclass(frozen=True)
class Dialect:
    """What an engine does where engines disagree. The first value of each is ours.

    - `session_merge`: sessions merge below the gap, or at most at the gap;
    - `session_end`: last + gap, or last event + 1;
    - `closing`: how much later than its end a window is complete, for all or by window type;
    - `lateness`: judged by event, by window, or never (rule 4);
    - `late_update`: published at once, at the next watermark, or not at all;
    - `first_window`: all, none below zero, none before the first event's pane, offset or not;
    - `alignment`: by floor division, or by truncation as C and Java divide;
    - `count_order`: ranks in event order, or in order of arrival;
    - `ties`: a rolling window holds all events of its last instant, or those up to its row;
    - `rows`: events of one instant share a rolling window, or each has its own;
    - `edges`: [a, b), (a, b] or [a, b]; count windows are always the first.
    """

    session_merge: Literal["lt", "le"] = "lt"
    session_end: Literal["gap", "last"] = "gap"
    closing: int | Mapping[str, int] = 0
    lateness: Literal["event", "window", "never"] = "event"
    late_update: Literal["immediate", "next_watermark", "none"] = "immediate"
    first_window: Literal["all", "nonnegative", "floor_first", "offset_first"] = "all"
    alignment: Literal["floor", "truncate"] = "floor"
    count_order: Literal["time", "arrival"] = "time"
    ties: Literal["peers", "rows"] = "peers"
    rows: Literal["instant", "event"] = "instant"
    edges: Literal["left", "right", "both"] = "left"

    def __post_init__(self) -> None:
        closings = self.closing.values() if isinstance(self.closing, Mapping) else [self.closing]
        known = {name: get_args(hint) for name, hint in get_type_hints(Dialect).items()}
        known["closing"] = (0, 1, -1)
        given = [(name, getattr(self, name)) for name in known if name != "closing"]
        for name, value in [*given, *(("closing", closing) for closing in closings)]:
            if type(value) is bool or value not in known[name]:
                raise InvalidInputError(f"{name} must be one of {known[name]}, not {value!r}")

    def closing_of(self, window: str) -> int:
        """How much later than its end a window of this type is complete."""
        return self.closing.get(window, 0) if isinstance(self.closing, Mapping) else self.closing


OURS = Dialect()
