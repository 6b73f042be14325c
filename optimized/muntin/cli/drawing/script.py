"""Structure transcripts and the ways of a command, as far as drawing needs them.

Stands in for `parse`, `Call` and `perform` of muntin.conformance and for muntin.cli.command, whose
names and shapes these are: when those are there, import them instead and drop this module.
"""

import json
import sys
from argparse import ArgumentParser, HelpFormatter
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from muntin.spec.aggregate import Aggregate
from muntin.spec.catalogue import plain
from muntin.spec.errors import TranscriptError, integer
from muntin.spec.structure import OutOfOrder

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Erased = Aggregate[object, object, object]

TIMES = {
    "evict": 1,
    "bulk_evict": 1,
    "query_range": 2,
    "evict_oldest": 0,
    "query": 0,
    "size": 0,
    "oldest": 0,
    "youngest": 0,
}
"""The operations that take times only, and how many."""


class Subparsers(Protocol):
    """What argparse gives to those who add a command."""

    def add_parser(
        self,
        name: str,
        *,
        help: str,  # noqa: A002 - as argparse calls it
        description: str,
        epilog: str = "",
        formatter_class: type[HelpFormatter] = HelpFormatter,
    ) -> ArgumentParser:
        """Return the parser of a new command."""
        ...


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")


def complain(text: str) -> None:
    """Print a line for people, where it is in nobody's way."""
    sys.stderr.write(f"muntin: {text}\n")


@dataclass(frozen=True)
class Call:
    """The name of an operation, and its arguments."""

    name: str
    times: tuple[int, ...] = ()
    pairs: tuple[tuple[int, object], ...] = ()


@dataclass(frozen=True)
class StructureTranscript:
    """An aggregate, and the calls of a structure over it."""

    aggregate: Erased
    calls: tuple[Call, ...]


def parse(text: str) -> StructureTranscript | None:
    """Return the structure transcript that a document holds, or None if it is for operators.

    >>> text = '{"muntin": 1, "structure": {"aggregate": "sum"}, "ops": [["insert", 3, 4]]}'
    >>> found = parse(text)
    >>> found.calls if found else ()
    (Call(name='insert', times=(), pairs=((3, 4),)),)
    """
    try:
        document: Json = json.loads(text)
    except ValueError as cause:
        raise TranscriptError(f"this is not JSON: {cause}") from cause
    match document:
        case {"muntin": 1, "structure": {"aggregate": str(name)}, "ops": list(calls)}:
            return StructureTranscript(plain(name), tuple(map(_call, calls)))
        case {"muntin": 1, "queries": list()}:
            return None
        case _:
            raise TranscriptError("this is no transcript of version 1")


def _call(call: Json) -> Call:
    match call:
        case ["insert", int(time), value]:
            return Call("insert", pairs=((time, _value(value)),))
        case ["bulk_insert", list(pairs)]:
            return Call("bulk_insert", pairs=tuple(map(_pair, pairs)))
        case [str(name), *times] if TIMES.get(name) == len(times):
            return Call(name, tuple(integer(time, "the time") for time in times))
        case _:
            raise TranscriptError(f"no operation has the form {json.dumps(call)}")


def _pair(pair: Json) -> tuple[int, object]:
    match pair:
        case [int(time), value]:
            return time, _value(value)
        case _:
            raise TranscriptError(f"a time and a value are needed, not {json.dumps(pair)}")


def _value(value: Json) -> object:
    return tuple(map(_value, value)) if isinstance(value, list) else value


def perform(call: Call, structure: OutOfOrder[object], aggregate: Erased) -> object:
    """Make a call, and return its answer."""
    lifted = [(time, _lift(aggregate, value)) for time, value in call.pairs]
    match call.name, call.times:
        case "insert", ():
            structure.insert(*lifted[0])
        case "bulk_insert", ():
            structure.bulk_insert(lifted)
        case "evict", (time,):
            structure.evict(time)
        case "evict_oldest", () if (oldest := structure.oldest()) is not None:
            structure.evict(oldest)
        case "bulk_evict", (up_to,):
            structure.bulk_evict(up_to)
        case _:
            return _answer(call, structure, aggregate)
    return None


def _answer(call: Call, structure: OutOfOrder[object], aggregate: Erased) -> object:
    match call.name, call.times:
        case "query", ():
            return aggregate.lower(structure.query())
        case "query_range", (first, last):
            return aggregate.lower(structure.query_range(first, last))
        case "size", ():
            return len(structure)
        case "oldest", ():
            return structure.oldest()
        case "youngest", ():
            return structure.youngest()
        case _:
            return None


def _lift(aggregate: Erased, value: object) -> object:
    return aggregate.monoid.identity if value is None else aggregate.lift(value)
