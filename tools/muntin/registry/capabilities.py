"""The capabilities of each implementation, probed by calling it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import get_args, get_type_hints

from muntin.conformance.transcript.json_reader import Json, JsonNode
from muntin.conformance.transcript.windows import WINDOW_CODECS, read_window
from muntin.registry.implementations import OperatorEntry, StructureEntry
from muntin.spec.algebra.catalogue import named
from muntin.spec.algebra.monoid import FREE, Monoid, Word
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.errors import UnsupportedError
from muntin.spec.query import DEFAULTS, Mode, Query, Settings
from muntin.spec.stream import Event
from muntin.spec.structure import OutOfOrder
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import WindowType

Case = Mapping[str, str]
"""The circumstances of a probe, by name."""


@dataclass(frozen=True)
class Probe:
    """One call and its outcome; None means that it is supported."""

    what: str
    case: Case
    refusal: str | None


@dataclass(frozen=True)
class Refusal:
    """A reason, what it refuses, and the circumstances under which it does."""

    why: str
    what: tuple[str, ...]
    when: Mapping[str, tuple[str, ...]]
    cases: int


ALL, SOME, NONE = "all", "some", "none"
"""The degrees of support."""


@dataclass(frozen=True)
class Capabilities:
    """The probes of one implementation."""

    name: str
    probes: tuple[Probe, ...]

    def extent(self) -> dict[str, str]:
        """For each feature whether it is supported in all cases, some, or none."""
        by_what = dict[str, set[bool]]()
        for probe in self.probes:
            by_what.setdefault(probe.what, set()).add(probe.refusal is None)
        return {
            what: ALL if outcomes == {True} else SOME if True in outcomes else NONE
            for what, outcomes in by_what.items()
        }

    def refusals(self, *degrees: str) -> Iterator[Refusal]:
        """Yield each reason for a refusal, of the features supported in these degrees."""
        extent = self.extent()
        probes = [probe for probe in self.probes if extent[probe.what] in degrees]
        for why in filter(None, dict.fromkeys(probe.refusal for probe in probes)):
            refused = [probe for probe in probes if probe.refusal == why]
            what = tuple(dict.fromkeys(probe.what for probe in refused))
            related = [probe for probe in probes if probe.what in what]
            yield Refusal(why, what, _conditions(refused, related), len(refused))


def _conditions(refused: Sequence[Probe], related: Sequence[Probe]) -> dict[str, tuple[str, ...]]:
    """The circumstances under which all probes are refused, without the irrelevant ones."""
    names = related[0].case
    when = {name: (*dict.fromkeys(probe.case[name] for probe in refused),) for name in names}
    for name in list(when):
        rest = {other: values for other, values in when.items() if other != name}
        if all(probe.refusal is not None for probe in related if _matches(probe.case, rest)):
            when = rest
    return when


def _matches(case: Case, when: Mapping[str, tuple[str, ...]]) -> bool:
    return all(case[name] in values for name, values in when.items())


EXAMPLES: Mapping[str, Json] = {
    "size": 4,
    "slide": 2,
    "offset": 0,
    "gap": 3,
    "every": 3,
    "at": 0,
    "step": 2,
    "start": 0,
} | {"end": 9, "threshold": 2, "at_least": 1, "min_count": 1, "n": 3}
"""Values of the fields of windows; 1 is the value of any other."""


def window_types() -> dict[str, WindowType]:
    """A window of each type, and of some in another measure than usual."""
    windows = {name: _example(name) for name in WINDOW_CODECS}
    for name, measure in (("sliding", "value"), ("session", "count"), ("session", "value")):
        windows[f"{name} by {measure}"] = _example(name, measure=measure)

    def machine(state: object, _: Event) -> tuple[object, int, int]:
        return state, 0, 0

    return {**windows, "user-defined": UserWindow(machine), "user-trigger": UserTrigger(machine)}


def _example(name: str, **more: Json) -> WindowType:
    fields = {field: EXAMPLES.get(field, 1) for field in WINDOW_CODECS[name].needs}
    return read_window(JsonNode({"type": name, **fields, **more}))


def settings() -> Iterator[tuple[Case, Settings]]:
    """Yield all settings of the default dialect, and then each other decision alone."""
    hints = get_type_hints(Dialect)
    modes: tuple[Mode, ...] = get_args(Mode)
    for mode, rule, in_order in product(modes, get_args(hints["lateness"]), (False, True)):
        case = {"output": mode, "lateness": rule, "in_order": str(in_order).lower()}
        yield {**case, "dialect": "ours"}, Settings(0, mode, in_order, replace(OURS, lateness=rule))
    defaults = {"output": DEFAULTS.output, "lateness": "event", "in_order": "false"}
    others = {**{name: get_args(hint) for name, hint in hints.items()}, "closing": (0, 1, -1)}
    for name, values in others.items():
        for value in values[1:] if name != "lateness" else ():
            dialect = replace(OURS, **{name: value})
            yield {**defaults, "dialect": f"{name}={value}"}, Settings(dialect=dialect)


def survey_operator(entry: OperatorEntry) -> Capabilities:
    """Probe an operator with a query of every kind, under all settings."""
    probes = [
        Probe(what, {"aggregate": order, **case}, _refusal(partial(_add, entry, chosen, query)))
        for what, window in window_types().items()
        for order, name in (("commutative", "sum"), ("not commutative", "concat"))
        for query in [Query("probe", window, named(name))]
        for case, chosen in settings()
    ]
    return Capabilities(entry.name, tuple(probes))


def _add(entry: OperatorEntry, chosen: Settings, query: Query) -> None:
    entry.build(chosen).add(query)


def _refusal(call: Callable[[], None]) -> str | None:
    try:
        call()
    except UnsupportedError as refusal:
        return str(refusal).removeprefix("query 'probe': ")
    return None


StructureCall = Callable[[OutOfOrder[Word]], object]
CALLS: Mapping[str, StructureCall] = {
    "insert in order": lambda structure: structure.insert(40, (4,)),
    "insert out of order": lambda structure: structure.insert(15, (4,)),
    "insert at a time that is there": lambda structure: structure.insert(20, (4,)),
    "evict the oldest": lambda structure: structure.evict(10),
    "evict from the middle": lambda structure: structure.evict(20),
    "evict the youngest": lambda structure: structure.evict(30),
    "bulk_insert in order": lambda structure: structure.bulk_insert([(40, (4,)), (50, (5,))]),
    "bulk_insert out of order": lambda structure: structure.bulk_insert([(15, (4,))]),
    "bulk_evict": lambda structure: structure.bulk_evict(20),
    "query": lambda structure: structure.query(),
    "query_range": lambda structure: structure.query_range(10, 20),
}
"""Calls on a structure that has items at 10, 20 and 30."""


def survey_structure(entry: StructureEntry) -> Capabilities:
    """Probe a structure with every call, over a monoid with inverses and over one without.

    A refusal to be built over a monoid counts as a refusal of the call.
    """
    monoids = (("invertible", FREE), ("not invertible", Monoid(FREE.identity, FREE.combine)))
    probes = [
        Probe(what, {"aggregate": kind}, _refusal(partial(_call, entry, monoid, call)))
        for what, call in CALLS.items()
        for kind, monoid in monoids
    ]
    return Capabilities(entry.name, tuple(probes))


def _call(entry: StructureEntry, monoid: Monoid[Word], call: StructureCall) -> None:
    structure = entry.build(monoid)
    for time in (10, 20, 30):
        structure.insert(time, (time,))
    call(structure)
