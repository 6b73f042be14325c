"""A forged state of an engine is refused before a compiled kernel reads where it says."""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from muntin.columnar.engine.directory import AnyArray
from muntin.columnar.engine.records import layout as r
from muntin.columnar.engine.records.compaction import Records
from muntin.columnar.engine.sessions import layout as s
from muntin.columnar.engine.sessions.compaction import Sessions
from muntin.columnar.engine.state import EngineState, PartState, load_engine, save_engine
from muntin.columnar.engine_group import EngineGroup
from muntin.kernels.slicing.arrays import FIRST
from muntin.kernels.slicing.columns_in import Edges, of_columns
from muntin.kernels.slicing.forms import form_of
from muntin.kernels.slicing.moment import Clock, Moment
from muntin.snapshot import SnapshotError
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Settings
from muntin.spec.windows.data_driven import Session, rolling, slide_by_tuple
from muntin.spec.windows.periodic import Sliding, tumbling

Array = NDArray[np.int64]
KEYS = 5
SETTINGS = Settings(30)
SEEN = Clock(60, 60, 30)
LATER = np.random.default_rng(5).integers(30, 120, 300)
EVENTS = of_columns(LATER, LATER % 7, Edges(), 200, [None]).keyed(LATER * 7 % KEYS)


def engine_group(events: int = 200) -> EngineGroup:
    """A group whose engine has slices, sessions, records and revisions."""
    group, clock, rng = EngineGroup(FIRST, SETTINGS), Clock(), np.random.default_rng(7)
    for name, kind, aggregate in (
        ("tens", tumbling(10), "sum"), ("most", Sliding(30, 7), "max"),
        ("near", Session(4), "count"), ("ends", Sliding(30, 7), "last"),
        ("text", tumbling(10), "min"), ("rows", slide_by_tuple(15, 3), "sum"),
        ("last", rolling(4), "sum"),
    ):  # fmt: skip
        form = form_of(named(aggregate))
        assert form is not None
        group = group.with_query(name, kind, form)
    for watermark in (40, 60) if events else ():
        times = rng.integers(30, 90, events // 2)
        batch = of_columns(times, times % 7, Edges(), 0, [None]).keyed(times * 7 % KEYS)
        after = clock.advanced(watermark, SETTINGS)
        group, _ = group.step(batch.picked(group.takes(batch, clock.limit)), Moment(clock, after))
        clock = after
    return group


def saved() -> EngineState:
    state = save_engine(engine_group())
    assert state is not None
    return state


def load(state: EngineState) -> EngineGroup:
    group = engine_group(0)
    load_engine(group, state, SEEN, KEYS)
    return group


def column(name: str, place: int, value: int) -> Callable[[EngineState], EngineState]:
    def change(state: EngineState) -> EngineState:
        array = getattr(state, name).copy()
        array[place] = value
        return state._replace(**{name: array})

    return change


def shorter(name: str) -> Callable[[EngineState], EngineState]:
    return lambda state: state._replace(**{name: getattr(state, name)[:-1]})


def sessions(name: str, place: int, value: int) -> Callable[[EngineState], EngineState]:
    def change(state: EngineState) -> EngineState:
        (store,) = state.stores
        array = getattr(store, name).copy()
        array[place] = value
        return state._replace(stores=[store._replace(**{name: array})])

    return change


def session_fields(
    change: Callable[[Sessions], Sessions],
) -> Callable[[EngineState], EngineState]:
    return lambda state: state._replace(stores=[change(state.stores[0])])


def records(name: str, place: int, value: int) -> Callable[[EngineState], EngineState]:
    def change(state: EngineState) -> EngineState:
        assert state.records
        array = getattr(state.records, name).copy()
        array[place] = value
        return state._replace(records=state.records._replace(**{name: array}))

    return change


def record_fields(change: Callable[[Records], Records]) -> Callable[[EngineState], EngineState]:
    def changed(state: EngineState) -> EngineState:
        assert state.records
        return state._replace(records=change(state.records))

    return changed


def first_part(change: Callable[[PartState], PartState]) -> Callable[[EngineState], EngineState]:
    return lambda state: state._replace(parts=[change(state.parts[0]), *state.parts[1:]])


FORGED: dict[str, tuple[Callable[[EngineState], EngineState], str]] = {
    "edges fall": (column("edges", 2, -(2**61)), "`edges` must ascend"),
    "edges end": (shorter("edges"), "`blank` must be"),
    "blank": (column("blank", 0, 0), "`blank` must be the slices that may be cut"),
    "slice": (column("slice", 0, 10**6), "`slice` must lie within"),
    "slice is blank": (column("slice", 0, 0), "`slice` must be none that is blank"),
    "slice order": (column("slice", -1, 1), "`slice` and `key` must be in order"),
    "key": (column("key", 0, KEYS), "`key` must lie within 0 to 4"),
    "count": (column("count", 0, 0), "`count` must lie within 1"),
    "count short": (shorter("count"), "`count` must be"),
    "part": (first_part(lambda part: part._replace(number=99)), "`parts` must be those"),
    "type": (first_part(lambda part: part._replace(types=["text"])), "`types` must be names"),
    "another type": (
        first_part(lambda part: part._replace(types=["float"])),
        "must have columns of its types",
    ),
    "rows of a part": (
        first_part(lambda part: part._replace(columns=[np.zeros(3, np.int64)])),
        "`parts` must have",
    ),
    "revisions": (
        lambda state: state._replace(revisions=state.revisions[:2]),
        "`revisions` must be three",
    ),
    "no records": (lambda state: state._replace(records=None), "`records` must be those"),
    "record key": (records("key", -1, KEYS), "`records.key` must lie within 0 to 4"),
    "record key order": (records("key", 0, 1), "`records.key` must be sorted"),
    "record time": (records("time", 0, 2**62), "`records.time` must lie within"),
    "record order": (records("time", 0, 2**60), "`records.time` must be sorted"),
    "mark": (records("mark", 0, 2), "`records.mark` must lie within 0 to 1"),
    "forgotten": (
        record_fields(lambda held: held._replace(dropped=np.full(1, -1))),
        "`records.dropped` must lie within",
    ),
    "forgotten keys": (
        record_fields(lambda held: held._replace(dropped=np.zeros(KEYS + 1, np.int64))),
        "`records.dropped` must be of keys",
    ),
    "record revision": (
        records("revisions", r.V_NAME, 9 << 32),
        "`records.revisions` must lie within 1 to 2",
    ),
    "revision key": (
        records("revisions", r.V_NAME, 1 << 32 | KEYS),
        "`records.revisions` must lie within 0",
    ),
    "revision row": (
        record_fields(lambda held: held._replace(revisions=held.revisions[1:].copy())),
        "`records.revisions` must be rows",
    ),
    "record columns": (
        record_fields(lambda held: held._replace(columns=[])),
        "`records.columns` must be of",
    ),
    "record types": (
        record_fields(lambda held: held._replace(columns=[list[AnyArray]()] * len(held.columns))),
        "`records.columns` of .* must be",
    ),
    "stores": (lambda state: state._replace(stores=[]), "`stores` must be one"),
    "session key": (sessions("key", -1, KEYS), "`sessions.key` must lie within 0 to 4"),
    "session order": (sessions("key", 0, 1), "`sessions.key` must be sorted"),
    "session begin": (sessions("first", 0, -(2**62)), "`sessions.first` must lie within"),
    "session end": (sessions("reach", 0, 2**62 + 1), "`sessions.reach` must lie within"),
    "no session": (sessions("reach", 0, 0), "`sessions.first` must be before"),
    "overlap": (sessions("reach", 0, 2**60), "`sessions` of one key must not overlap"),
    "no event": (sessions("count", 0, 0), "`sessions.count` must lie within 1"),
    "flag": (sessions("reported", 0, 2), "`sessions.reported` must lie within 0 to 1"),
    "revision": (sessions("revision", -1, 1), "`sessions.revision` must be 0 before a report"),
    "negative revision": (sessions("revision", 0, -1), "`sessions.revision` must lie within"),
    "short column": (
        session_fields(lambda store: store._replace(count=np.ones(1, np.int64))),
        "`sessions.count` must be",
    ),
    "no columns": (
        session_fields(lambda store: store._replace(columns=[])),
        "`sessions.columns` must be of",
    ),
    "columns": (
        session_fields(lambda store: store._replace(columns=[list[AnyArray]()] * 4)),
        "`sessions.columns` of .* must be",
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_state_is_refused(name: str) -> None:
    change, words = FORGED[name]
    with pytest.raises(SnapshotError, match=f"corrupt snapshot: .*{words}"):
        load(change(saved()))


def test_a_state_goes_on_as_the_engine_does() -> None:
    group = engine_group()
    state = save_engine(group)
    assert state is not None
    other = load(state)
    assert group.engine is not None
    assert other.engine is not None
    for one in (group.engine, other.engine):
        assert one.step(0, 10**6)
    mine, its = (one.take() for one in (group.engine, other.engine))
    rows = [sorted(zip(r.query, r.key, r.start, r.count, strict=True)) for r in (mine, its)]
    assert rows[0] == rows[1]
    assert len(rows[0]) > 50


def test_an_event_may_reach_many_sessions_that_are_shorter_than_its_gap() -> None:
    """Rows once had gaps of their own: what is merged by one event has room."""
    n, state = 60, saved()
    (store,) = state.stores
    first, ones = 61 + np.arange(n), np.ones(n, np.int64)
    short = store._replace(
        key=0 * ones, first=first, reach=first + 1, count=ones, reported=0 * ones,
        revision=0 * ones,
        columns=[[column[:1].repeat(n) for column in one] for one in store.columns],
    )  # fmt: skip
    group = load(state._replace(stores=[short]))
    assert group.engine is not None
    (held,) = group.engine.stores
    before = held.live
    times = np.arange(61, 121, 4)
    batch = of_columns(times, times, Edges(), 200, [None]).keyed(0 * times)
    group.step(batch, Moment(SEEN, SEEN))
    assert before == n
    assert held.live == times.size
    assert held.counts().sum() == n + times.size
    pairs = group.engine.directory.arrays[held.base + s.AT_MERGED].size // 2
    assert pairs >= n - times.size


def test_no_mutated_state_makes_kernels_read_elsewhere() -> None:
    """A mutated number is refused, or changes answers alone: steps run to their end."""
    random, refused = Random(3), 0  # noqa: S311 nothing secret
    for _ in range(400):
        state = saved()
        arrays = [state.edges, state.blank, state.slice, state.key, state.count, *state.revisions]
        arrays += [array for store in state.stores for array in store[:-1]]
        assert state.records
        rows = state.records
        arrays += [rows.key, rows.time, rows.mark, rows.dropped, rows.revisions]
        array = random.choice([one for one in arrays if one.size])
        array[random.randrange(array.size)] = random.choice([-1, 0, 1, 7, 2**20, -(2**40), 2**62])
        try:
            group = load(state)
        except SnapshotError:
            refused += 1
            continue
        assert group.engine is not None
        group.step(EVENTS, Moment(SEEN, Clock(80, 80, 50)))
        for watermark in (85, 10**6):
            assert group.engine.step(0, watermark)
            group.engine.take()
            group.engine.take_sessions()
    assert refused > 100
