"""A differential run from start to end: judged, told, made small, written."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from muntin.console.messages import complain, say
from muntin.console.progress import ProgressBar
from muntin.differential.inputs.sources import Source
from muntin.differential.journal import Journal
from muntin.differential.native_smaller import NativeShrinker
from muntin.differential.plan import DiffPlan
from muntin.differential.report.page import write
from muntin.differential.report.table import header, lines, summary, text
from muntin.differential.shrinking import Mismatch, operator_mismatch
from muntin.differential.spark.driver import run_chunks
from muntin.differential.streaming import StreamOutcome, judged
from muntin.differential.tally import Tally
from muntin.differential.verdict import verdict
from muntin.registry.dataframes.names import WHOLES

if TYPE_CHECKING:
    from muntin.registry.dataframes.session import Session


@dataclass
class SourceOutcome:
    """What came of one source."""

    source: Source
    tally: Tally
    seconds: float
    pace: list[tuple[int, float]]
    """The rows of each chunk, and how long they took."""
    mismatches: list[Mismatch] = field(default_factory=list[Mismatch])


class DiffRun:
    """What is run, where, and what came of it."""

    def __init__(
        self, plan: DiffPlan, out: Path, spark: "Session", journal: Path | None = None
    ) -> None:
        """Start with nothing run."""
        self._notes = journal
        self._plan, self._out, self._spark = plan, out, spark
        self.streams: list[StreamOutcome] = []

    def run(self, sources: Sequence[Source], *, streaming: bool = False) -> list[SourceOutcome]:
        """Run all of it, print what came, and return it."""
        found = [self._run(source) for source in sources]
        if streaming:
            say("\nSpark's own windows over a stream, beside the specification:")
            for one in judged(self._spark, self._plan):
                self.streams.append(one)
                say(str(one))
                if one.mismatch:
                    self._explain(one.mismatch)
        say(f"\n{verdict(found, self.streams)}")
        say(f"The report: {write(self._out, self._plan, found, self.streams)}")
        return found

    def _run(self, source: Source) -> SourceOutcome:
        start, pace = monotonic(), list[tuple[int, float]]()
        with ProgressBar(f"rows {source.name}", source.rows) as ticker:

            def told(part: Tally) -> None:
                pace.append((part.of()["rows"], part.seconds[""]))
                ticker.tick(part.of()["rows"])

            ticker.show()
            tally = run_chunks(source, self._plan, told, self._journal(source))
        found = SourceOutcome(source, tally, monotonic() - start, pace)
        self._tell(found)
        found.mismatches += self._mismatches(tally)
        for one in found.mismatches:
            self._explain(one)
        return found

    def _journal(self, source: Source) -> Journal | None:
        return Journal(self._notes, source.run) if self._notes else None

    def _tell(self, found: SourceOutcome) -> None:
        say(f"\nRows {found.source.name}: {summary(self._plan, found.tally, found.seconds)}")
        for what, count in found.source.bad.items():
            say(f"left out: {count:,} rows: {what}")
        for line in text(header(self._plan), lines(self._plan, found.tally)):
            say(line)
        for what, why in found.tally.refused.items():
            say(f"{what}: {why}")

    def _mismatches(self, tally: Tally) -> list[Mismatch]:
        """Make the first wrong trace of each implementation small."""
        first = {one["name"]: one for one in reversed(tally.wrong)}
        if first:
            complain(f"making the traces of {', '.join(first)} small")
        return [
            self._bench(name).mismatch(one) if name in WHOLES else operator_mismatch(one)
            for name, one in first.items()
        ]

    def _bench(self, name: str) -> NativeShrinker:
        return NativeShrinker(self._spark, self._plan, name, self._plan.settings().dialect)

    def _explain(self, one: Mismatch) -> None:
        path = one.save(self._out)
        say(f"\nMISMATCH: {one.name}, key {one.key}, made small: {one.events} events")
        say(f"  {one.what}")
        for line in one.steps():
            say(f"  {line}")
        say(f"  {path}: `{one.again(path)}`")
