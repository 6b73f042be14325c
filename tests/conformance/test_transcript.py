"""Transcripts: what is read, what is refused, what is expected, and what comes of it."""

import json
from fractions import Fraction

import pytest
from hypothesis import given

from conformance.malformed import DOCUMENTS, Malformed, calls, trace
from conformance.random_runs import RandomRun, random_runs
from muntin.conformance.transcript.expectations import Expectations, JsonRow, differences
from muntin.conformance.transcript.json_reader import Json, JsonNode, TranscriptError
from muntin.conformance.transcript.model import OperatorTranscript, StructureTranscript, parse
from muntin.conformance.transcript.replay import (
    output_rows,
    replay,
    replay_calls,
    unsupported_reason,
)
from muntin.conformance.transcript.windows import VALUE, read_window, write_window
from muntin.reference.specification import SpecificationOperator, SpecificationStructure
from muntin.spec.dialect import Dialect
from muntin.spec.errors import InvalidInputError, UnsupportedError, UserCodeError
from muntin.spec.query import Output, Settings
from muntin.spec.stream import END, Event
from muntin.spec.windows.data_driven import (
    LastNEvery,
    Punctuation,
    Rolling,
    Session,
    slide_by_tuple,
)
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.measure import COUNT, TIME, Measure
from muntin.spec.windows.periodic import (
    Band,
    Cumulate,
    Landmark,
    Sliding,
    count,
    instant_windows,
    tumbling,
)
from muntin.spec.windows.window import WindowType


def operator(document: Json) -> OperatorTranscript:
    transcript = parse(json.dumps(document))
    assert isinstance(transcript, OperatorTranscript)
    return transcript


def structure(document: Json) -> StructureTranscript:
    transcript = parse(json.dumps(document))
    assert isinstance(transcript, StructureTranscript)
    return transcript


def replayed(document: Json) -> list[JsonRow]:
    transcript = operator(document)
    outputs = replay(transcript, SpecificationOperator(transcript.settings))
    return [line for step, output in enumerate(outputs) for line in output_rows(step, output)]


def query(window: Json, name: str = "q", aggregate: str = "collect") -> Json:
    return {"id": name, "window": window, "aggregate": aggregate}


TEN: Json = {"type": "tumbling", "size": 10}


def test_what_is_left_out_has_the_defaults_of_the_specification() -> None:
    transcript = operator({"muntin": 1, "queries": [], "steps": [{}, {"events": [{"t": 3}]}]})
    assert transcript.settings == Settings()
    assert transcript.turns[1].step.events == (Event(3, None, None, None, punctuation=False),)
    assert transcript.turns[0].step.watermark is None
    assert transcript.expected == Expectations(None, None, subset=False)


def test_everything_that_is_written_is_read() -> None:
    transcript = operator(trace())
    assert transcript.settings == Settings(
        3, "accumulate", in_order=False, dialect=Dialect(closing=1)
    )
    assert [one.id for one in transcript.every_query()] == ["a", "b"]
    assert transcript.turns[0].step.events == (Event(5, 1, "k", 2, punctuation=True),)
    assert transcript.turns[0].step.watermark == 9
    assert transcript.turns[1].step.watermark == END
    assert transcript.turns[1].removed == ("a",)
    assert transcript.expected.subset
    assert transcript.expected.late == ({"step": 1, "t": 2}, {"t": 3})


WINDOWS: list[tuple[Json, WindowType]] = [
    ({"type": "tumbling", "size": 5}, tumbling(5)),
    ({"type": "tumbling", "size": 5, "offset": -2}, tumbling(5, -2)),
    ({"type": "sliding", "size": 5, "slide": 2, "offset": 1}, Sliding(5, 2, 1)),
    ({"type": "session", "gap": 9, "measure": "count"}, Session(9, COUNT)),
    ({"type": "count", "size": 3}, count(3)),
    ({"type": "count", "size": 3, "slide": 1, "measure": "count"}, count(3, 1)),
    ({"type": "rolling", "size": 3, "measure": "value"}, Rolling(3, measure=VALUE)),
    ({"type": "slide_by_tuple", "size": 3, "every": 2}, slide_by_tuple(3, 2)),
    ({"type": "punctuation"}, Punctuation()),
    ({"type": "landmark", "at": -4, "every": 2}, Landmark(-4, 2)),
    ({"type": "cumulate", "size": 6, "step": 2}, Cumulate(6, 2)),
    ({"type": "band", "start": -1, "end": 5}, Band(-1, 5)),
    ({"type": "snapshot"}, instant_windows()),
    ({"type": "delta", "threshold": 0.5}, Delta(0.5)),
    ({"type": "threshold", "at_least": 2}, Threshold(2)),
    ({"type": "threshold", "at_least": 2, "min_count": 3}, Threshold(2, 3)),
    ({"type": "state", "measure": "time"}, State()),
    ({"type": "last_n_every", "n": 2, "every": 3}, LastNEvery(2, 3)),
]


