"""`muntin list`: the implementations, and what each supports."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from textwrap import wrap

from muntin.console.messages import say
from muntin.registry.capabilities import (
    ALL,
    NONE,
    SOME,
    Capabilities,
    survey_operator,
    survey_structure,
)
from muntin.registry.implementations import OPERATORS, STRUCTURES

HELP = "list the implementations, and what each supports"
DESCRIPTION = "List the implementations by the names that --with accepts, and what each supports."
EPILOG = """\
The list is computed. Each operator is probed with a query of every window type, with an
aggregate that is commutative and one that is not, in every output mode, under every
lateness rule, in order and not, and under each other decision of the dialect. Each
structure is probed with every call, over a monoid with inverses and over one without.

With --json each refusal has its reason, the features that it concerns, and the
conditions under which every probe of these features was refused.
"""

WIDTH = 98
TITLES = {ALL: "always    ", SOME: "sometimes ", NONE: "never     "}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(arguments: Namespace) -> int:
    """Run the command."""
    surveys = {
        "operators": [survey_operator(entry) for entry in OPERATORS],
        "structures": [survey_structure(entry) for entry in STRUCTURES],
    }
    if arguments.json:
        lists = {kind: [*map(_as_json, listed)] for kind, listed in surveys.items()}
        say(json.dumps(lists))
        return 0
    for kind, listed in surveys.items():
        say(kind.upper())
        for survey in listed:
            for line in _text_lines(survey):
                say(f"  {line}")
        say("")
    return 0


def _as_json(survey: Capabilities) -> dict[str, object]:
    refusals = [asdict(refusal) for refusal in survey.refusals(SOME, NONE)]
    return {"name": survey.name, "supports": survey.extent(), "refusals": refusals}


def _text_lines(survey: Capabilities) -> Iterator[str]:
    yield survey.name
    extent = survey.extent()
    if set(extent.values()) == {"all"}:
        yield "    always    everything"
        return
    for degree in (ALL, SOME, NONE):
        features = [name for name, support in extent.items() if support == degree]
        if features:
            yield from _hanging(f"    {TITLES[degree]}", features)
    for refusal in survey.refusals(SOME):
        when = [f"{name}: {' or '.join(values)}" for name, values in refusal.when.items()]
        yield from _hanging("    not if    ", [f"{', '.join(when)}: {refusal.why}"])


def _hanging(start: str, words: Sequence[str]) -> list[str]:
    lines = wrap(", ".join(words), WIDTH - len(start), break_on_hyphens=False)
    return [(start if index == 0 else " " * len(start)) + line for index, line in enumerate(lines)]
