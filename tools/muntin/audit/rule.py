"""The rule of a job: the decisions of its dialect, its clock, and its slack.

From final windows alone the delay of a clock and the allowed lateness cannot be distinguished: the
slack is their sum. It is the greatest time before a row, less the slack, that makes the row late.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Literal

from muntin.conformance.transcript.json_reader import Json, JsonNode
from muntin.conformance.transcript.model import read_dialect
from muntin.conformance.transcript.replay import write_dialect
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.windows.data_driven import Session

Scope = Literal["none", "stream", "key"]
SHAPES: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "session": {"session_merge": ("lt", "le"), "session_end": ("gap", "last")},
        "tumbling": {"edges": ("left", "right", "both"), "first_window": ("all", "nonnegative")},
        "sliding": {
            "edges": ("left", "right", "both"),
            "first_window": ("all", "nonnegative", "floor_first", "offset_first"),
        },
    }
)
"""The decisions by which the windows of a type have other bounds, the most usual value first."""
TEXTS: Mapping[Scope, str] = MappingProxyType(
    {"none": "no clock: no row is late", "stream": "one clock", "key": "a clock for each key"}
)


@dataclass(frozen=True)
class Rule:
    """Which windows there are, and which rows are late for them."""

    dialect: Dialect = OURS
    scope: Scope = "none"
    slack: int = 0

    @property
    def is_session_by_window(self) -> bool:
        """Whether a row is judged by the session that it would join."""
        return self.scope != "none" and self.dialect.lateness == "window"

    def fields(self) -> dict[str, Json]:
        """The rule as an object of JSON."""
        clock: dict[str, Json] = {"scope": self.scope}
        if self.scope != "none":
            clock["slack"] = self.slack
        return {"dialect": write_dialect(self.dialect), "clock": clock}


def shapes(window: str, *, has_early: bool) -> Iterator[Dialect]:
    """The dialects of a window type, but for lateness; without early times no window is below 0."""
    choices = dict(SHAPES[window])
    if not has_early and window != Session.type_name:
        choices["first_window"] = tuple(v for v in choices["first_window"] if v != "nonnegative")
    for values in product(*choices.values()):
        known = dict(zip(choices, values, strict=True))
        yield read_dialect(JsonNode({**known}))
