"""Shrinking: a trace on which an implementation is wrong becomes a small one for `muntin replay`.

Candidates for operators run in this process. Those for implementations on DataFrames run in jobs of
Spark that hold many candidates each. A candidate stream takes Spark some seconds, so only a few are
tried.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from muntin.conformance.fuzz.fuzzer import simpler_traces
from muntin.conformance.machines.lockstep import supported_trace
from muntin.conformance.transcript.json_reader import Json
from muntin.conformance.transcript.model import OperatorTranscript, parse
from muntin.conformance.transcript.replay import replay, write
from muntin.differential.comparison import first_difference, window_difference
from muntin.differential.equality import Tolerances, WindowView, tolerances
from muntin.differential.implementation import run_trace
from muntin.differential.plan import NATIVE, SPEC, DiffPlan
from muntin.differential.spark.driver import native_view
from muntin.differential.stream_expectations import Batches, OutputMode, stream_transcript
from muntin.differential.tally import WrongTrace
from muntin.reference.specification import SpecificationOperator
from muntin.registry.lookup import operator_named, operators
from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Query
from muntin.spec.stream import END, Event

if TYPE_CHECKING:
    from muntin.registry.dataframes.session import Session
    from muntin.registry.dataframes.traces import Row

A = TypeVar("A")

MAX_NAME = 150
"""Characters of an implementation and a key in a file's name: file systems allow 255 in all."""

FindWrong = Callable[[Iterable[OperatorTranscript]], OperatorTranscript | None]
"""Finds the first of these traces on which the implementation is wrong."""


