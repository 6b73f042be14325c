"""What a step of the columnar engine leaves out: room, copies and layouts that nothing needs."""

import numpy as np
import pytest

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.engine import ColumnarEngine
from muntin.columnar.engine.kernel_language import Ints
from muntin.columnar.engine_group import EngineGroup
from muntin.columnar.operator import ColumnarOperator
from muntin.kernels.slicing.answered import Answered
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Query, Result, Settings
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding, tumbling
from muntin.spec.windows.window import WindowType

STEP, SLICE = 400, 10


def operator_of(*kinds: WindowType, lateness: int = 0) -> ColumnarOperator:
    """An operator of one sum a window."""
    operator = ColumnarOperator(Settings(lateness), method="compiled")
    for number, kind in enumerate(kinds):
        operator.add(Query(str(number), kind, named("sum")))
    return operator


def feed(operator: ColumnarOperator, step: int, keys: int, rows: int = STEP) -> Answered:
    """A step of rows in order over ten slices, whose watermark is at its end."""
    n = np.arange(step * rows, (step + 1) * rows)
    times = n * SLICE * 10 // rows
    return operator.take_columns(times, n % 7, n * 7919 % keys, int(times[-1]) + 1)


def engine_of(operator: ColumnarOperator) -> ColumnarEngine:
    """Its engine."""
    [group] = operator.groups.values()
    assert isinstance(group, EngineGroup)
    assert group.engine
    return group.engine


def size_of(operator: ColumnarOperator, place: int) -> int:
    """The room of an array."""
    return int(engine_of(operator).directory.arrays[place].size)


@pytest.mark.parametrize("keys", [1, 50, 5000])
def test_results_that_revise_nothing_take_no_room_for_revisions(keys: int) -> None:
    operator = operator_of(tumbling(1), tumbling(2))
    assert sum(len(feed(operator, step, keys)) for step in range(9)) > 100
    assert size_of(operator, d.REVISION) <= 256


def test_revisions_of_windows_that_are_final_make_room_for_others() -> None:
    operator = operator_of(tumbling(SLICE), lateness=2 * SLICE)
    revisions: list[list[int]] = []
    for step in range(3, 200):
        times = SLICE * step - np.array([0, 5, 15])
        output = operator.take_columns(times, times, None, SLICE * step + SLICE)
        revisions.append(sorted(one.revision for one in output.results()))
    assert revisions[2:] == [[0, 1, 2]] * 195
    assert size_of(operator, d.REVISION) <= 256


@pytest.mark.parametrize("keys", [50, 5000])
def test_rows_of_slices_that_no_window_needs_are_used_again(keys: int) -> None:
    operator = operator_of(tumbling(SLICE), Sliding(3 * SLICE, SLICE))
    feed(operator, 0, keys)
    first = size_of(operator, d.ROW_COUNT)
    for step in range(1, 20):
        feed(operator, step, keys)
    engine = engine_of(operator)
    assert engine.scalars[d.SLICES] > 60  # they are cut far ahead
    assert engine.scalars[d.SEALED] - engine.scalars[d.RELEASED] <= 20  # ten came, three are needed
    used = int(engine.scalars[d.TOP_UNIT] * engine.scalars[d.UNIT_ROWS])
    assert used <= 2 * first


def test_indexes_have_room_for_the_cells_of_a_batch_not_for_each_slice_times_them() -> None:
    rows = 10_000
    operator = operator_of(tumbling(1))  # a hundred slices a batch
    for step in range(6):
        feed(operator, step, 1 << 20, rows)
    assert engine_of(operator).scalars[d.LAYOUT] == d.SPARSE
    assert size_of(operator, d.INDEX) <= 64 * rows


def test_room_for_the_results_of_a_step_is_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    operator = operator_of(*[tumbling(SLICE * (n + 1)) for n in range(9)])
    feed(operator, 0, 1 << 20, 2)
    sizes: list[int] = []
    extend = Directory.extend

    def count_growth(self: Directory, place: int, size: int, used: int) -> None:
        if place == d.OUT_KEY:
            sizes.append(size)
        extend(self, place, size, used)

    monkeypatch.setattr(Directory, "extend", count_growth)
    assert len(feed(operator, 1, 1 << 20, 5000)) > 20_000
    assert len(sizes) == 1


def all_results(path: list[Answered]) -> list[tuple[Result, ...]]:
    """The results of some steps, in order within a key."""
    return [tuple(sorted(one.results(), key=repr)) for one in path]


@pytest.mark.parametrize("keys", [1, 50, 5000])
def test_results_that_are_read_late_are_those_of_their_step(keys: int) -> None:
    kinds = tumbling(SLICE), Sliding(3 * SLICE, SLICE), Session(4)
    at_once, late = operator_of(*kinds), operator_of(*kinds)
    expected = [all_results([feed(at_once, step, keys)])[0] for step in range(6)]
    held = [feed(late, step, keys) for step in range(6)]
    assert sum(map(len, expected)) > 50
    assert all_results(held) == expected


def columns_written(operator: ColumnarOperator) -> list[Ints]:
    """The columns of results of an engine."""
    engine = engine_of(operator)
    places = d.OUT_KEY, *(place for kept in engine.parts for place in kept.out)
    return [engine.directory.arrays[place] for place in places]


def test_columns_that_were_read_are_their_reader_s() -> None:
    operator = operator_of(tumbling(SLICE))
    feed(operator, 0, 50)
    rows = engine_of(operator).take()
    read = [rows.key, *(column for columns in rows.parts.values() for column in columns)]
    kept = [column.copy() for column in read]
    assert not any(np.shares_memory(a, b) for a in read for b in columns_written(operator))
    feed(operator, 1, 40)
    assert all(np.array_equal(a, b) for a, b in zip(read, kept, strict=True))


def test_a_large_batch_of_one_key_is_no_reason_to_compact_its_sessions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    operator = operator_of(Session(4))
    feed(operator, 0, 1, 20_000)
    feed(operator, 1, 1, 20_000)
    grown: list[int] = []
    grow = Directory.grow

    def count_growth(self: Directory, place: int, size: int, fill: float = 0) -> None:
        if size > self.arrays[place].size:
            grown.append(place)
        grow(self, place, size, fill)

    monkeypatch.setattr(Directory, "grow", count_growth)
    for step in range(2, 9):
        feed(operator, step, 1, 20_000)
    assert not grown
