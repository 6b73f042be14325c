"""Several threads answer as one does: keys are split among them."""

from collections import Counter
from collections.abc import Mapping
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from muntin.columnar import aggregate, session, sharded_group, sliding, tumbling
from muntin.columnar import operator as operator_module
from muntin.columnar import threads as thread_module
from muntin.columnar.operator import ColumnarOperator
from muntin.columnar.sharded_group import ShardedGroup
from muntin.columnar.threads import VARIABLE, run_in_threads, split_by_key, thread_count
from muntin.columnar.windows import Windows
from muntin.conformance.output_comparison import response_difference
from muntin.kernels.slicing.image import Sharded, image_in
from muntin.snapshot import SnapshotError, snapshot, transfer_state
from muntin.spec.algebra.catalogue import named
from muntin.spec.errors import InvalidInputError, MuntinError, UnsupportedError
from muntin.spec.query import Mode, Output, Query, Settings
from muntin.spec.stream import END
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding

WINDOWS: Mapping[str, Windows] = {
    "sliding": [sliding(40, 10), tumbling(7)],
    "sessions": [session(3), tumbling(20)],
}
AGGREGATES = {"s": ("sum", "v"), "n": "count", "l": ("last", "v"), "m": ("mean", "w")}


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Split small tables, too."""
    monkeypatch.setattr(thread_module, "LEAST_ROWS", 1)
    monkeypatch.setattr(sharded_group, "LEAST_ROWS", 1)


def table_of(seed: int, rows: int) -> dict[str, NDArray[np.generic]]:
    """A table whose times are not in order."""
    rng = np.random.default_rng(seed)
    times = np.arange(rows) // 3 + rng.integers(0, 30, rows)
    keys = rng.integers(0, 90, rows)
    texts = np.array(["a", "b", "c"])[rng.integers(0, 3, rows)]
    values = {"v": rng.integers(-(2**62), 2**62, rows), "w": rng.random(rows)}
    return {"ts": times, "k": keys, "text": texts, **values}


def lines_of(result: Mapping[str, NDArray[np.generic]]) -> Counter[tuple[object, ...]]:
    """The rows of a result, in any order."""
    return Counter(zip(*(column.tolist() for column in result.values()), strict=True))


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("windows", WINDOWS)
@pytest.mark.parametrize("keys", ["k", ["k", "text"], ()])
def test_answers_of_tables_are_those_of_one_thread(
    windows: str, keys: str | list[str], threads: int
) -> None:
    for seed in range(3):
        table = table_of(seed, 2000)
        kinds = WINDOWS[windows]
        one, many = (
            aggregate(table, windows=kinds, aggregates=AGGREGATES, keys=keys, threads=n)
            for n in (1, threads)
        )
        assert lines_of(one) == lines_of(many)
        assert sum(lines_of(one).values()) > 30


def test_the_windows_of_a_key_come_in_order() -> None:
    table = table_of(0, 2000)
    result = aggregate(table, windows=[tumbling(7)], aggregates=["count"], keys="k", threads=3)
    for key in range(90):
        ends = result["end"][result["k"] == key].tolist()
        assert ends == sorted(ends)


def test_the_environment_says_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    assert thread_count() == 1
    monkeypatch.setenv(VARIABLE, "3")
    assert [thread_count(), thread_count(2)] == [3, 2]
    for text in ("none", "0", "-1", "1.5"):
        monkeypatch.setenv(VARIABLE, text)
        with pytest.raises(InvalidInputError, match=f"{VARIABLE} must be an integer from 1"):
            thread_count()


@pytest.mark.parametrize("threads", [0, -1, 1.0, True, "2", 1000])
def test_a_number_that_is_none_is_refused(threads: object) -> None:
    with pytest.raises(InvalidInputError, match="threads must be an integer from 1 to 256"):
        thread_count(threads)


def test_the_first_error_is_raised() -> None:
    def fail(number: int) -> int:
        raise InvalidInputError(f"work {number}")

    with pytest.raises(InvalidInputError, match="work 0"):
        run_in_threads([lambda: fail(0), lambda: 1, lambda: fail(2)], 2)
    table = table_of(0, 100)
    with pytest.raises(MuntinError, match="'x'"):
        aggregate(table, windows=[tumbling(7)], aggregates=[("sum", "x")], keys="k", threads=2)


def test_each_row_is_of_one_thread() -> None:
    keys = np.random.default_rng(0).integers(0, 1000, 5000)
    shards = [find() for find in split_by_key(keys, 3)]
    assert sorted(np.concatenate(shards).tolist()) == [*range(5000)]
    owned = [np.unique(keys[places]) for places in shards]
    assert sum(one.size for one in owned) == np.unique(keys).size
    assert min(places.size for places in shards) > 1000
    assert split_by_key(None, 3) == split_by_key(keys, 1) == []


QUERIES = [
    Query("sum", Sliding(30, 10), named("sum")), Query("last", Sliding(20, 20), named("last")),
    Query("near", Session(5), named("max")), Query("median", Sliding(30, 30), named("median")),
]  # fmt: skip


def operator_of(settings: Settings, threads: int, queries: list[Query]) -> ColumnarOperator:
    """An operator on threads."""
    operator = ColumnarOperator(settings, threads=threads)
    for query in queries:
        operator.add(query)
    return operator


def shards_of(operator: ColumnarOperator) -> list[ShardedGroup]:
    """The groups whose keys are split."""
    return [one for one in operator.groups.values() if isinstance(one, ShardedGroup)]


def restored(operator: ColumnarOperator, other: ColumnarOperator) -> ColumnarOperator:
    """Another operator that goes on from a snapshot."""
    transfer_state(operator, other)
    return other


MODES: tuple[Mode, ...] = ("accumulate-retract", "accumulate", "final")


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_answers_of_streams_are_those_of_one_thread(
    seed: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With late rows, queries that come and go, keys that are forgotten, and snapshots between."""
    monkeypatch.setattr(operator_module, "LEAST_KEYS", 8)
    random, rng = Random(seed), np.random.default_rng(seed)  # noqa: S311 - nothing secret
    settings, queries = Settings(20, MODES[seed % 3]), QUERIES[: 3 + seed % 2]
    one, many = (operator_of(settings, n, queries) for n in (1, threads))
    split, renumbered = False, False
    for step in range(120):
        n, now = random.choice([0, 1, 5, 60]), 10 * step
        times = now + 25 - rng.integers(0, 90, n)
        keys = 1000 - times // 40 * 7 - rng.integers(0, 6, n)
        given = keys.astype(str) if seed > 3 else keys
        known = len(many.keys)
        answers = [each.take_columns(times, times % 17, given, now - 30) for each in (one, many)]
        renumbered |= len(many.keys) < known
        expected, output = (Output(answered.results()) for answered in answers)
        assert not response_difference(expected, output), step
        assert answers[0].late.tolist() == answers[1].late.tolist()
        split |= any(sum(map(bool, map(len, group.shards))) > 1 for group in shards_of(many))
        if step == 40:
            one.remove("last")
            many.remove("last")
            queries = [query for query in queries if query.id != "last"]
        if random.random() < 0.1:
            others = random.choice([1, threads])
            many = restored(many, operator_of(settings, others, queries))
            assert {group.threads for group in shards_of(many)} == {others}
    expected, output = (
        Output(each.take_columns([], [], [], END).results()) for each in (one, many)
    )
    assert not response_difference(expected, output)
    assert split
    assert renumbered or seed % 2  # beside records keys keep their numbers