@dataclass(frozen=True)
class Mismatch:
    """A wrong implementation, and the smallest trace that shows it, with the right results."""

    name: str
    key: str
    what: str
    transcript: dict[str, Json]
    events: int

    def file_name(self) -> str:
        """A name of the implementation and the key, without what file systems refuse.

        >>> Mismatch("my.module:Op", "a/b", "", {}, 1).file_name()
        'mismatch-my.module-Op-a-b.json'
        """
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{self.name}-{self.key}")
        if len(name) > MAX_NAME:
            name = f"{name[:MAX_NAME]}-{sha256(self.key.encode()).hexdigest()[:8]}"
        return f"mismatch-{name}.json"

    def replay_command(self, path: Path) -> str:
        """The command that reproduces it, with --with if `muntin replay` knows the name."""
        option = f" --with {self.name}" if operators(self.name) else ""
        return f"muntin replay {path} --check{option}"

    def steps(self) -> list[str]:
        """The steps of the transcript, one line each."""
        steps = self.transcript["steps"]
        listed = enumerate(steps if isinstance(steps, list) else [])
        return [f"step {index}: {json.dumps(step)}" for index, step in listed]

    def save(self, folder: Path) -> Path:
        """Write the transcript into the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self.file_name()
        path.write_text(json.dumps(self.transcript, indent=1) + "\n", "utf-8")
        return path


def operator_difference(name: str, transcript: OperatorTranscript) -> str:
    """The first difference of an operator from the specification; empty if there is none."""
    reference, run = run_trace(SPEC, transcript), run_trace(name, transcript)
    return first_difference(reference, run, _tolerances(transcript))


def _tolerances(transcript: OperatorTranscript) -> Tolerances:
    return tolerances(transcript.queries, [event.value for event in _events(transcript)])


def shrink(transcript: OperatorTranscript, find_wrong: FindWrong) -> OperatorTranscript:
    """A trace that is wrong too, from which no single part can be removed."""
    alone = (replace(transcript, queries=(query,)) for query in transcript.queries)
    transcript = find_wrong(alone) or transcript
    size = len(_events(transcript))
    while size:
        smaller = find_wrong(without_runs(transcript, size))
        size, transcript = (size, smaller) if smaller else (size // 2, transcript)
    while smaller := find_wrong(simpler_traces(transcript)):
        transcript = smaller
    return transcript


def without_runs(transcript: OperatorTranscript, size: int) -> Iterator[OperatorTranscript]:
    """Yield the trace without each of its runs of `size` consecutive events."""
    for batches in without_items([turn.step.events for turn in transcript.turns], size):
        pairs = zip(transcript.turns, batches, strict=True)
        turns = (replace(turn, step=replace(turn.step, events=batch)) for turn, batch in pairs)
        yield replace(transcript, turns=tuple(turns))


def without_items(batches: Sequence[Sequence[A]], size: int) -> Iterator[tuple[tuple[A, ...], ...]]:
    """Yield the batches without each run of `size` consecutive items.

    >>> [*without_items([[1], [2, 3]], 2)]
    [((), (3,)), ((1,), (2,))]
    """
    starts = [*accumulate(map(len, batches), initial=0)]
    for first in range(0, starts[-1], size):
        cuts = [(max(first - start, 0), max(first + size - start, 0)) for start in starts]
        pairs = zip(batches, cuts, strict=False)
        yield tuple((*batch[:low], *batch[high:]) for batch, (low, high) in pairs)


def parse_wrong_trace(wrong: WrongTrace) -> OperatorTranscript:
    """The transcript of a wrong trace."""
    transcript = parse(wrong["transcript"])
    if isinstance(transcript, OperatorTranscript):
        return transcript
    raise InvalidInputError(f"the wrong trace of {wrong['name']} is no transcript of an operator")


def operator_mismatch(wrong: WrongTrace) -> Mismatch:
    """Shrink a trace on which an operator is wrong."""
    name = wrong["name"]

    def find_wrong(traces: Iterable[OperatorTranscript]) -> OperatorTranscript | None:
        return next((trace for trace in traces if operator_difference(name, trace)), None)

    trace = supported_trace(parse_wrong_trace(wrong), operator_named(name).build)
    small = shrink(trace, find_wrong)
    return mismatch_on(wrong, small, operator_difference(name, small))


def mismatch_on(wrong: WrongTrace, small: OperatorTranscript, difference: str) -> Mismatch:
    """The mismatch on a small trace, with the results of the specification."""
    outputs = list(replay(small, SpecificationOperator(small.settings)))
    document = write(small.queries, small.turns, small.settings, outputs)
    what = difference or wrong["what"]
    return Mismatch(wrong["name"], wrong["key"], what, document, len(_events(small)))


def _events(transcript: OperatorTranscript) -> list[Event]:
    return [event for turn in transcript.turns for event in turn.step.events]


JOB_TRACES = 100
"""Candidates in one job of Spark."""
OTHER_KEYS = "only beside the rows of other keys: the seed and the command reproduce it"


class NativeShrinker:
    """Shrinks traces, of one step each, for an implementation on DataFrames."""

    def __init__(self, spark: "Session", plan: DiffPlan, name: str, dialect: Dialect) -> None:
        """Prepare to run the plan's queries on the named implementation, in a dialect."""
        self._spark, self._plan, self._name, self._dialect = spark, plan, name, dialect

    def mismatch(self, wrong: WrongTrace) -> Mismatch:
        """Shrink a wrong trace."""
        small = shrink(parse_wrong_trace(wrong), self.find_wrong)
        difference = self._differences([small])[0]
        return mismatch_on(wrong, small, difference or f"{wrong['what']} ({OTHER_KEYS})")

    def find_wrong(self, traces: Iterable[OperatorTranscript]) -> OperatorTranscript | None:
        """The first of these traces, of those with one step, that is wrong."""
        batches = iter([trace for trace in traces if self._is_batch(trace)])
        while part := list(islice(batches, JOB_TRACES)):
            for trace, difference in zip(part, self._differences(part), strict=True):
                if difference:
                    return trace
        return None

    def _is_batch(self, transcript: OperatorTranscript) -> bool:
        ends = [turn.step.watermark for turn in transcript.turns]
        is_planned = transcript.settings == self._plan.settings() and bool(transcript.queries)
        return ends == [END] and is_planned

    def _differences(self, traces: Sequence[OperatorTranscript]) -> list[str]:
        queries = {query.id for query in self._supported()}
        return [
            window_difference(run_trace(SPEC, trace), view, queries, _tolerances(trace))
            for trace, view in zip(traces, self._views(traces), strict=True)
        ]

    def _supported(self) -> list[Query]:
        from muntin.registry.dataframes.engines import unsupported_reason  # noqa: PLC0415 - needs numpy

        name, dialect, queries = self._name, self._dialect, self._plan.queries()
        return [query for query in queries if not unsupported_reason(name, query, dialect)]

    def _views(self, traces: Sequence[OperatorTranscript]) -> Iterator[WindowView]:
        from muntin.registry.dataframes.engines import ENGINES  # noqa: PLC0415 - needs numpy
        from muntin.registry.dataframes.generated_rows import frame_of  # noqa: PLC0415 - as above

        numbered = [
            (number, event) for number, trace in enumerate(traces) for event in _events(trace)
        ]
        rows = [(number, event.time, event.value) for number, event in numbered]
        self._spark.conf.set("spark.sql.shuffle.partitions", "1")  # few rows, and many jobs
        listed = {query.id for trace in traces for query in trace.queries}
        queries = [query for query in self._supported() if query.id in listed]
        if not queries:
            return (WindowView() for _ in traces)
        frame = ENGINES[self._name](frame_of(self._spark, rows), queries, self._dialect)
        windows: dict[int, list[Row]] = {}
        for row in frame.collect():
            windows.setdefault(row["key"], []).append(row.asDict())
        return (native_view(windows.get(number)) for number in range(len(traces)))


MAX_STREAMS = 60
"""Candidate streams to run at most."""

StreamDifferences = Callable[[Batches], Sequence[str]]
"""The differences of what Spark emits over a stream."""


def shrink_stream(rows: Batches, differences: StreamDifferences) -> tuple[Batches, str]:
    """A stream that is wrong too, the smallest of MAX_STREAMS candidates, and its difference."""
    what, left, size = "", MAX_STREAMS, sum(map(len, rows)) // 2
    while size and left:
        fewer = ([batch for batch in stream if batch] for stream in without_items(rows, size))
        candidates = [*islice(filter(None, fewer), left)]
        wrong = ((stream, texts[0]) for stream in candidates if (texts := differences(stream)))
        smaller = next(wrong, None)
        left -= candidates.index(smaller[0]) + 1 if smaller else len(candidates)
        size, (rows, what) = (size, smaller) if smaller else (size // 2, (rows, what))
    return rows, what or differences(rows)[0]


def stream_mismatch(
    query: Query, mode: OutputMode, rows: Batches, delay: int, differences: StreamDifferences
) -> Mismatch:
    """Shrink a stream; its transcript has the results of append mode."""
    small, what = shrink_stream(rows, differences)
    wrong = {"name": f"{NATIVE} in {mode} mode", "key": query.id, "what": what}
    return mismatch_on(wrong, stream_transcript(query, small, delay), what)
