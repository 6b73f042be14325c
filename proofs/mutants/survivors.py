"""Generates small faults in every module, and prints those that no killer notices: `make mutants`.

    python proofs/mutants/survivors.py [--only slices/edges] [--minutes 60] [--workers 2] [--seed 0]

The seed decides the order of the faults, so that a short run is a sample of a long one. Each fault
is planted in a copy of the code, and the killers of its module run on it, quick ones first, until
one notices it. A survivor is either a hole in the verification, to be closed by a better check, or
no fault at all: then it belongs in equivalent.toml, with the reason.
"""

import sys
import time
import tomllib
from argparse import ArgumentParser, Namespace
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from random import Random
from subprocess import TimeoutExpired
from tempfile import TemporaryDirectory

from evidence.checks import ROOT
from evidence.document import table_lines
from mutants.generated import GeneratedFault, faults
from mutants.mutant import FOLDER, Mutant, MutantError, copy_code, mutants, run_killer

EQUIVALENT = FOLDER / "equivalent.toml"
MUTATED = ("optimized/muntin/optimized", "reference/muntin/reference", "spec/muntin/spec")
OPTIMIZED = "optimized/muntin/optimized/"
STUCK_SECONDS = 180
"""CPU seconds after which a killer that is quick without the fault is stuck: noticed as well."""
PROGRESS_INTERVAL = 10

SCOTTY = (
    "traces:scotty-lazy,scotty-fiba",
    "tests:tests/scotty/test_operator.py,tests/scotty/test_branches.py",
    "tests:tests/scotty/test_counts.py,tests/scotty/test_errors.py",
    "tests:tests/complexity/test_scotty.py,tests/complexity/test_scotty_counts.py",
    "tests:tests/complexity/test_scotty_wakes.py,tests/complexity/test_scotty_tuples.py",
    "tests:tests/scotty/test_periodic_edges.py,tests/scotty/test_workload.py",
    "tests:tests/scotty/test_query_plan.py,tests/in_order/test_query_sharing.py",
    "tests:tests/scotty/test_opaque_windows.py,tests/complexity/test_scotty_ordered.py",
    "tests:tests/conformance/test_fault_injection.py",
)
IN_ORDER = (
    "traces:cutty-lazy,panes",
    "traces:cutty-eager,pairs,pairs-plus",
    "tests:tests/in_order/test_operator.py,tests/complexity/test_slicers.py",
    "tests:tests/machines/test_slices.py,tests/complexity/test_slicing_edges.py",
    "tests:tests/in_order/test_errors.py,tests/conformance/test_fault_injection.py",
)
NAIVE = (
    "traces:recompute,tuple-buffer,tuple-buckets,aggregate-buckets",
    "tests:tests/reference,tests/complexity/test_retained_state.py",
    "tests:tests/vectors",
)
TREES = (
    *("steps", "states:btree", "states:fiba", "states:coins"),
    *("tests:tests/errata/test_002.py", "tests:tests/complexity/test_fiba.py"),
)
QUEUES = (
    "tests:tests/machines/test_fifo.py",
    "tests:tests/complexity/test_fifo.py,tests/complexity/test_fifo_space.py",
)
RINGS = (
    *(
        "states:ring",
        "states:fifo ring",
        "states:flatfat",
        "tests:tests/structures/test_in_order.py",
    ),
    *("tests:tests/complexity/test_flatfat.py", "tests:tests/complexity/test_reactive.py"),
)
SPEC = ("tests:spec", "tests:tests/spec,tests/laws", "tests:tests/vectors")
KILLERS_BY_PREFIX = {
    "scotty/": SCOTTY,
    "common/": (*IN_ORDER, *SCOTTY, "tests:tests/common", "tests:tests/laws"),
    "in_order/": IN_ORDER,
    "reference/muntin/reference/": NAIVE,
    "spec/muntin/spec/": SPEC,
    "btree/": TREES,
    **dict.fromkeys(("fifo/daba", "fifo/two_stacks"), QUEUES),
    "flatfat/": RINGS,
}
"""Killers of files whose path begins so, besides those of their mutants in the toml files."""
TESTS = ("tests/complexity", "tests/structures", "tests/machines")
"""Folders that may hold a test with the name of a module."""


@dataclass(frozen=True)
class Outcome:
    """A fault in a file, and the killer that noticed it, if any."""

    file: str
    fault: GeneratedFault
    killer: str


def killers(file: str) -> list[str]:
    """The killers of a file, in the order in which they run."""
    curated = [killer for mutant in mutants() if mutant.file == file for killer in mutant.killers]
    named = [f"{folder}/test_{Path(file).stem}.py" for folder in TESTS]
    own = [f"tests:{path}" for path in named if (ROOT / path).exists()]
    shared = [
        killer
        for prefix, group in KILLERS_BY_PREFIX.items()
        if file.removeprefix(OPTIMIZED).startswith(prefix)
        for killer in group
    ]
    return list(dict.fromkeys([*curated, *shared, *own, f"tests:{file}"]))


