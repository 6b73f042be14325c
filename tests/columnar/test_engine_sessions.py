"""Sessions of the columnar engine: random traces against the denotation, and named faults."""

from random import Random

import numpy as np
import pytest

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.sessions import layout as s
from muntin.columnar.engine.sessions.compaction import compact_store, renumber_sessions
from muntin.columnar.engine.sessions.search import LONG
from muntin.columnar.engine.sessions.timers import LEVELS
from muntin.spec import denotation
from muntin.spec.dialect import Dialect
from muntin.spec.query import Mode, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.periodic import tumbling
from support.session_invariants import SessionState, check_sessions
from support.session_trace import (
    SessionEngine,
    Trace,
    denoted_steps,
    lines_of,
    session_queries,
)

MODES: tuple[Mode, ...] = ("accumulate-retract", "accumulate", "final")


def settings_of(random: Random) -> Settings:
    """Lateness, a mode and a rule of merging."""
    dialect = random.choice([Dialect(), Dialect(), Dialect(session_merge="le")])
    lateness = random.choice([0, 5, 30, 30, 200, 2000])
    return Settings(lateness, random.choice(MODES), dialect=dialect)


def trace_of(random: Random) -> Trace:
    """A trace to be drawn from."""
    keys, spread = random.choice([1, 1, 2, 7]), random.choice([10, 40, 200, 1000])
    return Trace(random, keys, spread, random.random() < 0.4, random.choice([0, -1000, 10**9]))


@pytest.mark.parametrize("seed", range(12))
def test_random_traces_answer_as_the_denotation_does(seed: int) -> None:
    for case in range(8):
        random = Random(1000 * seed + case)  # noqa: S311 nothing secret
        settings, trace = settings_of(random), trace_of(random)
        gaps = random.sample([1, 2, 5, 10, 30], random.choice([1, 1, 2]))
        target = SessionEngine(settings, gaps)
        steps = [trace.step() for _ in range(random.randrange(1, 14))]
        for step, expected in zip(
            steps, denoted_steps(session_queries(gaps), steps, settings), strict=True
        ):
            assert target.step(step) == expected, (seed, case)
            check_sessions(target.engine)
            if random.random() < 0.2:
                compact_store(target.engine.stores[0])
                check_sessions(target.engine)


@pytest.mark.parametrize("seed", range(8))
def test_a_query_that_comes_later_sees_later_events(seed: int) -> None:
    random = Random(seed)  # noqa: S311 nothing secret
    settings, trace = settings_of(random), trace_of(random)
    queries, target = session_queries([10, 10]), SessionEngine(settings, [10])
    history = denotation.add(denotation.History(settings), queries[0])
    for number in range(12):
        if number == 4:
            since = max(history.latest_time, history.watermark)
            target.add_store(10, int(since) if abs(since) < END else -d.FAR)
            history = denotation.add(history, queries[1])
        step = trace.step() if number < 11 else Step((), END)
        step = Step(step.events, None) if step.watermark == END and number < 11 else step
        history, output = denotation.step(history, step)
        assert target.step(step) == lines_of(output.results)
        check_sessions(target.engine)


@pytest.mark.parametrize("cut", [1, 7, 10_000])
def test_cuts_of_a_batch_change_nothing_but_when_lines_come(cut: int) -> None:
    random = Random(cut)  # noqa: S311 nothing secret
    events = [
        Event(
            i // 2 + random.randrange(-60, 1), i, random.randrange(50), gap=random.choice([None, 7])
        )
        for i in range(1000)
    ]
    entire, pieces = (SessionEngine(Settings(0), [5]) for _ in range(2))
    entire.step(Step(tuple(events)))
    for begin in range(0, len(events), cut):
        assert pieces.step(Step(tuple(events[begin : begin + cut]))) == []
    results = [target.step(Step((), END)) for target in (entire, pieces)]
    assert results[0] == results[1]
    assert (
        results[0]
        == denoted_steps(session_queries([5]), [Step(tuple(events), END)], Settings(0))[0]
    )
    for target in (entire, pieces):
        assert target.engine.stores[0].scalars[s.LIVE] == 0


