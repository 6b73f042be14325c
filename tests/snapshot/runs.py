"""A stream, queries of every kind, and operators in the middle of the stream."""

import random
from collections.abc import Callable, Iterable

from muntin.registry.implementations import OPERATORS
from muntin.snapshot.operator_snapshots import external_references
from muntin.spec.algebra.catalogue import named
from muntin.spec.errors import UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import Event, Step
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.windows.frames import State
from muntin.spec.windows.measure import Measure
from muntin.spec.windows.periodic import Cumulate, Sliding, count, tumbling
from muntin.spec.windows.user_defined import UserWindow

BUILD: dict[str, Callable[[Settings], Operator]] = {one.name: one.build for one in OPERATORS}
LATE = Settings(allowed_lateness=7)
IN_ORDER = Settings(allowed_lateness=7, in_order=True)


def pairs_off(state: object, event: Event) -> tuple[object, int, int]:
    """Begin a window with every second event, which ends the previous window."""
    del event
    n = state if isinstance(state, int) else 0
    return n + 1, int(n % 2 == 0), int(n >= 2 and n % 2 == 0)


QUERIES = [
    Query("tens", tumbling(10), named("sum")),
    Query("median", Sliding(20, 5), named("median")),
    Query("first", Session(4), named("first")),
    Query("calm", Session(2), named("mean")),
    Query("fives", count(5, 2), named("collect")),
    Query("doubled", Sliding(8, 8, 1, Measure("doubled", lambda e: 2 * e.time)), named("max")),
    Query("growing", Cumulate(20, 5), named("distinct")),
    Query("marks", Punctuation(), named("m4")),
    Query("rolling", Rolling(9), named("var_pop")),
    Query("states", State(), named("count")),
    Query("three", LastNEvery(3, 10), named("last")),
    Query("user", UserWindow(pairs_off), named("geomean")),
]


def accepted(operator: Operator, queries: Iterable[Query] = QUERIES) -> list[str]:
    """Add the queries that an operator accepts; their names."""
    names: list[str] = []
    for query in queries:
        try:
            operator.add(query)
        except UnsupportedError:
            continue
        names.append(query.id)
    return names


def made(name: str, settings: Settings = LATE) -> Operator:
    """A new operator of this name with all queries that it accepts."""
    operator = BUILD[name](settings)
    query_ids = accepted(operator)
    return operator if query_ids else made(name, IN_ORDER)


def steps(number: int, delay: int = 6) -> list[Step]:
    """Steps of one to three events, of two keys, late by up to a delay."""
    rng = random.Random(4)  # noqa: S311 - it need not be secret
    stream_steps: list[Step] = []
    for now in range(0, 2 * number, 2):
        times = sorted(now - rng.randint(0, delay) for _ in range(rng.randint(1, 3)))
        events = (
            Event(t, rng.randint(0, 3), rng.choice([None, "k"]), None, t % 9 == 0) for t in times
        )
        stream_steps.append(Step(tuple(events), now - delay // 2))
    return stream_steps


def run(operator: Operator, stream_steps: Iterable[Step]) -> list[Output]:
    """The output of each step."""
    return [operator.take(step) for step in stream_steps]


def stream(operator: Operator, number: int) -> list[Step]:
    """Steps for an operator: in order, if it requires that."""
    return steps(number, 0 if external_references(operator)["settings"] == IN_ORDER else 6)