@pytest.mark.parametrize(("written", "kind"), WINDOWS, ids=[str(w) for w, _ in WINDOWS])
def test_every_window_type_is_read_and_written(written: Json, kind: WindowType) -> None:
    assert read_window(JsonNode(written)) == kind
    assert read_window(JsonNode(dict(write_window(kind)))) == kind


@pytest.mark.parametrize(
    "kind",
    [
        Punctuation(lambda event: event.time % 2 == 0),
        Session(3, Measure("time", lambda event: 2 * event.time)),
        Delta(Fraction(1, 3)),
    ],
)
def test_a_window_that_cannot_be_described_is_not_written(kind: WindowType) -> None:
    with pytest.raises(UnsupportedError, match="cannot describe"):
        write_window(kind)


@pytest.mark.parametrize(
    ("document", "what"), DOCUMENTS, ids=[what.complaint for _, what in DOCUMENTS]
)
def test_a_malformed_document_is_refused_where_it_is_wrong(document: Json, what: Malformed) -> None:
    with pytest.raises(TranscriptError) as raised:
        parse(json.dumps(document))
    assert str(raised.value).startswith(what.complaint)


def test_the_sound_documents_are_sound() -> None:
    assert replayed(trace())
    assert [
        *replay_calls(
            structure(calls()), SpecificationStructure(structure(calls()).aggregate.monoid)
        )
    ][-1] == [{"op": 3, "value": 2}]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "this is not JSON: Expecting value: line 1 column 1"),
        ('{"muntin": 1,}', "this is not JSON: "),
        ('{"muntin": 1, "muntin": 1}', 'this is not JSON: the name "muntin" occurs twice'),
        ('{"muntin": NaN}', "this is not JSON: NaN is no number in JSON"),
        ('{"muntin": 1e999}', "this is not JSON: the number 1e999 is beyond the floats"),
        ("[" * 10**5, "lists and objects are nested more than 100 deep, which is the limit"),
        (
            '{"muntin": 1' + "0" * 5000 + "}",
            "the integer 10000000000000000000... has over 4300 digits, the limit",
        ),
    ],
    ids=lambda text: text[:20],
)
def test_what_is_not_json_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(TranscriptError) as raised:
        parse(text)
    assert str(raised.value).startswith(complaint)


def test_bytes_that_are_not_utf8_are_refused() -> None:
    with pytest.raises(TranscriptError, match="this is not JSON: 'utf-8' codec"):
        parse(b"\xff")


def test_queries_change_before_events_come_and_the_watermark_is_last() -> None:
    actual = replayed(
        {
            "muntin": 1,
            "queries": [query(TEN, "old")],
            "steps": [
                {
                    "watermark": 20,
                    "events": [{"t": 5, "v": 1}],
                    "add": [query(TEN, "old", "sum"), query({"type": "snapshot"}, "new")],
                    "remove": "old",
                }
            ],
        }
    )
    assert [(line.get("query"), line.get("value")) for line in actual] == [("new", [1]), ("old", 1)]


def test_a_removed_query_can_be_added_again() -> None:
    steps: Json = [{"remove": ["q"]}, {"add": query(TEN)}]
    assert len(operator({"muntin": 1, "queries": [query(TEN)], "steps": steps}).turns) == 2