def test_a_watermark_before_the_first_event_hides_no_session() -> None:
    target, settings = SessionEngine(Settings(50), [10]), Settings(50)
    steps = [Step((), 100), Step((Event(60, 1, 0), Event(95, 2, 0))), Step((), 120)]
    expected = denoted_steps(session_queries([10]), steps, settings)
    assert all(expected[1:])
    assert [target.step(step) for step in steps] == expected


def test_a_session_that_changes_and_merges_in_one_step_is_retracted_once() -> None:
    settings = Settings(1000)
    steps = [
        Step((Event(0, 1, 0), Event(20, 2, 0), Event(60, 4, 0)), 100),
        Step((Event(0, 8, 0),)),  # updated: the same extent
        Step((Event(5, 16, 0), Event(12, 32, 0), Event(60, 64, 0)), 101),
        Step((Event(9, 128, 0), Event(65, 1, 0)), 102),
    ]
    expected = denoted_steps(session_queries([10]), steps, settings)
    target = SessionEngine(settings, [10])
    assert [target.step(step) for step in steps] == expected
    assert sorted(line[5] for line in expected[2]) == ["new", "retracted", "retracted", "updated"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("lateness", [0, 7])
def test_a_session_that_is_just_final_merges_with_one_that_adjoins_it(
    mode: Mode, lateness: int
) -> None:
    settings = Settings(lateness, mode, dialect=Dialect(session_merge="le"))
    steps = [
        Step((Event(0, 1, 0),), 10 + lateness),
        Step((Event(10, 2, 0), Event(30, 4, 0)), 11 + lateness),
        Step((), 20 + lateness),
        Step((Event(20, 8, 0),), 40 + lateness),
        Step((), END),
    ]
    target = SessionEngine(settings, [10])
    for step, lines in zip(
        steps, denoted_steps(session_queries([10]), steps, settings), strict=True
    ):
        assert target.step(step) == lines
        check_sessions(target.engine)


def test_many_results_wait_for_room() -> None:
    settings, keys = Settings(100), 700
    first = tuple(Event(key % 3, key, key) for key in range(keys))
    steps = [
        Step(first, 20),
        Step(tuple(Event(8, 1, key) for key in range(keys)), 21),
        Step((), END),
    ]
    target = SessionEngine(settings, [10, 11])
    expected = denoted_steps(session_queries([10, 11]), steps, settings)
    assert len(expected[1]) > 2 * keys
    assert [target.step(step) for step in steps] == expected


@pytest.mark.parametrize("keys", [1, 20])
def test_sessions_and_windows_share_a_state(keys: int) -> None:
    random = Random(keys)  # noqa: S311 nothing secret
    settings = Settings(10)
    kinds, target = [tumbling(5)], SessionEngine(settings, [3, 6], [tumbling(5)])
    steps = [
        Step(
            tuple(
                Event(30 * i + random.randrange(20), n, random.randrange(keys)) for n in range(40)
            ),
            30 * i + random.randrange(9),
        )
        for i in range(20)
    ]
    expected = denoted_steps(session_queries([3, 6], kinds), steps, settings)
    assert [target.step(step) for step in steps] == expected
    assert {line[0] for lines in expected for line in lines} == {"0", "1", "2"}


def tree_depth(state: SessionState, row: int) -> int:
    """How many sessions a search in a tree passes at most."""
    sides = [state.field(row, side) for side in (s.LEFT, s.RIGHT)] if row else []
    return 1 + max(tree_depth(state, side) for side in sides) if row else 0


def test_late_events_of_a_key_with_many_sessions_search_a_tree() -> None:
    """Walking from the newest, 2,000 late rows passed 10^5 sessions each."""
    random = Random(1)  # noqa: S311 nothing secret
    target = SessionEngine(Settings(10**7), [100])
    for begin in range(0, 4000, 1000):
        events = [Event(200 * i, 1, 0) for i in range(begin, begin + 1000)]
        assert not target.step(Step(tuple(events)))
    target.step(Step((), 200 * 4000))
    late = tuple(Event(random.randrange(200 * 4000), 1, 0) for _ in range(1000))
    target.step(Step(late))
    check_sessions(target.engine)
    state = SessionState(target.engine, target.engine.stores[0])
    root = state.heads[0] >> s.HALF
    assert root
    assert len(state.lists[0]) > 100 * LONG
    assert tree_depth(state, state.field(root, s.LEFT)) <= 4 * len(state.lists[0]).bit_length()
    target.step(Step((), END))
    assert not target.engine.directory.arrays[target.engine.stores[0].base + s.AT_HEADS].any()
    check_sessions(target.engine)


def test_a_timer_moves_at_most_once_from_wheel_to_wheel_under_long_lateness() -> None:
    """A wheel of a few gaps set the same timer again and again."""
    target = SessionEngine(Settings(10**6), [10])
    target.step(Step((Event(0, 1, 0),), 100))
    places: list[int] = []
    for watermark in range(100, 10**6, 997):
        assert not target.step(Step((), watermark))
        ((bucket, _),) = SessionState(target.engine, target.engine.stores[0]).timers
        places.append(bucket)
    assert 1 < len(set(places)) <= LEVELS
    assert not target.step(Step((), 10**6 + 10))
    assert target.engine.stores[0].scalars[s.LIVE] == 0


def test_a_jump_of_the_watermark_passes_no_empty_bucket() -> None:
    """One by one, the buckets of this jump would take days."""
    far = 1 << 60
    steps = [
        Step((Event(-far, 1, 0), Event(0, 2, 0)), -far + 5),
        Step((Event(far, 4, 0),), far - 5),
        Step((Event(far - 4, 8, 0),), far + 3),
        Step((), END),
    ]
    target = SessionEngine(Settings(0), [3])
    expected = denoted_steps(session_queries([3]), steps, Settings(0))
    for step, lines in zip(steps, expected, strict=True):
        assert target.step(step) == lines
        check_sessions(target.engine)


def test_rows_and_timers_of_final_sessions_are_used_again() -> None:
    random = Random(3)  # noqa: S311 nothing secret
    target = SessionEngine(Settings(50), [10])
    store, rows, chunks = target.engine.stores[0], list[int](), list[int]()
    for i in range(400):
        events = (Event(20 * i - random.randrange(60), 1, random.randrange(20)) for _ in range(20))
        target.step(Step(tuple(events), 20 * i - 60))
        rows.append(int(store.scalars[s.TOP]))
        chunks.append(int(store.scalars[s.CHUNK_TOP]))
    assert max(rows[50:]) <= 2 * max(rows[:50])
    assert max(chunks[50:]) <= 2 * max(chunks[:50])
    check_sessions(target.engine)
    target.step(Step((), 10**6))
    assert not store.has_session(20).any()
    compact_store(store)
    assert store.rows.shape[0] <= 64
    check_sessions(target.engine)


def test_keys_get_other_numbers() -> None:
    target = SessionEngine(Settings(0), [10])
    target.step(Step(tuple(Event(key, key, key) for key in range(40)), 29))
    store = target.engine.stores[0]
    held = store.has_session(40)
    assert held.tolist() == [key >= 20 for key in range(40)]
    numbers = np.full(40, -1)
    numbers[held] = np.arange(20)
    renumber_sessions(store, numbers)
    target.engine.scalars[d.KEY_COUNT] = 20
    check_sessions(target.engine)
    lines = target.step(Step((Event(32, 100, 3), Event(60, 7, 0)), END))
    assert lines[:2] == [("0", 0, 20, 30, 20, "new", 0), ("0", 0, 60, 70, 7, "new", 0)]
    assert ("0", 3, 23, 42, 123, "new", 0) in lines
