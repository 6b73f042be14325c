"""`muntin fuzz`: random traces through operators, beside the denotation."""

import json
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Sequence
from math import inf
from secrets import randbelow
from time import monotonic

from muntin.conformance.fuzz.catalogue_translation import to_catalogue_aggregates
from muntin.conformance.fuzz.fuzzer import FuzzTrial, shrunk_trial, trials
from muntin.conformance.machines.lockstep import Build, Response
from muntin.console.messages import Subparsers, say
from muntin.console.progress import ProgressBar
from muntin.registry.lookup import ALL, known, operators
from muntin.spec.errors import InvalidInputError, positive

OK, FAILED = 0, 1
ORACLE = "spec"
"""The operator that is the denotation: it is what the others are held against."""

COUNTED = ("traces", "steps", "queries", "results", "refused")

EPILOG = """\
Traces are drawn from all window types, measures, output modes, lateness rules and
dialects, with keys, and with queries that come and go; over letters, which tell
every word and bag of events, and over the aggregates of the catalogue, on
integers, fractions, pairs and texts. What an operator refuses is left out, and
it gets a plainer trace if it refuses everything. A step is one call of `take`; those
that an operator refuses, as columns refuse texts and times beyond 64 bits, are counted.

Where an operator is wrong, the trace is made as small as it gets and printed as a
transcript, and that operator gets no more; the others go on.

exit status: 0 if none was wrong, else 1

examples:
  muntin fuzz                                  a few thousand steps, a fresh seed
  muntin fuzz --steps 1000000 --seed 1         many, the same each time
  muntin fuzz --with cutty-eager --seconds 60
"""


def add_parser(commands: Subparsers) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "fuzz",
        help="hold operators against the specification on random traces",
        description="Let operators take random traces beside the denotation, and compare.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    _add_arguments(parser)
    parser.set_defaults(run=run)


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--with", dest="name", default=ALL, metavar="NAME", help="an operator, or all (default)"
    )
    parser.add_argument(
        "--steps", type=int, default=5000, help="how many, over all operators (default: 5000)"
    )
    parser.add_argument("--seconds", type=int, help="stop after so long, if steps are left")
    parser.add_argument("--seed", type=int, help="where to start (default: anywhere)")


class FuzzTally:
    """What was tried, by operator, and what went wrong."""

    def __init__(self, names: Sequence[str]) -> None:
        """Start with nothing tried."""
        self.counts = {name: Counter[str]() for name in names}
        self.wrong: list[FuzzTrial] = []

    @property
    def steps(self) -> int:
        """How many steps there were in all."""
        return sum(counts["steps"] for counts in self.counts.values())

    def note(self, trial: FuzzTrial) -> None:
        """Count a trial."""
        queries = sum(1 for _ in trial.trace.every_query())
        end = trial.outcome
        self.counts[trial.operator] += Counter(
            traces=1, steps=end.steps, queries=queries, results=end.results, refused=end.refused
        )
        if end.divergence:
            self.wrong.append(trial)

    def report(self) -> None:
        """Print how much was tried, and of what how much was wrong."""
        wrong = Counter(trial.operator for trial in self.wrong)
        say(f"{'':20}" + "".join(f"{name:>10}" for name in (*COUNTED, "wrong")))
        rows = {**self.counts, "all": sum(self.counts.values(), Counter[str]())}
        for name, counts in rows.items():
            bad = wrong[name] if name in self.counts else len(self.wrong)
            cells = [*(counts[what] for what in COUNTED), bad]
            say(f"{name:20}" + "".join(f"{cell:>10}" for cell in cells))


def run(arguments: Namespace) -> int:
    """Run the command."""
    steps = positive(arguments.steps, "the number of steps")
    seed = randbelow(2**32) if arguments.seed is None else arguments.seed
    found = {one.name: one.build for one in operators(known(arguments.name)) if one.name != ORACLE}
    if not found:
        raise InvalidInputError(f"{arguments.name} is no operator beside the denotation")
    say(f"seed {seed}")
    tally = FuzzTally(list(found))
    until = inf if arguments.seconds is None else monotonic() + arguments.seconds
    going = dict(found)
    with ProgressBar("fuzz", steps) as ticker:
        for one in trials(going, seed):
            tally.note(one)
            if one.outcome.divergence:
                del going[one.operator]
            for _ in range(one.outcome.steps):
                ticker.tick()
            if tally.steps >= steps or monotonic() >= until:
                break
    tally.report()
    for one in tally.wrong:
        _explain(shrunk_trial(one, found[one.operator]), found[one.operator])
    return FAILED if tally.wrong else OK


def _explain(trial: FuzzTrial, build: Build) -> None:
    """Print a trace on which an operator is wrong, as a transcript if there is one."""
    say(f"\nMISMATCH: {trial.operator}, trace {trial.seed}, made smaller")
    if parted := trial.outcome.divergence:
        say(f"  step {parted.turn}")
        say(f"  wanted {_said(parted.expected)}")
        say(f"  got    {_said(parted.actual)}")
    transcript = to_catalogue_aggregates(trial.trace, build)
    if transcript is None:
        say("no transcript of version 1 can tell it; the trace:")
        for line in (trial.trace.settings, *trial.trace.queries, *trial.trace.turns):
            say(f"  {line}")
    else:
        say(f"`muntin replay - --with {trial.operator} --check` shows it, given:")
        say(json.dumps(transcript))


def _said(answer: Response) -> str:
    if isinstance(answer, str):
        return answer
    return "; ".join(map(str, (*answer.results, *(f"late: {one}" for one in answer.late))))