def test_a_step_that_one_engine_refuses_changes_none() -> None:
    """An integer beyond all floats is refused where floats came; the other engine has its rows."""
    query = Query("w", Sliding(10, 10), named("sum"))
    one, many = (operator_of(Settings(), n, [query]) for n in (1, 2))
    keys = np.arange(4)
    for each in (one, many):
        each.take_columns(np.array([1, 2, 3, 4]), np.array([1.5, 2.5, 3.5, 4.5]), keys, 5)
        for huge in ([7, 10**400], [10**400, 7]):
            with pytest.raises(UnsupportedError, match="beyond all floats"):
                each.take_columns(np.array([6, 7]), huge, np.array([0, 1]), 7)
        each.take_columns(np.array([6, 7]), np.array([1, 2]), np.array([0, 1]), 7)
    expected, output = (
        Output(each.take_columns([], [], [], END).results()) for each in (one, many)
    )
    assert not response_difference(expected, output)
    assert sorted(str(result.value) for result in output.results) == ["2.5", "3.5", "4.5", "4.5"]


@pytest.mark.parametrize("owner", [[0, 2], [0, -1], [[0], [1]]])
def test_a_forged_owner_of_a_key_is_refused(owner: list[int]) -> None:
    query = Query("w", Sliding(10, 10), named("sum"))
    many = operator_of(Settings(), 2, [query])
    many.take_columns(np.array([1, 2]), np.array([1, 2]), np.arange(2), 5)
    before, fields = snapshot(many), many.state()
    image = image_in(fields)
    [(names, method, state)] = image.groups
    assert isinstance(state, Sharded)
    forged = image._replace(groups=[(names, method, state._replace(owner=np.array(owner)))])
    with pytest.raises(SnapshotError, match="owner"):
        many.resume({**fields, "image": forged})
    assert snapshot(many) == before
