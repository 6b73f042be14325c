"""Keys of the columnar engine are released when nothing names them, and memory with them."""

from random import Random

import numpy as np
import pytest

from muntin.columnar import operator as operator_module
from muntin.columnar.engine import directory as d
from muntin.columnar.engine import engine as engine_module
from muntin.columnar.engine import release
from muntin.columnar.engine.engine import ColumnarEngine
from muntin.columnar.engine_group import EngineGroup
from muntin.columnar.operator import ColumnarOperator
from muntin.conformance.output_comparison import response_difference
from muntin.kernels.compiler.availability import COMPILED
from muntin.kernels.slicing.answered import Answered
from muntin.kernels.slicing.arrays import Ints
from muntin.optimized.scotty.operator import Scotty
from muntin.snapshot import transfer_state
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Mode, Output, Query, Result, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding, tumbling
from support.session_invariants import check_sessions

MODES: tuple[Mode, ...] = ("accumulate-retract", "accumulate", "final")


def engines_of(operator: ColumnarOperator) -> list[ColumnarEngine]:
    """The engines of an operator."""
    groups = operator.groups.values()
    return [one.engine for one in groups if isinstance(one, EngineGroup) and one.engine]


def state_bytes(operator: ColumnarOperator) -> int:
    """The bytes of the arrays of all engines."""
    arrays = [array for engine in engines_of(operator) for array in engine.directory.arrays]
    return sum(array.nbytes for array in {id(array): array for array in arrays}.values())


def numbered_keys(operator: ColumnarOperator) -> int:
    """How many keys have numbers."""
    numbered = len(operator.keys)
    return max(numbered, *(int(engine.scalars[d.KEY_COUNT]) for engine in engines_of(operator)))