def test_lists_become_tuples_and_nulls_are_skipped() -> None:
    events: Json = [
        {"t": 1, "v": [2, [3]]},
        {"t": 2, "v": None},
        {"t": 3},
        {"t": 4, "v": {"a": []}},
    ]
    document: Json = {
        "muntin": 1,
        "queries": [query(TEN)],
        "steps": [{"events": events, "watermark": "end"}],
    }
    assert operator(document).turns[0].step.events[0].value == (2, (3,))
    assert [line["value"] for line in replayed(document)] == [[[2, [3]], {"a": []}]]


def test_an_error_says_at_which_step_it_is() -> None:
    document: Json = {
        "muntin": 1,
        "queries": [query({"type": "session", "gap": 2, "measure": "value"})],
        "steps": [{}, {"events": [{"t": 1, "v": 5}, {"t": 2, "v": 3}]}],
    }
    with pytest.raises(InvalidInputError, match=r"^steps\[1\]: .*'value' falls from 5 to 3"):
        replayed(document)


def test_a_value_that_an_aggregate_does_not_take_names_query_and_event() -> None:
    document: Json = {
        "muntin": 1,
        "queries": [query(TEN, "total", "sum")],
        "steps": [{"events": [{"t": 1, "v": "much"}], "watermark": 10}],
    }
    with pytest.raises(
        (InvalidInputError, UserCodeError), match=r"steps\[0\]: query 'total'.*much"
    ):
        replayed(document)


def test_every_query_is_tried_before_a_replay() -> None:
    class Picky(SpecificationOperator):
        def add(self, query: object) -> None:
            del query
            raise UnsupportedError("not me")

    steps: Json = [{}, {"add": query(TEN, "later")}]
    transcript = operator({"muntin": 1, "queries": [], "steps": steps})
    assert unsupported_reason(transcript, Picky) == "query 'later': not me"
    assert unsupported_reason(transcript, SpecificationOperator) is None


@given(random_runs())
def test_a_run_that_is_written_and_read_is_the_same_run(run: RandomRun) -> None:
    transcript, expected = operator(dict(run.written())), run.denoted()
    assert tuple(transcript.queries) == transcript.queries
    assert [one.window for one in transcript.queries] == [one.window for one in run.queries]
    assert [turn.step for turn in transcript.turns] == [turn.step for turn in run.turns]
    got = outcome(transcript)
    if isinstance(got, str):
        assert isinstance(expected, str)
        assert got.endswith(expected)
    else:
        assert got == expected
        actual = [line for step, output in enumerate(got) for line in output_rows(step, output)]
        assert differences(transcript.expected, actual) == []


def outcome(transcript: OperatorTranscript) -> list[Output] | str:
    try:
        return list(replay(transcript, SpecificationOperator(transcript.settings)))
    except InvalidInputError as error:
        return str(error)


def test_calls_lift_and_lower() -> None:
    transcript = structure(
        {
            "muntin": 1,
            "structure": {"aggregate": "mean"},
            "ops": [["insert", 1, 3], ["insert", 2, None], ["insert", 1, 6], ["query"], ["size"]],
        }
    )
    answers = [*replay_calls(transcript, SpecificationStructure(transcript.aggregate.monoid))]
    assert answers[3:] == [[{"op": 3, "value": 4.5}], [{"op": 4, "value": 2}]]


def test_to_evict_the_oldest_of_nothing_changes_nothing() -> None:
    document: Json = {
        "muntin": 1,
        "structure": {"aggregate": "collect"},
        "ops": [["evict_oldest"], ["insert", 1, 3], ["insert", 5, 4], ["evict_oldest"], ["query"]],
    }
    transcript = structure(document)
    answers = [*replay_calls(transcript, SpecificationStructure(transcript.aggregate.monoid))]
    assert answers == [[], [], [], [], [{"op": 4, "value": [4]}]]


def test_an_error_says_at_which_call_it_is() -> None:
    transcript = structure(
        {"muntin": 1, "structure": {"aggregate": "sum"}, "ops": [["size"], ["insert", 1, "x"]]}
    )
    with pytest.raises((InvalidInputError, UserCodeError), match=r"^ops\[1\]: .*x"):
        list(replay_calls(transcript, SpecificationStructure(transcript.aggregate.monoid)))


def test_time_is_the_default_measure() -> None:
    assert read_window(JsonNode(TEN)).measure is TIME
