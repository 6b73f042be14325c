"""`muntin fuzz`: operators on random traces, compared with the denotation."""

import json
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Sequence
from math import inf
from pathlib import Path
from secrets import randbelow
from time import monotonic

from muntin.conformance.fuzz.catalogue_translation import to_catalogue_aggregates
from muntin.conformance.fuzz.fuzzer import FuzzTrial, shrunk_trial, trials
from muntin.conformance.machines.lockstep import Build
from muntin.conformance.transcript.model import parse
from muntin.console.messages import say
from muntin.console.progress import ProgressBar
from muntin.drawing.trace_picture import mismatch_svg
from muntin.registry.lookup import ALL, check_name, operators
from muntin.spec.errors import InvalidInputError, positive

OK, FAILED = 0, 1
ORACLE = "spec"
"""The operator that is the denotation, with which the others are compared."""

COUNTED = ("traces", "steps", "queries", "results", "refused")

HELP = "compare operators with the specification on random traces"
DESCRIPTION = "Run operators on random traces, and compare them with the denotation."
EPILOG = """\
Traces draw on all window types, measures, output modes, lateness rules and dialects,
with keys, and with queries that are added and removed. Values are letters, which
distinguish every word and multiset of events, or integers, fractions, pairs and texts
for the aggregates of the catalogue. Queries that an operator refuses are left out, and
it gets a simpler trace if it refuses them all. A step is one call of `take`; steps that
an operator refuses, as columns refuse texts and times beyond 64 bits, are counted.

If an operator is wrong, the trace is shrunk and printed as a transcript, and the
others continue without that operator.

exit status: 0 if none was wrong, else 1

examples:
  muntin fuzz                                  a few thousand steps, a fresh seed
  muntin fuzz --steps 1000000 --seed 1         a million, the same each time
  muntin fuzz --with cutty-eager --seconds 60
  muntin fuzz --with coq                       the denotation in Coq, after `make lockstep`
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments."""
    add = parser.add_argument
    add("--with", dest="name", default=ALL, metavar="NAME", help="an operator, or all (default)")
    add("--steps", type=int, default=5000, help="steps over all operators (default: 5000)")
    add("--seconds", type=int, help="stop after this time at the latest")
    add("--seed", type=int, help="the seed of the traces (default: random)")
    add("--draw", type=Path, metavar="DIR", help="draw each shrunk trace into this folder")


class FuzzTally:
    """Counts of the trials, by operator, and the trials that went wrong."""

    def __init__(self, names: Sequence[str]) -> None:
        """Start at zero for each operator."""
        self.counts = {name: Counter[str]() for name in names}
        self.wrong: list[FuzzTrial] = []

    @property
    def steps(self) -> int:
        """The steps of all operators."""
        return sum(counts["steps"] for counts in self.counts.values())

    def add(self, trial: FuzzTrial) -> None:
        """Count a trial."""
        queries = sum(1 for _ in trial.trace.every_query())
        end = trial.outcome
        self.counts[trial.operator] += Counter(
            traces=1, steps=end.steps, queries=queries, results=end.results, refused=end.refused
        )
        if end.divergence:
            self.wrong.append(trial)

    def report(self) -> None:
        """Print the counts of each operator, and of all."""
        wrong = Counter(trial.operator for trial in self.wrong)
        say(f"{'':20}" + "".join(f"{name:>10}" for name in (*COUNTED, "wrong")))
        rows = {**self.counts, "all": sum(self.counts.values(), Counter[str]())}
        for name, counts in rows.items():
            failures = wrong[name] if name in self.counts else len(self.wrong)
            cells = [*(counts[what] for what in COUNTED), failures]
            say(f"{name:20}" + "".join(f"{cell:>10}" for cell in cells))


def run(arguments: Namespace) -> int:
    """Run the command."""
    steps = positive(arguments.steps, "the number of steps")
    seed = randbelow(2**32) if arguments.seed is None else arguments.seed
    entries = operators(check_name(arguments.name))
    builds = {entry.name: entry.build for entry in entries if entry.name != ORACLE}
    if not builds:
        raise InvalidInputError(
            f"{arguments.name} is no operator to compare with the denotation; see `muntin list`"
        )
    say(f"seed {seed}")
    tally = FuzzTally(list(builds))
    deadline = inf if arguments.seconds is None else monotonic() + arguments.seconds
    remaining = dict(builds)
    with ProgressBar("fuzz", steps) as progress:
        for trial in trials(remaining, seed):
            tally.add(trial)
            if trial.outcome.divergence:
                del remaining[trial.operator]
            progress.tick(trial.outcome.steps)
            if tally.steps >= steps or monotonic() >= deadline:
                break
    tally.report()
    for trial in tally.wrong:
        build = builds[trial.operator]
        _explain(shrunk_trial(trial, build), build, arguments.draw)
    return FAILED if tally.wrong else OK


def _explain(trial: FuzzTrial, build: Build, folder: Path | None) -> None:
    """Print a trace on which an operator is wrong, as a transcript if there is one."""
    say(f"\nMISMATCH: {trial.operator}, trace {trial.seed}, shrunk")
    if divergence := trial.outcome.divergence:
        say(f"  step {divergence.turn}, {divergence.difference}")
    transcript = to_catalogue_aggregates(trial.trace, build)
    if transcript is None:
        say("no transcript of version 1 can express it; the trace:")
        for line in (trial.trace.settings, *trial.trace.queries, *trial.trace.turns):
            say(f"  {line}")
    else:
        say(f"`muntin replay - --with {trial.operator} --check` reproduces it, given:")
        say(json.dumps(transcript))
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{trial.operator}-{trial.seed.replace(':', '-')}.svg"
            title = f"{trial.operator} against the specification"
            path.write_text(mismatch_svg(parse(json.dumps(transcript)), build, title), "utf-8")
            say(f"drawn: {path}")