def restored(
    operator: ColumnarOperator, settings: Settings, queries: list[Query]
) -> ColumnarOperator:
    """An operator that goes on from a snapshot of another one."""
    other = ColumnarOperator(settings, method="compiled")
    for query in queries:
        other.add(query)
    transfer_state(operator, other)
    return other


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let keys go, and give memory back, after few events."""
    for module in (release, operator_module):
        monkeypatch.setattr(module, "LEAST_KEYS", 8)
    for module in (release, engine_module):
        monkeypatch.setattr(module, "LEAST_WORK", 40)
    monkeypatch.setattr(release, "LEAST_ROOM", 64)


QUERIES = [
    Query("sum", Sliding(30, 10), named("sum")), Query("last", tumbling(20), named("last")),
    Query("near", Session(5), named("max")), Query("far", Session(50), named("sum")),
]  # fmt: skip


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("path", ["fast", "numbered", "mixed"])
def test_answers_stay_those_of_the_reference(path: str, seed: int, mode: Mode) -> None:
    random, rng = Random(seed), np.random.default_rng(seed)  # noqa: S311 nothing secret
    settings = Settings(30, mode)
    scotty, columnar = Scotty(settings), ColumnarOperator(settings, method="compiled")
    queries = QUERIES[: 2 + 2 * (seed % 2)] if seed else QUERIES[2:]
    for query in queries:
        scotty.add(query)
        columnar.add(query)
    renumbered, earlier = 0, list[tuple[tuple[Result, ...], Answered]]()
    for step in range(300):
        if step == 5 and path == "numbered":  # two groups share numbers
            queries.append(Query("another", Sliding(40, 20), named("max")))
            for one in (scotty, columnar):
                one.add(queries[-1])
        n, now = random.choice([0, 1, 5, 30]), 10 * step
        times = now + 25 - rng.integers(0, 90, n)  # some are late
        keys = 1000 - times // 40 * 7 - rng.integers(0, 6, n)
        values = rng.integers(0, 100, n)
        rows = zip(times.tolist(), values.tolist(), keys.tolist(), strict=True)
        expected = scotty.take(Step(tuple(Event(*row) for row in rows), now - 30)).results
        given = keys.astype(np.int32) if path == "mixed" and random.random() < 0.3 else keys
        answered = columnar.take_columns(times, values, given, now - 30)
        if random.random() < 0.3:
            assert not response_difference(Output(expected), Output(answered.results())), step
        else:
            earlier.append((expected, answered))
        for engine in engines_of(columnar):
            check_sessions(engine)
        renumbered = max([renumbered, *(one.numberings for one in engines_of(columnar))])
        if random.random() < 0.04:
            columnar = restored(columnar, settings, queries)
    for expected, answered in earlier:  # read when keys have other numbers
        assert not response_difference(Output(expected), Output(answered.results()))
    expected = scotty.take(Step((), END)).results
    results = columnar.take_columns([], [], None, END).results()
    assert not response_difference(Output(expected), Output(results))
    assert renumbered > 0
    assert numbered_keys(columnar) < 200


def operator_of(queries: int) -> ColumnarOperator:
    """An operator of windows, of which the last is a session."""
    operator = ColumnarOperator(Settings(50), method="compiled")
    kinds = (Sliding(200, 100), Session(40))
    for kind in kinds[:queries]:
        operator.add(Query(str(kind), kind, named("sum")))
    return operator


def spread(numbers: Ints) -> Ints:
    """Keys far apart, each for one number."""
    keys: Ints = numbers * 7919
    return keys


@pytest.mark.parametrize("queries", [1, 2])
@pytest.mark.parametrize("path", ["fast", "numbered"])
def test_the_state_is_bounded_by_the_keys_that_live(path: str, queries: int) -> None:
    """Of three million keys (fewer, where they are numbered outside) few live at a time.

    Uncompiled batches have a fifth of them.
    """
    batch = 10_000 if COMPILED else 2_000
    keys = batch * (300 if COMPILED and path == "fast" else 40)
    operator, most, total, answers = operator_of(queries), 0, 0, 0
    kept: list[tuple[Answered, int]] = []
    for begin in range(0, keys, batch):
        numbers = np.arange(begin, begin + batch)
        times = numbers * 500 // batch  # 500 units of time a batch
        given = spread(numbers)
        answered = operator.take_columns(times, numbers % 7, given, int(times[-1]) - 50)
        if path == "numbered" and begin == 0:
            operator.add(Query("another", tumbling(100), named("sum")))
        lines = answered.of(str(Sliding(200, 100)))
        if lines is not None:
            total += int(lines.value.columns[0].sum())
            answers += lines.key.size
        if begin % (50 * batch) == 0:
            kept.append((answered, begin))
        if begin > 30 * batch or path == "numbered":
            most = max(most, state_bytes(operator))
            assert numbered_keys(operator) < 12 * batch
    for answered, begin in kept:
        lines = answered.of(str(Sliding(200, 100)))
        assert lines is not None
        shown = np.array([answered.keys(number) for number in lines.key.tolist()])
        first = begin - 2 * batch
        assert np.isin(shown, spread(np.arange(first, begin + batch))).all()
        numbers = np.arange(first, begin + batch)
        value = dict(zip(spread(numbers).tolist(), (numbers % 7).tolist(), strict=True))
        assert [value[key] for key in shown.tolist()] == lines.value.columns[0].tolist()
    last = operator.take_columns([], [], None, END).of(str(Sliding(200, 100)))
    assert last is not None
    assert answers + last.key.size == 2 * keys
    assert total + int(last.value.columns[0].sum()) == 2 * int((np.arange(keys) % 7).sum())
    assert most < 96 * 2**20  # a table of all keys has 134 MB


def rooms_of(operator: ColumnarOperator) -> list[int]:
    """The rows of slices and of each store, whether in use or not."""
    (engine,) = engines_of(operator)
    rows = engine.directory.arrays[d.ROW_COUNT].size
    return [rows, *(store.room for store in engine.stores)]


@pytest.mark.parametrize("queries", [1, 2])
def test_memory_is_given_back_after_a_burst(queries: int) -> None:
    operator, rng = operator_of(queries), np.random.default_rng(1)
    n = 60_000 if COMPILED else 2_000
    for time in (100, 150):
        numbers = rng.permutation(n)
        operator.take_columns(np.full(n, time), numbers, spread(numbers), time)
    burst = rooms_of(operator)
    live = operator.retained()
    assert live >= n
    few = np.arange(200)
    for time in range(600, 600 + 4 * n, 40):
        operator.take_columns(few % 40 + time, few, spread(few), time)
    assert operator.retained() < 4000
    for after, before in zip(rooms_of(operator), burst, strict=True):
        assert 4 * after < before
    (engine,) = engines_of(operator)
    assert engine.scalars[d.KEY_COUNT] < release.LEAST_KEYS


def test_an_index_is_sized_by_the_rows_of_a_batch_not_by_those_of_each_slice() -> None:
    """Rows in no order over many slices and keys: a slice has a few of them."""
    operator = ColumnarOperator(method="compiled")
    operator.add(Query("w", tumbling(10), named("sum")))
    rng, n = np.random.default_rng(0), 20_000 if COMPILED else 2_000
    for _ in range(2):
        operator.take_columns(rng.permutation(n), np.ones(n, np.int64), spread(np.arange(n)), -1)
    [engine] = engines_of(operator)
    assert engine.directory.arrays[d.INDEX].size < 100 * n
    results = operator.take_columns([], [], [], END).of("w")
    assert results is not None
    assert int(results.value.columns[0].sum()) == 2 * n