def sampled_faults(only: str, seed: int) -> list[tuple[str, GeneratedFault]]:
    """The faults in the files whose paths contain a text, in random order."""
    paths = [path for folder in MUTATED for path in sorted((ROOT / folder).rglob("*.py"))]
    files = [str(path.relative_to(ROOT)) for path in paths]
    chosen = [file for file in files if only in file]
    every = [(file, fault) for file in chosen for fault in faults((ROOT / file).read_text())]
    equivalent = equivalent_faults()
    real = [(file, one) for file, one in every if (file, one.old, one.new) not in equivalent]
    return Random(seed).sample(real, len(real))  # noqa: S311 reproducible, not secret


def equivalent_faults() -> dict[tuple[str, str, str], str]:
    """The reason why a fault changes no behaviour, by file, line without it and line with it."""
    entries = tomllib.loads(EQUIVALENT.read_text())["equivalent"]
    return {(entry["file"], entry["old"], entry["new"]): entry["why"] for entry in entries}


def run_killers(folder: Path, file: str, fault: GeneratedFault) -> Outcome:
    """Run the killers of a file on a fault in it, until one notices it."""
    source = (ROOT / file).read_text()
    mutant = Mutant("everywhere", "", file, source, fault.source, ())
    for killer in killers(file):
        try:
            if run_killer(folder, killer, mutant, STUCK_SECONDS):
                return Outcome(file, fault, killer)
        except MutantError:
            return Outcome(file, fault, "loading")
        except TimeoutExpired:
            return Outcome(file, fault, f"{killer}, stuck")
    return Outcome(file, fault, "")


def survey(options: Namespace) -> list[Outcome]:
    """Run killers on as many faults as there is time for."""
    faults_left, begun, outcomes = (
        sampled_faults(options.only, options.seed),
        time.monotonic(),
        list[Outcome](),
    )
    report_progress_line(
        f"{len(faults_left)} faults in {len({file for file, _ in faults_left})} files"
    )
    with TemporaryDirectory() as place, ThreadPoolExecutor(options.workers) as pool:
        folders: Queue[Path] = Queue()
        for worker in range(options.workers):
            folders.put(copy_code(Path(place) / str(worker)))

        def try_fault(file: str, fault: GeneratedFault) -> Outcome | None:
            if time.monotonic() - begun > 60 * options.minutes:
                return None
            folder = folders.get()
            try:
                return run_killers(folder, file, fault)
            finally:
                folders.put(folder)

        for done in as_completed([pool.submit(try_fault, *fault) for fault in faults_left]):
            if outcome := done.result():
                outcomes.append(outcome)
                if not outcome.killer or len(outcomes) % PROGRESS_INTERVAL == 0:
                    report_progress(outcomes, len(faults_left), time.monotonic() - begun)
    return outcomes


def report_progress(outcomes: list[Outcome], total: int, seconds: float) -> None:
    """Report the progress, and the last survivor."""
    alive = sum(not outcome.killer for outcome in outcomes)
    last = outcomes[-1]
    survivor = "" if last.killer else f"; survivor: {last.file}:{last.fault.line} {last.fault.new}"
    report_progress_line(
        f"{seconds:6.0f} s  {len(outcomes)} of {total} tried, {alive} survived{survivor}"
    )


def report_progress_line(text: str) -> None:
    """Write a line to stderr."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def report(outcomes: list[Outcome]) -> str:
    """A table of files, and a table of survivors."""
    tried = Counter(outcome.file for outcome in outcomes)
    alive = [outcome for outcome in outcomes if not outcome.killer]
    survived = Counter(outcome.file for outcome in alive)
    files = [[file, str(n), str(survived[file] or "")] for file, n in sorted(tried.items())]
    total = [["all", str(len(outcomes)), str(len(alive))]]
    places = sorted(alive, key=lambda one: (one.file, one.fault.line))
    lines = [[f"{one.file}:{one.fault.line}", one.fault.old, one.fault.new] for one in places]
    tables = [*table_lines(["file", "faults", "survived"], files + total)]
    return "".join([*tables, "\n", *table_lines(["survivor", "as it is", "with the fault"], lines)])


def main(arguments: list[str]) -> int:
    """Run the command."""
    parser = ArgumentParser(
        description="Generate small faults in every module, and print the survivors."
    )
    parser.add_argument("--only", default="", help="only files whose paths contain this text")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    outcomes = survey(parser.parse_args(arguments))
    sys.stdout.write(report(outcomes))
    return int(not outcomes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
