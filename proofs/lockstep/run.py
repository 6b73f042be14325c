"""Random runs of structures beside their proved models, extracted from Coq: `make lockstep`.

    PYTHONPATH=proofs python -m lockstep.run [--states N] [--seed N] [--only NAME]

It prints how many states were compared, and fails at the first difference, which it shows.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from itertools import count
from random import Random
from time import perf_counter

from lockstep.comparison import Comparison, Difference
from lockstep.flatfat import flatfat_run
from lockstep.operators import compare_operators
from lockstep.queues import (
    ReadableDaba,
    ReadableDabaLite,
    ReadableFifo,
    ReadableSubtractOnEvict,
    ReadableTwoStacks,
    ReadableTwoStacksLite,
    queue_run,
)
from lockstep.rings import ring_run
from lockstep.slices import slicing_run
from lockstep.trees import fiba_run, finger_tree_run
from lockstep.words import CountedWords
from muntin.registry.model_process import ModelProcess
from muntin.spec.algebra.monoid import Monoid

Run = Callable[[Comparison, Random], None]


def _queue(build: Callable[[Monoid[int]], ReadableFifo]) -> Run:
    def run(comparison: Comparison, rng: Random) -> None:
        words = CountedWords()
        queue_run(build(words.monoid), words, comparison, rng)

    return run


RUNS: dict[str, tuple[Run, float]] = {
    "two-stacks": (_queue(ReadableTwoStacks), 0.1),
    "two-stacks-lite": (_queue(ReadableTwoStacksLite), 0.1),
    "subtract-on-evict": (_queue(ReadableSubtractOnEvict), 0.05),
    "daba": (_queue(ReadableDaba), 0.15),
    "daba-lite": (_queue(ReadableDabaLite), 0.15),
    "flatfat": (flatfat_run, 0.1),
    "reactive": (ring_run, 0.05),
    "fiba": (fiba_run, 0.25),
    "slicing": (slicing_run, 0.03),
    "fiba-items": (finger_tree_run, 0.02),
}
"""By name in main.ml: a random run, and its share of the states."""
STATES_A_STEP = 50
"""States of structures for one step of an operator, which takes longer."""


def compared_states(model: ModelProcess, name: str, states: int, seed: int) -> int:
    """Compare runs until there are as many states; raise Difference with the first that differs."""
    run, _ = RUNS[name]
    comparison = Comparison(model, name)
    for number in count():
        text = f"{seed}:{number}"
        try:
            run(comparison, Random(text))  # noqa: S311 reproducible, not secret
            comparison.compare()
        except Difference:
            run(Comparison(model, name, each_call=True), Random(text))  # noqa: S311 the same
            raise
        if comparison.states >= states:
            break
    return comparison.states


def main() -> int:
    """Run the command."""
    parser = ArgumentParser(description="Compare structures with their proved models.")
    parser.add_argument("--states", type=int, default=1_000_000, help="states over all structures")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=RUNS, help="one structure only")
    arguments = parser.parse_args()
    total = 0
    begin = perf_counter()
    for name, (_, share) in RUNS.items():
        if arguments.only in (None, name):
            with ModelProcess() as model:
                states = arguments.states * (1 if arguments.only else share)
                compared = compared_states(model, name, int(states), arguments.seed)
            total += compared
            sys.stdout.write(f"{name:20}{compared:>12,} states agree\n")
            sys.stdout.flush()
    if not arguments.only:
        tally = compare_operators(arguments.states // STATES_A_STEP, arguments.seed)
        sys.stdout.write(f"{'operators':20}{tally.steps:>12,} steps agree, ")
        sys.stdout.write(f"{tally.results:,} results of {tally.traces:,} traces\n")
    sys.stdout.write(f"{'all':20}{total:>12,} states in {perf_counter() - begin:.0f} s\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
