"""A differential run from start to end: judged, told, made small, written."""

from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from muntin.cli.command import complain, say
from muntin.cli.differential.driving import drive
from muntin.cli.differential.native_smaller import NativeBench
from muntin.cli.differential.plan import NATIVE, Plan
from muntin.cli.differential.smaller import Mismatch, operator_mismatch
from muntin.cli.differential.table import HEADER, lines, summary, text
from muntin.cli.differential.tally import Tally
from muntin.cli.progress import Ticker

if TYPE_CHECKING:
    from muntin.spark.differential.session import Session


class Run:
    """What is run, where, and what came of it."""

    def __init__(self, plan: Plan, out: Path, spark: "Session") -> None:
        """Start with nothing run."""
        self._plan, self._out, self._spark = plan, out, spark
        self._pace: list[tuple[int, float]] = []

    def run(self) -> list[Mismatch]:
        """Run all of it, print what came, and return the mismatches."""
        start = monotonic()
        with Ticker("judging rows", self._plan.rows) as ticker:

            def told(part: Tally, rows: int) -> None:
                self._pace.append((rows, part.seconds[""]))
                ticker.tick(rows)

            tally = drive(self._spark, self._plan, told)
        self._tell(tally, monotonic() - start)
        found = self._mismatches(tally)
        for one in found:
            self._explain(one)
        say("Everything agrees." if not found else f"{len(found)} implementations disagree.")
        return found

    def _tell(self, tally: Tally, seconds: float) -> None:
        say(summary(self._plan, tally, seconds))
        for line in text(HEADER, lines(self._plan, tally)):
            say(line)
        for what, why in tally.refused.items():
            say(f"{what}: {why}")

    def _mismatches(self, tally: Tally) -> list[Mismatch]:
        """Make the first wrong trace of each implementation small."""
        first = {one["name"]: one for one in reversed(tally.wrong)}
        bench = NativeBench(self._spark, self._plan, merge_at_gap=self._plan.dialect == "spark")
        if first:
            complain(f"making the traces of {', '.join(first)} small")
        return [
            bench.mismatch(one) if name == NATIVE else operator_mismatch(one)
            for name, one in first.items()
        ]

    def _explain(self, one: Mismatch) -> None:
        path = one.save(self._out)
        say(f"\nMISMATCH: {one.name}, key {one.key}, made small: {one.events} events")
        say(f"  {one.what}")
        for line in _told(one):
            say(f"  {line}")
        by = "" if one.name == NATIVE else f" --with {one.name}"
        say(f"  {path}: `muntin replay {path} --check{by}`")


def _told(one: Mismatch) -> Sequence[str]:
    """Return the steps of a transcript, a line each."""
    steps = one.transcript["steps"]
    listed = steps if isinstance(steps, list) else []
    return [f"step {nth}: {step}" for nth, step in enumerate(listed)]
