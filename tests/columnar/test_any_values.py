"""Aggregates of values of any type on the engine: each result is that of the specification."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from muntin.columnar.engine.partials.values import value_codes
from muntin.columnar.engine.partials.values.value_codes import ValueCodes, decoded, moved
from muntin.columnar.engine_group import EngineGroup
from muntin.columnar.operator import ColumnarOperator
from muntin.conformance.output_comparison import response_difference
from muntin.kernels.slicing.arrays import column_of
from muntin.kernels.slicing.batch import Values, objects
from muntin.reference.specification import SpecificationOperator
from muntin.snapshot import transfer_state
from muntin.spec.algebra.catalogue import named
from muntin.spec.algebra.values import ORDER
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.query import Mode, Output, Query, Result, Settings
from muntin.spec.stream import Event, Step
from muntin.spec.windows.data_driven import session
from muntin.spec.windows.periodic import cumulate, sliding, tumbling
from muntin.spec.windows.window import WindowType

NEAR = 1e-9
ANY = (
    "count", "min", "max", "first", "last", "m4", "collect", "distinct", "maxcount", "mincount",
)  # fmt: skip
NUMBERS = (
    *ANY, "sum", "mean", "median", "percentile(95)", "percentile(12.5)", "geomean", "range",
    "var_pop", "std_sample",
)  # fmt: skip
Draw = Callable[[Random], object]
COLUMNS: Mapping[str, tuple[Draw, Sequence[str]]] = {
    "integers": (lambda r: r.randrange(30), NUMBERS),
    "floats": (lambda r: r.choice([0.5, 1.25, 7.0, 100.0, 2.75]), NUMBERS),
    "both": (lambda r: r.choice([1, 2, 0.5, 7]), NUMBERS),
    "wide": (lambda r: r.choice([1, 2**70, 3, 2**64 + r.randrange(5)]), NUMBERS),
    "fractions": (lambda r: Fraction(r.randrange(1, 9), 7), NUMBERS),
    "texts": (lambda r: r.choice("abcdefgh") * r.randrange(1, 3), (*ANY, "concat")),
    "dates": (lambda r: date(2020, 1, r.randrange(1, 28)), ANY),
    "decimals": (lambda r: Decimal(r.randrange(9)) / 4, ANY),
    "booleans": (lambda r: r.random() < 0.5, ANY),
    "bytes": (lambda r: bytes([r.randrange(9)]), ANY),
}
WINDOWS: Sequence[WindowType] = (
    sliding(10, 5), tumbling(7), sliding(30, 4, 3), cumulate(12, 3, 1), session(5), session(17),
    tumbling(1000),
)  # fmt: skip
MODES: Sequence[Mode] = ("accumulate", "accumulate-retract", "final")


def is_close(a: Result, b: Result) -> bool:
    """Whether rows are equal, floats to within rounding."""
    x, y = a.value, b.value
    if isinstance(x, int | float | Fraction) and isinstance(y, int | float | Fraction):
        equal = x == y or float(x) == pytest.approx(float(y), rel=NEAR)
    else:
        equal = x == y
    return equal and a[:4] == b[:4] and a[5:] == b[5:]


def operators(
    rng: Random, names: Sequence[str], settings: Settings
) -> tuple[list[ColumnarOperator], SpecificationOperator]:
    """Two operators with some queries, on the engine, and the specification."""
    queries = [
        Query(f"q{i}", rng.choice(WINDOWS), named(rng.choice(names)))
        for i in range(rng.randrange(1, 4))
    ]
    made = [ColumnarOperator(settings, method="compiled") for _ in range(2)]
    for one in made:
        for query in queries:
            one.add(query)
        assert one.explain().count(": compiled") == len(queries)
        assert one.generic is None
    expected = SpecificationOperator(settings)
    for query in queries:
        expected.add(query)
    return made, expected


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("seed", range(3))
def test_each_result_is_that_of_the_specification(column: str, mode: Mode, seed: int) -> None:
    rng = Random(f"{column} {mode} {seed}")  # noqa: S311 - nothing secret
    draw, names = COLUMNS[column]
    settings = Settings(rng.choice([0, 5, 30, 200]), output=mode)
    (got, other), expected = operators(rng, names, settings)
    keys, spread, now = rng.choice([1, 2, 60]), rng.choice([10, 40, 200]), rng.choice([0, -1000])
    for step in range(9):
        now += rng.choice([0, 3, 20, 500, -30])
        n, nulls = rng.choice([0, 1, 6, 20, 60]), rng.random() < 0.2
        events = tuple(
            Event(
                now + rng.randrange(-spread, spread),
                None if nulls and rng.random() < 0.3 else draw(rng),
                rng.randrange(keys) * 977,
            )
            for _ in range(n)
        )
        watermark = rng.choice([None, now - spread // 2, now, now + spread])
        if step == 5 and column not in ("dates", "decimals"):  # which a snapshot does not know
            transfer_state(got, other)
            got = other
        output = take(got, events, watermark, as_columns=step % 2 > 0 and not nulls)
        assert not response_difference(expected.take(Step(events, watermark)), output, is_close)


def take(
    operator: ColumnarOperator,
    events: tuple[Event, ...],
    watermark: int | None,
    *,
    as_columns: bool,
) -> Output:
    """Take in a step, as events or as columns."""
    if not as_columns:
        return operator.take(Step(events, watermark))
    times = np.array([event.time for event in events], np.int64)
    keys = np.array([event.key for event in events], np.int64)
    answered = operator.take_columns(times, [event.value for event in events], keys, watermark)
    return Output(answered.results(), tuple(events[int(i)] for i in answered.late))


@pytest.mark.parametrize("name", ["min", "distinct", "argmax"])
def test_values_that_come_between_all_others_get_numbers_in_order(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(value_codes, "STEP", 4)  # so that soon there is none left between two
    rng = Random(name)  # noqa: S311 - nothing secret
    spreads = list[int]()
    spread = ValueCodes._spread  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - counts calls

    def counted(one: ValueCodes) -> None:
        spreads.append(1)
        spread(one)

    monkeypatch.setattr(ValueCodes, "_spread", counted)
    settings = Settings(1000)
    both = ColumnarOperator(settings, method="compiled"), SpecificationOperator(settings)
    for one in both:
        for kind in (sliding(20, 5), session(6)):
            one.add(Query(f"{kind}", kind, named(name)))
    for now in range(0, 100, 4):
        words = ["".join(rng.choices("ab", k=rng.randrange(1, 9))) for _ in range(12)]
        values: list[object] = [(w, w) for w in words] if name == "argmax" else [*words]
        step = Step(tuple(Event(now + rng.randrange(9), v, None) for v in values), now)
        expected, got = (one.take(step) for one in reversed(both))
        assert not response_difference(expected, got)
    assert spreads


@pytest.mark.parametrize("seed", range(20))
def test_numbers_are_in_the_order_of_the_values(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_codes, "STEP", 8)
    monkeypatch.setattr(value_codes, "CHUNK", 4)
    rng = Random(seed)  # noqa: S311 - nothing secret
    codes, held = ValueCodes("x", is_ordered=True), dict[object, int]()
    for _ in range(30):
        draw: Draw = rng.choice([lambda r: r.randrange(99), lambda r: Fraction(r.randrange(99), 2)])
        values = [draw(rng) for _ in range(rng.randrange(1, 9))]
        numbers = codes.encode(Values(column_of(objects(values))))
        before, codes.moves = codes.moves, []
        held = {v: moved(np.array([n]), before).item() for v, n in held.items()}
        held |= dict(zip(values, numbers.tolist(), strict=True))
        assert sorted(held, key=lambda value: held[value]) == sorted(held, key=ORDER)
        assert [*decoded(numbers, codes.values)] == values
        if rng.random() < 0.3:
            held = {v: n for v, n in held.items() if rng.random() < 0.5}
            codes.retain(held.values())


class Word:
    """A text that counts how often it is compared."""

    compared = 0

    def __init__(self, text: str) -> None:
        self.text = text

    def __lt__(self, other: "Word") -> bool:
        Word.compared += 1
        return self.text < other.text

    def __eq__(self, other: object) -> bool:
        Word.compared += 1
        return isinstance(other, Word) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def comparisons(name: str, n: int) -> int:
    """How often values are compared in one window of n rows that are in no order."""
    rng = Random(n)  # noqa: S311 - nothing secret
    operator = ColumnarOperator(Settings(n))
    operator.add(Query("q", tumbling(n), named(name)))
    Word.compared = 0
    for _ in range(0, n, 500):
        words = [Word(f"{rng.random()}") for _ in range(500)]
        operator.take_columns([rng.randrange(n) for _ in words], words, None, None)
    answered = operator.take_columns([], [], None, n)
    assert len(answered.results()) == 1
    return Word.compared


@pytest.mark.parametrize("name", ["last", "collect", "max", "distinct"])
def test_work_on_one_big_window_is_not_quadratic(name: str) -> None:
    few, many = comparisons(name, 1000), comparisons(name, 4000)
    assert many <= 6 * few  # n log n; 16 if it were quadratic


def engine_of(operator: ColumnarOperator) -> EngineGroup:
    """The only group of an operator."""
    (group,) = operator.groups.values()
    assert isinstance(group, EngineGroup)
    return group


@pytest.mark.parametrize("keys", [1, 40])
@pytest.mark.parametrize("name", ["max", "last", "distinct", "median"])
def test_values_go_that_no_window_needs(name: str, keys: int) -> None:
    operator = ColumnarOperator()
    operator.add(Query("q", sliding(2000, 1000), named(name)))
    for now in range(0, 100_000, 1000):
        times = np.arange(now, now + 1000)
        values: list[object] = [t if name == "median" else f"{t}" for t in times.tolist()]
        operator.take_columns(times, values, times % keys, now)
    sources, engine = engine_of(operator).sources, engine_of(operator).engine
    assert sources
    assert engine
    assert all(codes.size < 12_000 for codes in sources.codes.values())
    assert all(kept.log.size < 60_000 for kept in engine.parts if kept.log)


def test_late_values_join_the_runs_that_were_read() -> None:
    rng, settings = Random(3), Settings(10_000)  # noqa: S311 - nothing secret
    both = ColumnarOperator(settings, method="compiled"), SpecificationOperator(settings)
    for one in both:
        for kind in (sliding(400, 100), tumbling(300)):
            one.add(Query(kind.name + f"{kind}", kind, named("median")))
    for now in range(400, 800, 100):
        late = tuple(Event(rng.randrange(now - 300, now), rng.random(), None) for _ in range(300))
        step = Step(late, now)
        expected, got = (one.take(step) for one in reversed(both))
        assert not response_difference(expected, got, is_close)


def test_an_error_of_a_comparison_leaves_no_trace() -> None:
    operator = ColumnarOperator()
    operator.add(Query("low", tumbling(10), named("min")))
    operator.add(Query("n", tumbling(10), named("count")))
    operator.take_columns([1], objects([(1, 2)]), None, None)
    message = r"in row 1 of the values \(1, None\) \(tuple\) has no order with the values of type"
    with pytest.raises(UnsupportedError, match=f"{message} tuple before it; give it values of one"):
        operator.take_columns([2, 3], objects([(0, 1), (1, None)]), None, 10)
    with pytest.raises(InvalidInputError, match=r"in row 0 .* is of a type that has no order"):
        operator.take_columns([2], [1j], None, 10)
    results = operator.take_columns([4], objects([(1, 1)]), None, 10).results()
    assert [result.value for result in results] == [(1, 1), 2]


@pytest.mark.parametrize("name", ["median", "range", "percentile(5)"])
def test_what_is_no_number_is_refused_with_its_row(name: str) -> None:
    operator = ColumnarOperator()
    operator.add(Query("q", tumbling(10), named(name)))
    with pytest.raises(
        InvalidInputError, match=r"'a' is not a number; it is in row 1 of the values"
    ):
        operator.take_columns([1, 2], [None, "a"], None, None)
    results = operator.take_columns([1, 2], [4, 6], None, 10).results()
    assert results[0].value == pytest.approx(float(Fraction(str(named(name).of([4, 6])))))


def test_sessions_give_memory_back_when_a_window_is_removed() -> None:
    operator = ColumnarOperator()
    operator.add(Query("w", tumbling(10), named("median")))
    operator.add(Query("s", session(10), named("median")))
    operator.take_columns([1], [1], None, None)
    operator.remove("w")
    for now in range(0, 60_000, 1000):
        operator.take_columns(np.arange(now, now + 1000), np.ones(1000), None, now)
    assert [result.value for result in operator.take_columns([], [], None, 70_000).results()] == [1]
