"""`muntin list`: the implementations, and what each says that it supports."""

import json
from argparse import Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from textwrap import wrap

from muntin.conformance.transcript.json_values import Json
from muntin.console.messages import Subparsers, say
from muntin.registry.capabilities import (
    ALL,
    NONE,
    SOME,
    Capabilities,
    survey_operator,
    survey_structure,
)
from muntin.registry.implementations import OPERATORS, STRUCTURES

EPILOG = """\
Nothing here is written by hand. Each operator is asked a query of every window
type, with an aggregate that is commutative and one that is not, in every output
mode, under every lateness rule, in order and not, and under each other decision
of the dialect. Each structure is asked to do everything, over a monoid that has
inverses and over one that has none. They say themselves what they refuse.

With --json each refusal comes with the reason that was given, what it is given
for, and when: under these circumstances everything asked was refused.
"""

WIDTH = 98
TITLES = {ALL: "always    ", SOME: "sometimes ", NONE: "never     "}


def add_parser(commands: Subparsers) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "list",
        help="list the implementations, and what each supports",
        description="List the implementations, by the names that --with takes, and ask each what "
        "it supports.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> int:
    """Run the command."""
    surveys = {
        "operators": [survey_operator(entry) for entry in OPERATORS],
        "structures": [survey_structure(entry) for entry in STRUCTURES],
    }
    if arguments.json:
        say(json.dumps({kind: [_as_json(one) for one in found] for kind, found in surveys.items()}))
        return 0
    for kind, found in surveys.items():
        say(kind.upper())
        for one in found:
            for line in _in_words(one):
                say(f"  {line}")
        say("")
    return 0


def _as_json(survey: Capabilities) -> Json:
    return {
        "name": survey.name,
        "supports": {**survey.extent()},
        "refusals": [
            {
                "why": refusal.why,
                "what": [*refusal.what],
                "when": {name: [*values] for name, values in refusal.when.items()},
                "cases": refusal.cases,
            }
            for refusal in survey.refusals(SOME, NONE)
        ],
    }


def _in_words(survey: Capabilities) -> Iterator[str]:
    yield survey.name
    extent = survey.extent()
    if set(extent.values()) == {"all"}:
        yield "    always    everything that it was asked"
        return
    for degree in (ALL, SOME, NONE):
        what = [name for name, found in extent.items() if found == degree]
        if what:
            yield from _hanging(f"    {TITLES[degree]}", what)
    for refusal in survey.refusals(SOME):
        when = [f"{name}: {' or '.join(values)}" for name, values in refusal.when.items()]
        yield from _hanging("    not if    ", [f"{', '.join(when)}: {refusal.why}"])


def _hanging(start: str, words: Sequence[str]) -> list[str]:
    lines = wrap(", ".join(words), WIDTH - len(start), break_on_hyphens=False)
    return [(start if nth == 0 else " " * len(start)) + line for nth, line in enumerate(lines)]
