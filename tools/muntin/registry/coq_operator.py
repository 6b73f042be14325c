"""The denotation that is written in Coq, extracted and run: `muntin fuzz --with coq`.

It has windows with known edges and sessions, in time and in our dialect, with lateness, updates,
retractions and all output modes (proofs/coq/Denotation.v). The process answers which events each
result holds; the query's aggregate makes a value of them.
"""

import atexit
from collections.abc import Hashable
from functools import cache
from itertools import count
from typing import get_args
from weakref import finalize

from muntin.conformance.transcript.windows import write_window
from muntin.registry.model_process import ModelProcess
from muntin.spec.dialect import OURS
from muntin.spec.errors import InvalidInputError, UnsupportedError, integer
from muntin.spec.operator import Operator
from muntin.spec.query import ChangeKind, Output, Query, Result, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.measure import TIME

LARGEST = 2**60
"""Times beyond are refused: numbers of OCaml have 63 bits."""
KINDS: dict[str, ChangeKind] = {kind: kind for kind in get_args(ChangeKind)}
_NUMBERS = count()


@cache
def shared_process() -> ModelProcess:
    """One process for all operators, which ends with this one."""
    process = ModelProcess()
    atexit.register(process.end)
    return process


class CoqOperator(Operator):
    """An operator that the extracted denotation answers for."""

    def __init__(self, settings: Settings) -> None:
        """Start without queries; each operator has a number in the process."""
        self._process, self._settings = shared_process(), settings
        self._id, self._names, self._next = next(_NUMBERS), dict[str, int](), 0
        self._queries = dict[int, Query]()
        self._keys, self._events = list[Hashable](), list[Event]()
        lateness = check_number(settings.allowed_lateness)
        self._call("new", lateness, settings.output, int(settings.in_order))
        finalize(self, self._process.send, [self._line("drop")]).atexit = False

    def _call(self, name: str, *arguments: object) -> None:
        self._process.send([self._line(name, *arguments)])

    def _line(self, name: str, *arguments: object) -> str:
        return " ".join(map(str, ("operator", name, self._id, *arguments)))

    def add(self, query: Query) -> None:
        """Register a query that the denotation in Coq has."""
        self._check_dialect()
        if query.id in self._names:
            raise InvalidInputError(f"there is a query {query.id!r} already; remove it first")
        words = window_words(query)
        self._names[query.id], self._next = self._next, self._next + 1
        self._queries[self._names[query.id]] = query
        self._call("add", self._names[query.id], *words)

    def _check_dialect(self) -> None:
        if self._settings.dialect != OURS:
            raise UnsupportedError("the model in Coq has our dialect only")

    def remove(self, name: str) -> None:
        """Unregister a query."""
        if name not in self._names:
            raise InvalidInputError(f"there is no query {name!r} to remove")
        self._call("remove", self._names.pop(name))

    def take(self, step: Step, /) -> Output:
        """Process a step: the model forgets it if a function of the user raises."""
        events = [*self._events, *step.events]
        keys = list(dict.fromkeys([*self._keys, *(event.key for event in step.events)]))
        key_numbers = {key: number for number, key in enumerate(keys)}
        self._check_dialect()
        words = [
            word
            for number, event in enumerate(step.events, len(self._events))
            for word in (check_number(event.time), key_numbers[event.key], _gap(event), number)
        ]
        answer = self._process.reply([self._line("step", _watermark(step), *words)])
        if answer == "not in order":
            raise InvalidInputError("this stream was declared in order, and a time falls")
        results, _, late = answer.partition("|")
        lines = results.split(";") if results else []
        output = Output(
            tuple(self._result(line, keys, events) for line in lines),
            tuple(events[int(word)] for word in late.split()),
        )
        self._call("commit")
        self._keys, self._events = keys, events
        return output

    def _result(self, line: str, keys: list[Hashable], events: list[Event]) -> Result:
        name, key, start, end, revision, kind, *content = line.split()
        query = self._queries[int(name)]
        value = query.value([events[int(number)] for number in content])
        interval = int(start), int(end)
        return Result(query.id, keys[int(key)], *interval, value, KINDS[kind], int(revision))


FIELDS = {
    "sliding": ("size", "slide", "offset"),
    "landmark": ("at", "every"),
    "cumulate": ("size", "step", "offset"),
    "band": ("start", "end"),
    "session": ("gap",),
}
"""The fields of the window types that the model has, in its order."""


def window_words(query: Query) -> tuple[object, ...]:
    """A window type as the model reads it."""
    window = query.window
    if window.measure is not TIME:
        raise UnsupportedError(f"query {query.id!r}: the model in Coq measures time only")
    written = dict(write_window(window))
    name = str(written["type"])
    if name == "tumbling":
        name, written["slide"] = "sliding", written["size"]
    if name not in FIELDS:
        raise UnsupportedError(f"query {query.id!r}: the model in Coq has no {window.name} windows")
    numbers = [integer(written[field], field) for field in FIELDS[name]]
    return (name, *map(check_number, numbers))


def check_number(number: int) -> int:
    """The number, if the process can hold it."""
    if abs(number) > LARGEST:
        raise UnsupportedError(f"the model in Coq runs with numbers of 63 bits, not {number}")
    return number


def _gap(event: Event) -> object:
    return "-" if event.gap is None else check_number(event.gap)


def _watermark(step: Step) -> object:
    if step.watermark is None:
        return "none"
    return "end" if step.watermark == END else check_number(int(step.watermark))
