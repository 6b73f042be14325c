"""A window type that becomes part of muntin: a row in the table, a codec, and a random choice.

Nothing else is edited. Every operator then serves the type as the denotation has it, or refuses it
by its name.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.window_facts import check_inputs, check_row
from muntin.columnar import ColumnarOperator, aggregate
from muntin.conformance.fuzz.trace_generator import random_trace
from muntin.conformance.machines import random_choices
from muntin.conformance.machines.lockstep import lockstep, supported_trace
from muntin.conformance.machines.random_choices import RandomSource, SeededSource
from muntin.conformance.transcript import windows
from muntin.conformance.transcript.json_reader import JsonNode, TranscriptError
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep, parse
from muntin.conformance.transcript.replay import replay, write
from muntin.conformance.transcript.windows import WindowCodec, read_window, write_window
from muntin.optimized.common.window_traits import NOTHING, TABLE, SliceEdges, WindowTraits, row
from muntin.optimized.scotty.operator import Scotty
from muntin.registry import capabilities
from muntin.registry.implementations import OPERATORS, OperatorEntry
from muntin.spark.batch.strategy import evaluation_task
from muntin.spark.streaming import processor
from muntin.spark.streaming.timers import TimerRules
from muntin.spec.algebra.catalogue import named
from muntin.spec.denotation import denote
from muntin.spec.errors import InvalidInputError, UnsupportedError, positive
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.measure import TIME, Measure, Timeline
from muntin.spec.windows.periodic import tumbling
from muntin.spec.windows.window import ContextFreeWindow, Interval, WindowType
from spark_support.micro_batches import MicroBatch, check_micro_batches
from spark_support.tables import MERGED, Row, in_batch, in_full, plan_of, rows, same, table_of

SHIFTS_A_DAY = 3


@dataclass(frozen=True)
class Shifts(ContextFreeWindow):
    """Three shifts of one length after each other, and then a break."""

    length: int
    pause: int
    measure: Measure = TIME
    type_name = "shifts"

    def __post_init__(self) -> None:
        positive(self.length, "the length of a shift")
        positive(self.pause, "the break after shifts")

    @property
    def day(self) -> int:
        return SHIFTS_A_DAY * self.length + self.pause

    def intervals(self, timeline: Timeline, /) -> Iterable[Interval]:
        for event in timeline.events:
            start = event.coordinate - event.coordinate % self.day % self.length
            if event.coordinate % self.day < self.day - self.pause:
                yield Interval(start, start + self.length)


def shifts(kind: Shifts) -> WindowTraits:
    """The row of the table."""
    length, day, work = kind.length, kind.day, SHIFTS_A_DAY * kind.length

    def next_end(after: int) -> float:
        within = (after + 1) % day
        end = -(-within // length) * length if 0 < within <= work else length
        return after + 1 - within + end + day * (within > work) if within else after + 1 + length

    def last_end(time: int) -> float | None:
        return time - time % day % length + length if time % day < work else None

    return WindowTraits(
        inputs=NOTHING,
        edges_known=True,
        is_suffix_closed=True,
        is_rank_free=True,
        lengths={"length": length, "pause": kind.pause},
        slice_edges=SliceEdges(frozenset((day, n * length) for n in range(SHIFTS_A_DAY + 1))),
        next_end=next_end,
        last_end=last_end,
        all_ended=lambda last: last + length,
    )


CODEC = WindowCodec(
    ("length", "pause"), lambda f: Shifts(f.positive("length"), f.positive("pause"), f.measure)
)
KINDS = st.builds(Shifts, st.integers(1, 8), st.integers(1, 6))


DOUBLED = Measure("doubled", lambda event: 2 * event.time)


def any_shifts(choose: RandomSource, _: int) -> Shifts:
    """The random choice."""
    measure = choose.choice((TIME, TIME, DOUBLED))
    return Shifts(choose.integer(1, 5), choose.integer(1, 5), measure)


@pytest.fixture(autouse=True, scope="module")
def _one_more_type() -> Iterable[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(TABLE, *row(Shifts, shifts))
        codecs = {**windows.WINDOW_CODECS, "shifts": CODEC}
        patch.setattr(windows, "WINDOW_CODECS", codecs)
        patch.setattr(capabilities, "WINDOW_CODECS", codecs)
        patch.setattr(random_choices, "WINDOWS", (*random_choices.WINDOWS[:1], any_shifts))
        patch.setattr(processor, "MICROS_PER_MILLI", 1)
        yield


SERVED_BY = {
    *("spec", "recompute", "tuple-buffer", "aggregate-tree", "kernels"),
    *("scotty-lazy", "scotty-eager", "scotty-fiba"),
}


@pytest.mark.parametrize("kind", [Shifts(8, 3), Shifts(1, 1), Shifts(4, 9)])
def test_the_row_is_true_of_the_type(kind: Shifts) -> None:
    check_row(kind)
    check_inputs(kind)


@pytest.mark.parametrize("entry", OPERATORS, ids=lambda entry: entry.name)
def test_every_operator_serves_it_as_the_denotation_does_or_refuses_it(
    entry: OperatorEntry,
) -> None:
    if entry.name in SERVED_BY:
        assert sum(results_of_a_random_trace(entry, seed) for seed in range(40)) > 0
    else:
        operator = entry.build(Settings(0, in_order=entry.in_order_only))
        with pytest.raises(UnsupportedError, match=r"[Ss]hifts"):
            operator.add(Query("q", Shifts(8, 2), named("sum")))


def results_of_a_random_trace(entry: OperatorEntry, seed: int) -> int:
    """Hold an operator to the denotation; the number of results where it serves the type."""
    trace = supported_trace(random_trace(SeededSource(f"{seed}")), entry.build)
    progress = lockstep(trace, entry.build)
    assert progress.divergence is None, trace
    served = any(isinstance(query.window, Shifts) for query in trace.every_query())
    return progress.results if served else 0


def test_scotty_shares_its_tuples_and_evicts_what_is_final() -> None:
    operator = Scotty(Settings())
    for name, kind in (("q", Shifts(8, 2)), ("r", Shifts(3, 5))):
        operator.add(Query(name, kind, named("sum")))
    assert len(operator.groups) == 1
    for time in range(200):
        operator.take(Step((Event(time, 1),), time))
    (group,) = operator.groups
    (key_group,) = getattr(group, "key_groups").values()  # noqa: B009 - it is of tuples
    assert len(key_group.key_state.entries) <= 8


def test_the_columnar_engine_gives_it_to_the_generic_operator() -> None:
    operator = ColumnarOperator()
    operator.add(Query("q", Shifts(8, 2), named("sum")))
    assert "generic (shifts windows have no form over columns)" in operator.explain()
    table = {"t": [1, 9, 25, 27], "v": [1, 2, 3, 4]}
    result = aggregate(table, time="t", windows=[Shifts(8, 2)], aggregates={"s": ("sum", "v")})
    columns = [result[name].tolist() for name in ("start", "end", "s")]
    assert list(zip(*columns, strict=True)) == [(0, 8, 1), (8, 16, 2), (26, 34, 4)]


@given(KINDS, rows())
def test_a_batch_on_spark(kind: WindowType, input_rows: list[Row]) -> None:
    plan = plan_of({"shifts": kind, "known": tumbling(10)}, MERGED)
    answer = in_full(plan, evaluation_task(plan)([table_of(input_rows)]))
    assert same(answer, in_batch(plan, input_rows))


TRACES = st.lists(st.tuples(rows(6), st.integers(0, 15)), min_size=1, max_size=4)


@given(KINDS, st.sampled_from([Settings(), Settings(3, "final")]), TRACES)
def test_each_micro_batch_on_spark(
    kind: WindowType, settings: Settings, trace: list[MicroBatch]
) -> None:
    later: list[MicroBatch] = [([], 30), ([], 40)]
    check_micro_batches(plan_of({"own": kind}, MERGED, settings), [*trace, *later])


def test_the_arguments_of_spark_and_its_timers_read_the_row() -> None:
    message = "the length 4611686018427387904 of window 'own' is more than result columns can hold"
    with pytest.raises(InvalidInputError, match=message):
        plan_of({"own": Shifts(2**62, 1)}, MERGED)
    rules = TimerRules((Shifts(8, 2),), Settings())
    assert [rules.next_emission(at) for at in (7, 8, 23, 24, 33)] == [8, 16, 24, 34, 34]
    assert rules.expiry(10, 0) == 19


@given(KINDS, st.lists(st.integers(-9, 40), min_size=1))
def test_transcripts_describe_and_replay_it(kind: Shifts, times: list[int]) -> None:
    assert read_window(JsonNode(write_window(kind))) == kind
    query = Query("q", kind, named("sum"))
    steps = [Step(tuple(Event(time, 1) for time in times), 20), Step((), END)]
    outputs = denote([query], steps, Settings())
    turns = tuple(TranscriptStep(step) for step in steps)
    text = json.dumps(write((query,), turns, Settings(), outputs))
    transcript = parse(text)
    assert isinstance(transcript, OperatorTranscript)
    assert transcript.queries[0].window == kind
    assert list(replay(transcript, Scotty(transcript.settings))) == list(outputs)


def test_a_transcript_says_which_field_is_wrong() -> None:
    with pytest.raises(TranscriptError, match="length"):
        read_window(JsonNode({"type": "shifts", "pause": 1}))


def test_capabilities_are_probed_with_an_example() -> None:
    assert capabilities.window_types()["shifts"] == Shifts(1, 1)
