"""A differential run from start to end: compare, print, shrink, write the report."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from muntin.console.messages import complain, say
from muntin.console.progress import ProgressBar
from muntin.differential.inputs.sources import Source
from muntin.differential.journal import Journal
from muntin.differential.plan import DiffPlan
from muntin.differential.report import (
    compiling,
    header,
    origin,
    page,
    summary,
    table_lines,
    table_rows,
)
from muntin.differential.shrinking import Mismatch, NativeShrinker, operator_mismatch
from muntin.differential.spark.driver import run_chunks
from muntin.differential.spark.native_streams import StreamOutcome, compare_streams
from muntin.differential.tally import Tally, outcome_of
from muntin.registry.implementations import DATAFRAME_NAMES

if TYPE_CHECKING:
    from muntin.registry.dataframes.session import Session


@dataclass
class SourceOutcome:
    """The outcome of one source."""

    source: Source
    tally: Tally
    seconds: float
    pace: list[tuple[int, float]]
    """The rows of each chunk, and the seconds that they took."""
    mismatches: list[Mismatch] = field(default_factory=list[Mismatch])


class DiffRun:
    """A run of a plan on a session of Spark, with its output folder and its journal."""

    def __init__(
        self, plan: DiffPlan, out: Path, spark: "Session", journal: Path | None = None
    ) -> None:
        """Prepare the run; `run` starts it."""
        self._plan, self._out, self._spark, self._journal_path = plan, out, spark, journal
        self.streams: list[StreamOutcome] = []

    def run(self, sources: Sequence[Source], *, streaming: bool = False) -> list[SourceOutcome]:
        """Compare all sources and streams, and print and write the outcome."""
        outcomes = [self._compare(source) for source in sources]
        if streaming:
            say("\nSpark's own windows over a stream, compared with the specification:")
            for outcome in compare_streams(self._spark, self._plan):
                self.streams.append(outcome)
                say(str(outcome))
                if outcome.mismatch:
                    self._explain(outcome.mismatch)
        say(f"\n{outcome_of(outcomes, self.streams)}")
        self._out.mkdir(parents=True, exist_ok=True)
        path = self._out / "report.html"
        path.write_text(page(self._plan, outcomes, self.streams, origin()), "utf-8")
        say(f"The report: {path}")
        return outcomes

    def _compare(self, source: Source) -> SourceOutcome:
        start, pace = monotonic(), list[tuple[int, float]]()
        with ProgressBar(f"rows {source.name}", source.rows) as progress:

            def report(part: Tally) -> None:
                rows = part.counter()["rows"]
                pace.append((rows, part.seconds[""]))
                progress.tick(rows)

            progress.show()
            journal = Journal(self._journal_path, source.run) if self._journal_path else None
            tally = run_chunks(source, self._plan, report, journal)
        outcome = SourceOutcome(source, tally, monotonic() - start, pace)
        self._print(outcome)
        outcome.mismatches += self._mismatches(tally)
        for mismatch in outcome.mismatches:
            self._explain(mismatch)
        return outcome

    def _print(self, outcome: SourceOutcome) -> None:
        text = summary(self._plan, outcome.tally, outcome.seconds)
        say(f"\nRows {outcome.source.name}: {text}")
        for reason, count in outcome.source.bad.items():
            say(f"left out: {count:,} rows: {reason}")
        lines = table_lines(header(self._plan), table_rows(self._plan, outcome.tally))
        refusals = (f"{what}: {why}" for what, why in outcome.tally.refused.items())
        for line in (*lines, *compiling(outcome.tally), *refusals):
            say(line)

    def _mismatches(self, tally: Tally) -> list[Mismatch]:
        first = {trace["name"]: trace for trace in reversed(tally.wrong)}
        if first:
            complain(f"shrinking the wrong traces of {', '.join(first)}")
        dialect = self._plan.settings().dialect
        return [
            NativeShrinker(self._spark, self._plan, name, dialect).mismatch(trace)
            if name in DATAFRAME_NAMES
            else operator_mismatch(trace)
            for name, trace in first.items()
        ]

    def _explain(self, mismatch: Mismatch) -> None:
        path = mismatch.save(self._out)
        say(f"\nMISMATCH: {mismatch.name}, key {mismatch.key}, shrunk to {mismatch.events} events")
        command = f"{path}: `{mismatch.replay_command(path)}`"
        for line in (mismatch.what, *mismatch.steps(), command):
            say(f"  {line}")
