"""Documents with one thing wrong each: where it is, and whether a schema can see it."""

from typing import NamedTuple

from muntin.conformance.transcript.json_reader import Json

Path = tuple[str | int, ...]

TRUE: Json = True


class Malformed(NamedTuple):
    where: Path  # what is replaced in a sound document
    by: Json
    complaint: str
    schema_sees_it: bool = True


def unseen(where: Path, by: Json, complaint: str) -> Malformed:
    """Return what only the parser can see."""
    return Malformed(where, by, complaint, schema_sees_it=False)


def trace() -> dict[str, Json]:
    """Return a sound trace."""
    return {
        "muntin": 1,
        "queries": [
            {"id": "a", "window": {"type": "tumbling", "size": 10}, "aggregate": "sum"},
            {"id": "b", "window": {"type": "cumulate", "size": 6, "step": 2}, "aggregate": "max"},
        ],
        "allowed_lateness": 3,
        "output": "accumulate",
        "in_order": False,
        "dialect": {"closing": 1},
        "steps": [
            {"events": [{"t": 5, "v": 1, "key": "k", "gap": 2, "punct": True}], "watermark": 9},
            {"remove": "a", "watermark": "end"},
        ],
        "expect": [{"step": 0, "query": "b", "start": 0, "end": 6, "value": 1}],
        "expect_mode": "subset",
        "late": [{"step": 1, "late": [{"t": 2}]}, {"t": 3}],
    }


def calls() -> dict[str, Json]:
    """Return sound calls of a structure."""
    return {
        "muntin": 1,
        "structure": {"aggregate": "sum"},
        "ops": [["insert", 3, 4], ["bulk_insert", [[1, 2], [3, 4]]], ["evict", 3], ["query"]],
        "expect": [[3, 2]],
    }


def put(document: Json, where: Path, by: Json) -> Json:
    """Return a document with one part replaced, or added."""
    if not where:
        return by
    first, *rest = where
    if isinstance(document, dict) and isinstance(first, str):
        return {**document, first: put(document.get(first), tuple(rest), by)}
    if isinstance(document, list) and isinstance(first, int):
        return [
            put(one, tuple(rest), by) if nth == first else one for nth, one in enumerate(document)
        ]
    raise AssertionError(where)


WINDOW: Path = ("queries", 0, "window")
EVENT: Path = ("steps", 0, "events", 0)

