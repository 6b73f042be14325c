"""What each implementation supports, found out by asking it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from types import MappingProxyType
from typing import ParamSpec, get_args, get_type_hints

from muntin.conformance.transcript.json_reader import JsonNode
from muntin.conformance.transcript.json_values import Json
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

P = ParamSpec("P")

Case = Mapping[str, str]
"""The circumstances of a question, by name."""


@dataclass(frozen=True)
class Probe:
    """What an implementation said to one question; no refusal is a yes."""

    what: str
    case: Case
    refusal: str | None


@dataclass(frozen=True)
class Refusal:
    """A reason, what it is given for, and the circumstances that it is confined to."""

    why: str
    what: tuple[str, ...]
    when: Mapping[str, tuple[str, ...]]
    cases: int


ALL, SOME, NONE = "all", "some", "none"
"""The degrees of support."""


@dataclass(frozen=True)
class Capabilities:
    """All that one implementation was asked."""

    name: str
    answers: tuple[Probe, ...]

    def extent(self) -> dict[str, str]:
        """Return for each thing whether it is supported in all cases, some, or none."""
        by_what: dict[str, set[bool]] = {}
        for answer in self.answers:
            by_what.setdefault(answer.what, set()).add(answer.refusal is None)
        return {
            what: ALL if said == {True} else SOME if True in said else NONE
            for what, said in by_what.items()
        }

    def refusals(self, *degrees: str) -> Iterator[Refusal]:
        """Yield each reason that was given, about the things supported in these degrees."""
        extent = self.extent()
        about = [answer for answer in self.answers if extent[answer.what] in degrees]
        by_reason: dict[str, list[Probe]] = {}
        for answer in about:
            if answer.refusal is not None:
                by_reason.setdefault(answer.refusal, []).append(answer)
        for why, given in by_reason.items():
            what = tuple(dict.fromkeys(answer.what for answer in given))
            asked = [answer for answer in about if answer.what in what]
            yield Refusal(why, what, _confined(given, asked), len(given))


def _confined(given: Sequence[Probe], asked: Sequence[Probe]) -> dict[str, tuple[str, ...]]:
    """Return the circumstances under which all is refused, and no more of them than it takes."""
    when = {name: tuple(dict.fromkeys(a.case[name] for a in given)) for name in asked[0].case}
    for name in list(when):
        rest = {other: values for other, values in when.items() if other != name}
        if all(answer.refusal is not None for answer in asked if _within(answer.case, rest)):
            when = rest
    return when


def _within(case: Case, when: Mapping[str, tuple[str, ...]]) -> bool:
    return all(case[name] in values for name, values in when.items())


EXAMPLES: Mapping[str, Json] = MappingProxyType(
    {"size": 4, "slide": 2, "offset": 0, "gap": 3, "every": 3, "at": 0, "step": 2, "start": 0}
    | {"end": 9, "threshold": 2, "at_least": 1, "min_count": 1, "n": 3}
)
"""A value for every field of a window."""


def window_types() -> dict[str, WindowType]:
    """Return a window of each type, and of some in another measure than usual."""
    found = {name: _example(name) for name in WINDOW_CODECS}
    for name, measure in (("sliding", "value"), ("session", "count"), ("session", "value")):
        found[f"{name} by {measure}"] = _example(name, measure=measure)

    def machine(state: object, _: Event) -> tuple[object, int, int]:
        return state, 0, 0

    return {**found, "user-defined": UserWindow(machine), "user-trigger": UserTrigger(machine)}


def _example(name: str, **more: Json) -> WindowType:
    fields = {field: EXAMPLES[field] for field in WINDOW_CODECS[name].needs}
    return read_window(JsonNode({"type": name, **fields, **more}))


def settings() -> Iterator[tuple[Case, Settings]]:
    """Yield all settings of the default dialect, and then each other decision alone."""
    hints = get_type_hints(Dialect)
    modes: tuple[Mode, ...] = get_args(Mode)
    for mode, rule, in_order in product(modes, get_args(hints["lateness"]), (False, True)):
        case = {
            "output": mode,
            "lateness": rule,
            "in_order": str(in_order).lower(),
            "dialect": "ours",
        }
        yield case, Settings(0, mode, in_order, replace(OURS, lateness=rule))
    usual = {"output": DEFAULTS.output, "lateness": "event", "in_order": "false"}
    others = {**{name: get_args(hint) for name, hint in hints.items()}, "closing": (0, 1, -1)}
    for name, values in others.items():
        for value in values[1:] if name != "lateness" else ():
            dialect = replace(OURS, **{name: value})
            yield {**usual, "dialect": f"{name}={value}"}, Settings(dialect=dialect)


def survey_operator(entry: OperatorEntry) -> Capabilities:
    """Ask an operator a query of every kind, under all settings."""
    answers = [
        Probe(what, {"aggregate": order, **case}, _refusal(_add, entry, chosen, query))
        for what, window in window_types().items()
        for order, name in (("commutative", "sum"), ("not commutative", "concat"))
        for query in [Query("probe", window, named(name))]
        for case, chosen in settings()
    ]
    return Capabilities(entry.name, tuple(answers))


def _add(entry: OperatorEntry, chosen: Settings, query: Query) -> None:
    entry.build(chosen).add(query)


def _refusal(ask: Callable[P, None], *args: P.args, **more: P.kwargs) -> str | None:
    try:
        ask(*args, **more)
    except UnsupportedError as refusal:
        return str(refusal)
    return None


CALLS: Mapping[str, Callable[[OutOfOrder[Word]], object]] = MappingProxyType(
    {
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
)
"""What a structure that holds something at 10, 20 and 30 is asked to do."""


def survey_structure(entry: StructureEntry) -> Capabilities:
    """Ask a structure to do everything, over a monoid that has inverses and over one that has none.

    What it refuses to be built over, it refuses to do.
    """
    monoids = (("invertible", FREE), ("not invertible", Monoid(FREE.identity, FREE.combine)))
    answers = [
        Probe(what, {"aggregate": kind}, _refusal(_call, entry, monoid, call))
        for what, call in CALLS.items()
        for kind, monoid in monoids
    ]
    return Capabilities(entry.name, tuple(answers))


def _call(
    entry: StructureEntry, monoid: Monoid[Word], call: Callable[[OutOfOrder[Word]], object]
) -> None:
    structure = entry.build(monoid)
    for time in (10, 20, 30):
        structure.insert(time, (time,))
    call(structure)
