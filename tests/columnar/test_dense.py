"""Slices without holes, in long batches: runs, pieces, tables that grow. Held against slices."""

from random import Random

import numpy as np
import pytest

from muntin.conformance.output_comparison import response_difference
from muntin.kernels.slicing.arrays import LAST, Column, Ints, column_of
from muntin.kernels.slicing.batch import Values
from muntin.kernels.slicing.dense import timeline
from muntin.kernels.slicing.dense.timeline import Timeline
from muntin.kernels.slicing.keyed import cells, group
from muntin.kernels.slicing.operator import ColumnarOperator
from muntin.kernels.slicing.plan import Method
from muntin.reference.specification import SpecificationOperator
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Output, Query, Result, Settings
from muntin.spec.stream import Event, Step
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding, tumbling
from muntin.spec.windows.window import WindowType

AGGREGATES = ["sum", "min", "max", "mean", "count", "range"]
SIZES = [4, 10, 64, 100, 777, 3000]


def kind(random: Random, keys: int) -> WindowType:
    if random.random() < (0.05 if keys else 0.2):
        return Session(random.choice([3, 20, 100]))
    size = random.choice(SIZES)
    slide = random.choice([size, max(1, size // 2), max(1, size // 3), 2 * size])
    return Sliding(size, slide, random.choice([0, 1, -3]))


def times(random: Random, at: int, n: int) -> Ints:
    """Times that rise from one on, but for a share of them that is late."""
    rng, rate = np.random.default_rng(random.randrange(2**32)), random.choice([0.1, 1, 10])
    share, most = random.choice([0, 0, 0.01, 0.2, 0.9]), random.choice([1, 10, 300, 3000])
    late = np.where(rng.random(n) < share, rng.integers(0, most, n), 0)
    return np.asarray(at + (np.arange(n) / rate).astype(np.int64) - late)


def numbers(random: Random, n: int, *, whole: bool) -> Values:
    rng = np.random.default_rng(random.randrange(2**32))
    column: Column = column_of(rng.integers(-50, 50, n))
    if not whole:
        column = column_of(np.where(rng.random(n) < 0.1, np.nan, column / 4))
    return Values(column, rng.random(n) < 0.7 if random.random() < 0.1 else None)


def has_same_text(expected: Result, actual: Result) -> bool:
    """Whether two values are equal as texts, in which NaN equals itself."""
    return str(expected.value) == str(actual.value)


def play(seed: int, keys: int = 0) -> tuple[int, str]:
    """Let a random stream through both; the number of emitted windows, and `explain`."""
    random = Random(seed)  # noqa: S311 nothing secret
    settings = Settings(random.choice([0, 5, 500]), output=random.choice(["final", "accumulate"]))
    tested, plainer = (ColumnarOperator(settings, method=m) for m in ("dense", "slices"))
    for name in "abc"[: random.randint(1, 3)]:
        query = Query(name, kind(random, keys), named(random.choice(AGGREGATES)))
        tested.add(query)
        plainer.add(query)
    emitted, at, whole = 0, random.choice([0, -(10**6), 10**12]), random.random() < 0.6
    for nth in range(random.randint(2, 5)):
        n = random.choice([0, 1, 63, 64, 65, 200, random.randint(0, 1500)])
        batch, values = times(random, at, n), numbers(random, n, whole=whole)
        of = np.array([random.randrange(keys if nth else 1) for _ in range(n)]) if keys else None
        at = max(at, int(batch.max(initial=at))) + random.choice([0, 1, 500, 10**7])
        late = at - random.choice([0, 10, 300])
        mine, its = (one.take_columns(batch, values, of, late) for one in (tested, plainer))
        outputs = Output(its.results()), Output(mine.results())
        assert not response_difference(*outputs, has_same_text), seed
        assert mine.late.tolist() == its.late.tolist()
        for one, lines in mine.by_query().items():
            ends = [r.end for r in mine.results() if r.query == one]
            assert lines.end.tolist() == ends
        emitted += len(mine)
    return emitted, tested.explain()


@pytest.mark.parametrize(("piece", "few"), [(256, 1), (2**15, 64)])
def test_long_batches_in_order_or_not_are_as_in_slices(
    piece: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline, "PIECE", piece)
    monkeypatch.setattr(timeline, "LONG", 2 * piece)
    monkeypatch.setattr(timeline, "FEW", few)
    assert sum(play(seed)[0] for seed in range(40)) > 1000


@pytest.mark.parametrize("keys", [2, 40, 10**4])
def test_many_keys_are_as_in_slices(keys: int, monkeypatch: pytest.MonkeyPatch) -> None:
    few = ((cells, "PORTION", 16), (cells, "CHUNK", 64), (cells, "SHORT", 3), (group, "SOME", 32))
    for module, name, most in few:
        monkeypatch.setattr(module, name, most)
    played = [play(seed, keys) for seed in range(20)]
    assert sum(emitted for emitted, _ in played) > 500
    assert sum("by now keyed" in how for _, how in played) > 10


def test_windows_of_many_keys_are_updated_and_then_moved_to_slices() -> None:
    tested, plainer = (ColumnarOperator(Settings(100), method=m) for m in ("dense", "slices"))
    for one in (tested, plainer):
        one.add(Query("w", Sliding(20, 10), named("sum")))
    steps: list[tuple[list[int], list[float], list[int], int]] = [
        ([5, 15, 25], [1, 2, 3], [7, 7, 7], 20),
        ([12, 13, 26], [4, 5, 6], [7, 8, 9], 40),
        ([14, 14, 33], [7, 8, 9], [8, 7, 9], 60),
        ([14, 41], [0.5, 0.5], [8, 7], 70),
        ([15, 45], [10, 11], [8, 9], 90),
    ]
    emitted = 0
    for times_, values, keys, watermark in steps:
        mine, its = (
            one.take_columns(times_, np.array(values), keys, watermark) for one in (tested, plainer)
        )
        assert not response_difference(Output(its.results()), Output(mine.results()))
        emitted += sum(result.revision > 0 for result in mine.results())
    assert emitted > 3
    assert "by now slices" in tested.explain()


def test_a_table_that_grows_within_a_stretch_knows_the_slices_before() -> None:
    """Edges of a narrow slice in one stretch: the last known slice begins after the stretch."""
    line = Timeline([(388, 385), (388, 386)], 777, -1000)
    for upto in range(-600, 3000, 7):
        line.covers(upto)
        for time in range(max(line.first, upto - 400), upto + 1):
            at = int(line.table[(time - line.origin) >> line.shift])
            assert line.edges[at] <= time, time


@pytest.mark.parametrize("sparse", [0, 16, 10**9])
def test_edges_are_the_same_sorted_or_marked_in_a_grid(
    sparse: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline, "SPARSE", sparse)
    random = Random(sparse)  # noqa: S311 nothing secret
    for _ in range(60):
        sizes = [
            random.randint(1, random.choice([3, 40, 5000])) for _ in range(random.randint(1, 9))
        ]
        periods = sorted({(size, random.randrange(size)) for size in sizes})
        begin = random.choice([0, -(10**6), 10**15])
        line, upto = Timeline(periods, max(sizes), begin), begin
        for _ in range(3):
            upto += random.choice([1, sizes[0], 3 * max(sizes)])
            assert line.covers(upto)
            edges = {line.first}.union(
                *(range(line.first + (at - line.first) % p, line.end + 1, p) for p, at in periods)
            )
            assert line.edges[: line.n + 1].tolist() == sorted(edges)
            assert (line.edges[line.n + 1 :] == LAST).all()
            line.drop(line.n // 3)


@pytest.mark.parametrize("kind", [Sliding(10, 10), Sliding(30, 10)])
def test_windows_of_many_keys_are_updated_after_slices_were_dropped(
    kind: WindowType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group, "SOME", 8)
    rng, revisions, held = np.random.default_rng(3), 0, set[bool]()
    tested, plainer = (ColumnarOperator(Settings(25), method=m) for m in ("dense", "slices"))
    for one in (tested, plainer):
        one.add(Query("w", kind, named("sum")))
    for at in range(0, 3000, 15):
        batch = at + rng.integers(-40, 15, 12)
        columns = batch, rng.integers(0, 9, 12), rng.integers(0, 4, 12), at - 5
        before = tested.retained()
        mine, its = (one.take_columns(*columns) for one in (tested, plainer))
        assert not response_difference(Output(its.results()), Output(mine.results()))
        revisions += sum(result.revision > 0 for result in mine.results())
        held.add(tested.retained() < before)
    assert revisions > 100
    assert held == {False, True}
    assert "by now keyed" in tested.explain()


@pytest.mark.parametrize("method", ["dense", "slices", "records"])
@pytest.mark.parametrize("watermark", range(8, 22))
def test_what_is_late_updates_each_window_that_had_ended(watermark: int, method: Method) -> None:
    for time in range(24):
        both = ColumnarOperator(Settings(9), method=method), SpecificationOperator(Settings(9))
        for operator in both:
            operator.add(Query("tens", tumbling(10), named("sum")))
            operator.add(Query("some", Sliding(6, 4, 1), named("max")))
            operator.take(Step((Event(3, 1), Event(8, 2), Event(13, 4)), watermark))
        tested, denoted = (operator.take(Step((Event(time, 8),))) for operator in both)
        assert not response_difference(denoted, tested)