TRACES = [
    Malformed((), [], "the transcript must be an object, not []"),
    Malformed((), {}, 'the transcript: the field "muntin" is missing'),
    Malformed((), {"muntin": 1}, 'the transcript: the field "queries" is missing'),
    Malformed((), {"muntin": 1, "queries": []}, 'the transcript: the field "steps" is missing'),
    Malformed(("muntin",), 2, "muntin must be 1, the only version there is, not 2"),
    unseen(("muntin",), 1.0, "muntin must be an integer, not 1.0"),
    Malformed(("muntin",), TRUE, "muntin must be an integer, not true"),
    Malformed(("surprise",), 1, 'the transcript: there is no field "surprise"'),
    Malformed(("ops",), [], 'the transcript: there is no field "ops"'),
    Malformed(("queries",), {}, "queries must be a list, not {}"),
    Malformed(("queries", 0), 5, "queries[0] must be an object, not 5"),
    Malformed(("queries", 0), {"id": "a"}, 'queries[0]: the field "window" is missing'),
    Malformed(("queries", 0, "id"), 7, "queries[0].id must be a string, not 7"),
    Malformed(("queries", 0, "name"), "a", 'queries[0]: there is no field "name"'),
    unseen(("queries", 1, "id"), "a", 'queries[1].id: there is a query "a" already'),
    Malformed(("queries", 0, "aggregate"), "total", "queries[0].aggregate: 'total' is not an"),
    Malformed(("queries", 0, "aggregate"), "percentile(101)", "queries[0].aggregate: 'percentile("),
    Malformed(("queries", 0, "aggregate"), "percentile(0.9)", "queries[0].aggregate: 'percentile("),
    Malformed(("queries", 0, "aggregate"), None, "queries[0].aggregate must be a string, not null"),
    Malformed(WINDOW, {"size": 3}, 'queries[0].window: the field "type" is missing'),
    Malformed(WINDOW, {"type": "hopping"}, "queries[0].window.type must be one of tumbling, slidi"),
    Malformed(WINDOW, {"type": "tumbling"}, 'queries[0].window: the field "size" is missing'),
    Malformed((*WINDOW, "size"), 0, "queries[0].window.size must be at least 1, not 0"),
    Malformed((*WINDOW, "size"), -3, "queries[0].window.size must be at least 1, not -3"),
    Malformed((*WINDOW, "size"), 2.5, "queries[0].window.size must be an integer, not 2.5"),
    unseen((*WINDOW, "size"), 2.0, "queries[0].window.size must be an integer, not 2.0"),
    Malformed((*WINDOW, "size"), TRUE, "queries[0].window.size must be an integer, not true"),
    Malformed((*WINDOW, "size"), "10", 'queries[0].window.size must be an integer, not "10"'),
    Malformed((*WINDOW, "slide"), 2, 'queries[0].window: there is no field "slide"'),
    Malformed((*WINDOW, "offset"), None, "queries[0].window.offset must be an integer, not null"),
    Malformed((*WINDOW, "measure"), "km", "queries[0].window.measure must be one of time, count, "),
    Malformed(
        WINDOW,
        {"type": "last_n_every", "n": 2, "every": 3, "measure": "count"},
        'queries[0].window.measure must be one of time, not "count"',
    ),
    Malformed(
        WINDOW,
        {"type": "count", "size": 2, "measure": "time"},
        'queries[0].window.measure must be one of count, not "time"',
    ),
    Malformed(
        WINDOW, {"type": "delta", "threshold": "2"}, "queries[0].window.threshold must be a number"
    ),
    Malformed(
        WINDOW,
        {"type": "threshold", "at_least": 1, "min_count": 0},
        "queries[0].window.min_count must be at least 1, not 0",
    ),
    unseen(("queries", 1, "window", "step"), 4, "queries[1].window: "),
    unseen(WINDOW, {"type": "band", "start": 3, "end": 3}, "queries[0].window: "),
    Malformed(("allowed_lateness",), -1, "allowed_lateness must be at least 0, not -1"),
    Malformed(("allowed_lateness",), "3", 'allowed_lateness must be an integer, not "3"'),
    Malformed(("output",), "retract", "output must be one of accumulate-retract, accumulate, "),
    Malformed(("output",), None, "output must be one of accumulate-retract, accumulate, discard"),
    Malformed(("in_order",), 0, "in_order must be true or false, not 0"),
    Malformed(("dialect",), "flink", 'dialect must be an object, not "flink"'),
    Malformed(("dialect", "latness"), "event", 'dialect: there is no field "latness"; the fields'),
    Malformed(("dialect", "lateness"), "late", "dialect.lateness must be one of event, window, "),
    Malformed(("dialect", "closing"), 2, "dialect.closing must be 0, 1 or -1, not 2"),
    Malformed(("dialect", "closing"), TRUE, "dialect.closing must be an integer, not true"),
    Malformed(("dialect", "closing"), {"session": 3}, "dialect.closing.session must be 0, 1 or -1"),
    Malformed(("dialect", "closing"), {"sesion": 1}, 'dialect.closing: there is no field "sesion"'),
    Malformed(("steps",), None, "steps must be a list, not null"),
    Malformed(("steps", 1), [], "steps[1] must be an object, not []"),
    Malformed(("steps", 1, "event"), {"t": 1}, 'steps[1]: there is no field "event"'),
    Malformed(("steps", 1, "watermark"), 2.5, 'steps[1].watermark must be an integer or "end"'),
    Malformed(("steps", 1, "watermark"), TRUE, 'steps[1].watermark must be an integer or "end"'),
    Malformed(("steps", 1, "watermark"), "END", 'steps[1].watermark must be an integer or "end"'),
    Malformed(("steps", 1, "remove"), 3, "steps[1].remove must be a string, not 3"),
    unseen(("steps", 1, "remove"), "z", "steps[1].remove must be the id of a query"),
    unseen(("steps", 1, "remove"), ["a", "a"], "steps[1].remove[1] must be the id of a "),
    unseen(
        ("steps", 0, "add"),
        [{"id": "b", "window": {"type": "state"}, "aggregate": "sum"}],
        'steps[0].add[0].id: there is a query "b" already',
    ),
    Malformed(("steps", 0, "events"), {}, "steps[0].events must be a list, not {}"),
    Malformed(EVENT, {"v": 1}, 'steps[0].events[0]: the field "t" is missing'),
    Malformed((*EVENT, "t"), 1.5, "steps[0].events[0].t must be an integer, not 1.5"),
    unseen((*EVENT, "t"), 20.0, "steps[0].events[0].t must be an integer, not 20.0"),
    Malformed((*EVENT, "t"), TRUE, "steps[0].events[0].t must be an integer, not true"),
    Malformed((*EVENT, "t"), "NaN", 'steps[0].events[0].t must be an integer, not "NaN"'),
    Malformed((*EVENT, "t"), None, "steps[0].events[0].t must be an integer, not null"),
    Malformed((*EVENT, "key"), 1.5, "steps[0].events[0].key must be a string, an integer, null"),
    Malformed((*EVENT, "key"), [True], "steps[0].events[0].key[0] must be a string, an integer"),
    Malformed((*EVENT, "gap"), 0, "steps[0].events[0].gap must be at least 1, not 0"),
    Malformed((*EVENT, "punct"), 1, "steps[0].events[0].punct must be true or false, not 1"),
    Malformed((*EVENT, "value"), 1, 'steps[0].events[0]: there is no field "value"; the fields'),
    Malformed(("expect",), {}, "expect must be a list, not {}"),
    Malformed(("expect", 0), {}, "expect[0] must be an object with some of the fields step"),
    Malformed(("expect", 0, "op"), 1, 'expect[0]: there is no field "op"'),
    unseen(("expect", 0, "step"), 2, "expect[0].step must be the index of one of the 2"),
    Malformed(("expect", 0, "step"), -1, "expect[0].step must be the index of one of the 2 steps"),
    unseen(("expect", 0, "query"), "z", 'expect[0].query must be the id of a query ("a"'),
    Malformed(("expect", 0, "start"), "0", 'expect[0].start must be an integer, not "0"'),
    Malformed(("expect", 0, "start"), "end", 'expect[0].start must be an integer, not "end"'),
    Malformed(("expect", 0, "end"), 2.5, "expect[0].end must be an integer, not 2.5"),
    Malformed(("expect", 0, "kind"), "late", "expect[0].kind must be one of retracted, new, upd"),
    Malformed(("expect", 0, "revision"), -1, "expect[0].revision must be at least 0, not -1"),
    Malformed(("expect_mode",), "some", "expect_mode must be one of all, subset"),
    Malformed(("late",), {"t": 3}, "late must be a list"),
    unseen(("late", 0, "step"), 2, "late[0].step must be the index of one of the 2"),
    Malformed(("late", 0), {"late": []}, 'late[0]: the field "step" is missing'),
    Malformed(("late", 1), {}, 'late[1]: the field "t" is missing'),
]

