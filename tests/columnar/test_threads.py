"""Several threads answer as one does: keys are split among them."""

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from muntin.columnar import aggregate, session, sliding, tumbling
from muntin.columnar import threads as thread_module
from muntin.columnar.threads import VARIABLE, run_in_threads, split_by_key, thread_count
from muntin.columnar.windows import Windows
from muntin.spec.errors import InvalidInputError, MuntinError

WINDOWS: Mapping[str, Windows] = {
    "sliding": [sliding(40, 10), tumbling(7)],
    "sessions": [session(3), tumbling(20)],
}
AGGREGATES = {"s": ("sum", "v"), "n": "count", "l": ("last", "v"), "m": ("mean", "w")}


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Split small tables, too."""
    monkeypatch.setattr(thread_module, "LEAST_ROWS", 1)


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
    owners = [{*keys[places].tolist()} for places in shards]
    assert sum(map(len, owners)) == len(set().union(*owners))
    assert min(places.size for places in shards) > 1000
    assert split_by_key(None, 3) == split_by_key(keys, 1) == []