CALLS = [
    Malformed(("queries",), [], 'the transcript: there is no field "queries"'),
    Malformed(("late",), [], 'the transcript: there is no field "late"'),
    Malformed(("structure",), {}, 'structure: the field "aggregate" is missing'),
    Malformed(("structure", "aggregate"), "total", "structure.aggregate: 'total' is not an"),
    Malformed(("ops",), {}, "ops must be a list, not {}"),
    Malformed(("ops", 2), "query", 'ops[2] must be a list, not "query"'),
    Malformed(("ops", 2), [], "ops[2] must be one of insert, evict, evict_oldest"),
    Malformed(("ops", 2), ["push", 1], "ops[2][0] must be one of insert, evict, evict_oldest"),
    Malformed(("ops", 2), ["insert", 1], 'ops[2] must be ["insert", time, value], not ["insert"'),
    Malformed(("ops", 2), ["query", 1], 'ops[2] must be ["query"], not ["query", 1]'),
    Malformed(("ops", 2), ["evict", 1.5], "ops[2][1] must be an integer, not 1.5"),
    Malformed(("ops", 2), ["insert", True, 1], "ops[2][1] must be an integer, not true"),
    Malformed(("ops", 2), ["bulk_insert", 1], "ops[2][1] must be a list, not 1"),
    Malformed(("ops", 2), ["bulk_insert", [[1]]], "ops[2][1][0] must be [time, value], not [1]"),
    unseen(
        ("ops", 2),
        ["bulk_insert", [[2, 1], [1, 1]]],
        "ops[2][1]: a batch must be sorted by time: 1 comes after 2",
    ),
    Malformed(("expect", 0), [3], "expect[0] must be [index of the operation, value], not [3]"),
    Malformed(("expect", 0), {"op": 3}, 'expect[0] must be a list, not {"op": 3}'),
    unseen(("expect", 0, 0), 0, "expect[0][0] must be the index of one of query, "),
    Malformed(("expect", 0, 0), "3", 'expect[0][0] must be an integer, not "3"'),
]

DOCUMENTS = [
    *((put(trace(), one.where, one.by), one) for one in TRACES),
    *((put(calls(), one.where, one.by), one) for one in CALLS),
]
